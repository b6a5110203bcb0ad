"""The places with the most votes, picked without putting all in order."""

import random

from groundwire.evidence.votes import most_voted


def test_the_most_voted_are_those_of_the_whole_order() -> None:
    chance = random.Random(3)
    for _ in range(2_000):
        # Few values, apart by more or less than the digits compared: most votes are ties.
        near = (0.0, 1e-10, 6e-10, -6e-10, 1e-9, 1e-7, 5e-7, -6e-7)
        votes = {chance.randrange(500): chance.randrange(4) + chance.choice(near) for _ in range(chance.randrange(60))}
        for digits in (6, 9):
            ranked = sorted(votes, key=lambda place: (-round(votes[place], digits), place))
            for limit in (0, 1, 5, 100):
                assert most_voted(votes, limit, digits) == ranked[:limit]
