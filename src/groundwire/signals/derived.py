"""Numbers that follow from two numbers of the source."""

from collections.abc import Sequence
from itertools import combinations

from groundwire.evidence import Evidence
from groundwire.signals.claim import ClaimView
from groundwire.text.lexicon import load_words
from groundwire.text.quantity import Kind, Quantity

_MOST_DERIVED = 24


def is_derived(view: ClaimView, quantity: Quantity, evidence: Sequence[Evidence]) -> bool:
    """Tell whether a number is the sum, difference, average or share of two source numbers."""
    if quantity.kind in (Kind.DATE, Kind.TIME, Kind.IDENTIFIER, Kind.ORDINAL):
        return False
    if load_words("arithmetic_cues").isdisjoint(word.lower for word in view.analysis.words):
        return False
    values = [
        other.low
        for item in evidence[:4]
        for other in item.analysis.quantities
        if other.kind in (quantity.kind, Kind.COUNT) and other.unit in (quantity.unit, "")
    ]
    target = abs(quantity.low)
    for first, second in combinations(values[:_MOST_DERIVED], 2):
        results = [first + second, abs(first - second), (first + second) / 2]
        if any(abs(result - target) <= 1e-9 * max(1.0, target) for result in results):
            return True
    return quantity.kind == Kind.PERCENT and _is_change(target, evidence)


def _is_change(target: float, evidence: Sequence[Evidence]) -> bool:
    for item in evidence[:4]:
        for first, second in combinations(item.analysis.quantities, 2):
            if first.kind != second.kind or first.kind in (Kind.DATE, Kind.TIME, Kind.IDENTIFIER):
                continue
            for base, other in ((first.low, second.low), (second.low, first.low)):
                if base and abs(abs(other - base) / abs(base) * 100 - target) < 0.51:
                    return True
    return False
