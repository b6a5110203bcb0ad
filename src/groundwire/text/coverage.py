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
    # As `covered` has it, without a call for each key: no other line runs as often.
    return len([key for key in keys if key in stems or not alike(key).isdisjoint(stems)]) / len(keys)


def union(groups: Iterable[frozenset[str]]) -> frozenset[str]:
    """Put several sets of stems together."""
    return frozenset().union(*groups)
