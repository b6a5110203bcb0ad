"""Which places of an index have the most votes."""

from collections.abc import Mapping


def most_voted(votes: Mapping[int, float], limit: int, digits: int) -> list[int]:
    """List the places with the most votes, compared to so many digits, ties by place."""
    places = list(votes)
    if 0 < limit < len(places):
        # A common word stands in thousands of places: only those that may be among the best are put in order.
        edge = sorted(votes.values(), reverse=True)[limit - 1] - 10.0 ** (1 - digits)
        places = [place for place in places if votes[place] >= edge]
    return sorted(places, key=lambda place: (-round(votes[place], digits), place))[:limit]
