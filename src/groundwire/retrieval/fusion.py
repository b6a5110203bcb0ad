"""Rankings of the same documents brought together."""

from collections.abc import Iterable, Sequence

RRF_K = 60


def reciprocal_rank_fusion(rankings: Iterable[Sequence[str]], k: int = RRF_K) -> list[tuple[str, float]]:
    """Sum 1 / (k + rank) over all rankings, best first, ties by first appearance (Cormack and others 2009)."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking, 1):
            scores[name] = scores.get(name, 0.0) + 1.0 / (k + rank)
    return sorted(scores.items(), key=lambda item: -item[1])
