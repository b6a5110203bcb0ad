"""Numbers that follow from other numbers of the source."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from groundwire.evidence import Evidence
from groundwire.signals.claim import ClaimView
from groundwire.text.lexicon import load_words
from groundwire.text.quantity import Kind, Quantity

_MOST_DERIVED = 24
_MONTHS = 12.0
_DAY = 86_400.0
_MINUTE = 60.0


def is_derived(view: ClaimView, quantity: Quantity, evidence: Sequence[Evidence]) -> bool:
    """Tell whether a claim that announces a computation gives the sum, difference, average or share of two numbers."""
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
        if any(_equal(result, target) for result in results):
            return True
    return quantity.kind == Kind.PERCENT and _is_change(target, evidence)


def follows(quantity: Quantity, others: Sequence[Quantity]) -> bool:
    """Tell whether a number that stands nowhere follows from two that do."""
    if quantity.kind in (Kind.DATE, Kind.TIME, Kind.IDENTIFIER, Kind.ORDINAL):
        return False
    target = abs(quantity.low)
    kind, unit = (Kind.PERCENT, "") if quantity.kind == Kind.POINTS else (quantity.kind, quantity.unit)
    same = [other.low for other in others if other.kind == kind and other.unit == unit][:_MOST_DERIVED]
    if any(_equal(first + second, target) or _equal(abs(first - second), target) for first, second in _pairs(same)):
        return True
    if quantity.kind == Kind.MEASURE and any(_equal(span, target) for span in _spans(unit, others)):
        return True
    counts = [other.low for other in others if other.kind == Kind.COUNT and other.low > 1][:_MOST_DERIVED]
    if any(_equal(value * count, target) or _equal(value / count, target) for value in same for count in counts):
        return True
    return quantity.kind == Kind.COUNT and any(_is_ratio(target, first, second) for first, second in _alike(others))


def _pairs(values: Sequence[float]) -> Iterator[tuple[float, float]]:
    return combinations(dict.fromkeys(values), 2)


def _alike(others: Sequence[Quantity]) -> Iterator[tuple[float, float]]:
    """Pair the amounts of one kind and unit."""
    for first, second in combinations(others[:_MOST_DERIVED], 2):
        if first.kind == second.kind and first.unit == second.unit and first.low and second.low:
            yield first.low, second.low


def _is_ratio(target: float, first: float, second: float) -> bool:
    return _equal(first / second, target) or _equal(second / first, target)


def _spans(unit: str, others: Sequence[Quantity]) -> Iterator[float]:
    """List the times that lie between two dates or two times of day, in the base of a unit."""
    if unit == "calendar":
        years = [day.year for other in others for day in other.dates if day.year is not None]
        yield from (abs(first - second) * _MONTHS for first, second in combinations(years[:_MOST_DERIVED], 2))
    elif unit == "duration":
        clocks = [other.low for other in others if other.kind == Kind.TIME]
        yield from (abs(first - second) * _MINUTE for first, second in combinations(clocks[:_MOST_DERIVED], 2))
        days = [(day.month, day.day) for other in others for day in other.dates[:1] if day.month and day.day]
        for (month, day), (other_month, other_day) in combinations(days[:_MOST_DERIVED], 2):
            if month == other_month:
                yield abs(day - other_day) * _DAY


def _equal(first: float, second: float) -> bool:
    return abs(first - second) <= 1e-9 * max(1.0, second)


def _is_change(target: float, evidence: Sequence[Evidence]) -> bool:
    for item in evidence[:4]:
        for first, second in combinations(item.analysis.quantities, 2):
            if first.kind != second.kind or first.kind in (Kind.DATE, Kind.TIME, Kind.IDENTIFIER):
                continue
            for base, other in ((first.low, second.low), (second.low, first.low)):
                if base and abs(abs(other - base) / abs(base) * 100 - target) < 0.51:
                    return True
    return False
