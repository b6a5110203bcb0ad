"""How much of a claim's wording a piece of evidence holds."""

from collections.abc import Iterable, Sequence

from groundwire.text.meaning import alike


def covered(key: str, stems: frozenset[str]) -> bool:
    """Tell whether a stem, or one that may stand in for it, is among the stems."""
    return key in stems or not alike(key).isdisjoint(stems)


def share(keys: Sequence[str], stems: frozenset[str]) -> float:
    """Measure the share of keys that the stems cover; 1.0 when there are none."""
    if not keys:
        return 1.0
    return sum(covered(key, stems) for key in keys) / len(keys)


def union(groups: Iterable[frozenset[str]]) -> frozenset[str]:
    """Put several sets of stems together."""
    return frozenset().union(*groups)
