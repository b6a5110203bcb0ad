"""Whether two quantities say the same."""

import math
from enum import StrEnum
from typing import NamedTuple

from groundwire.text.bounds import Bound
from groundwire.text.dates import Date
from groundwire.text.quantity import Kind, Quantity


class Clash(StrEnum):
    """In which respect two quantities differ."""

    NONE = ""
    VALUE = "value"
    UNIT = "unit"
    DATE = "date"


class Agreement(NamedTuple):
    """True when equal, False when they clash, None when it cannot be told."""

    equal: bool | None
    clash: Clash = Clash.NONE
    loose: bool = False  # holds within a bound or an approximation


_UNKNOWN = Agreement(None)
_SAME = Agreement(True)
_HOLDS = Agreement(True, loose=True)
_CLOSE = 1e-9
_DAYS_A_MONTH = 30.4375
_ROUNDED = 100_000.0
_LOWER = (Bound.OVER, Bound.MIN)
_UPPER = (Bound.UNDER, Bound.MAX)


def same_kind(claim: Quantity, source: Quantity) -> bool:
    """Tell whether two quantities measure the same sort of thing."""
    if claim.kind == Kind.IDENTIFIER or source.kind == Kind.IDENTIFIER:
        return claim.kind == source.kind and _prefix(claim.key) == _prefix(source.key)
    if claim.kind == Kind.DATE and source.kind == Kind.DATE:
        return _shared_fields(claim, source)
    if {claim.kind, source.kind} == {Kind.DATE, Kind.COUNT}:
        return _year_of(claim) is not None and _year_of(source) is not None
    if claim.kind == Kind.MEASURE and source.kind == Kind.MEASURE:
        return claim.unit == source.unit or {claim.unit, source.unit} <= {"duration", "calendar"}
    return claim.kind == source.kind


def agree(claim: Quantity, source: Quantity, within: float = 0.05, beyond: float = 0.10) -> Agreement:
    """Compare a claim's quantity with one of the source."""
    if claim.kind == Kind.IDENTIFIER or source.kind == Kind.IDENTIFIER:
        if claim.kind != source.kind:
            return _UNKNOWN
        return _SAME if claim.key == source.key else Agreement(False, Clash.VALUE)
    if claim.kind == Kind.DATE or source.kind == Kind.DATE:
        return _agree_dates(claim, source)
    if claim.kind == Kind.TIME or source.kind == Kind.TIME:
        return _agree_times(claim, source)
    if claim.kind != source.kind:
        return _agree_across(claim, source)
    if claim.kind == Kind.MONEY and claim.unit != source.unit:
        return _agree_currencies(claim, source)
    if claim.kind == Kind.MEASURE and claim.unit != source.unit:
        return _agree_durations(claim, source, within, beyond)
    if claim.per and source.per and claim.per != source.per:
        return _agree_periods(claim, source)
    if claim.qualifier != source.qualifier and "business" in (claim.qualifier, source.qualifier):
        same = _agree_values(claim, source, within, beyond)
        return Agreement(None) if same.equal else same
    return _agree_values(claim, source, within, beyond)


def _prefix(key: str) -> str:
    if ":" in key[:9]:
        return key.split(":")[0]
    return "".join(char for char in key.split("-")[0] if char.isalpha()) or "id"


def _close(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=_CLOSE, abs_tol=1e-12)


def _readings(quantity: Quantity) -> list[tuple[float, float]]:
    readings = [(quantity.low, quantity.high)]
    if quantity.other is not None:
        readings.append((quantity.other, quantity.other))
    return readings


def _agree_values(claim: Quantity, source: Quantity, within: float, beyond: float) -> Agreement:
    for low, high in _readings(claim):
        for other_low, other_high in _readings(source):
            if _close(low, other_low) and _close(high, other_high):
                return _agree_bounds(claim, source)
    if Bound.APPROX in (claim.bound, source.bound) and claim.low == claim.high and source.low == source.high:
        return _agree_roughly(claim.low, source.low, within, beyond)
    return _agree_intervals(claim, source)


def _agree_bounds(claim: Quantity, source: Quantity) -> Agreement:
    if (claim.bound in _LOWER and source.bound in _UPPER) or (claim.bound in _UPPER and source.bound in _LOWER):
        return Agreement(False, Clash.VALUE)
    exact = (Bound.EXACT, Bound.APPROX, Bound.FROM)
    if claim.bound in (Bound.OVER, Bound.UNDER) and source.bound == Bound.EXACT:
        return Agreement(False, Clash.VALUE)  # "over 40" does not hold for 40
    if claim.bound in exact and source.bound not in exact:
        # "within 30 days" restated as "30 days" loses nothing a reader would miss.
        return _SAME if source.bound in (Bound.MIN, Bound.MAX) else _UNKNOWN
    return _SAME


def _agree_roughly(claim: float, source: float, within: float, beyond: float) -> Agreement:
    gap = abs(claim - source) / max(abs(source), 1e-12)
    if gap <= within + _CLOSE:
        return _HOLDS
    return Agreement(False, Clash.VALUE) if gap > beyond else _UNKNOWN


def _agree_intervals(claim: Quantity, source: Quantity) -> Agreement:
    if claim.bound in _LOWER and source.bound not in (*_LOWER, *_UPPER):
        return (
            _HOLDS if source.low > claim.high or (claim.bound == Bound.MIN and source.low >= claim.low) else _differ()
        )
    if claim.bound in _UPPER and source.bound not in (*_LOWER, *_UPPER):
        return (
            _HOLDS if source.high < claim.low or (claim.bound == Bound.MAX and source.high <= claim.high) else _differ()
        )
    if source.bound in _LOWER and claim.bound not in (*_LOWER, *_UPPER):
        return _UNKNOWN if claim.low > source.high else _differ()
    if source.bound in _UPPER and claim.bound not in (*_LOWER, *_UPPER):
        return _UNKNOWN if claim.high < source.low else _differ()
    if claim.low == claim.high and source.low < source.high and source.low <= claim.low <= source.high:
        return _UNKNOWN
    if _rounds_to(claim, source):
        return _UNKNOWN
    return _differ()


def _differ() -> Agreement:
    return Agreement(False, Clash.VALUE)


def _rounds_to(claim: Quantity, source: Quantity) -> bool:
    # "2.5 million" for 2,513,000 is how such numbers are spoken: neither proof nor error.
    # Smaller numbers are held to what they say unless a word like "about" announces otherwise.
    if claim.low != claim.high or source.low != source.high or claim.step <= source.step or claim.step < _ROUNDED:
        return False
    return abs(claim.low - source.low) <= claim.step / 2 and abs(claim.low - source.low) <= 0.02 * abs(source.low)


def _agree_across(claim: Quantity, source: Quantity) -> Agreement:
    kinds = {claim.kind, source.kind}
    if kinds == {Kind.PERCENT, Kind.POINTS} and _close(claim.low, source.low):
        return Agreement(False, Clash.UNIT)
    if (
        Kind.COUNT in kinds
        and _close(_written(claim), _written(source))
        and claim.high - claim.low == source.high - source.low == 0
    ):
        # One side left its unit out: "a score of 12" for "12 points".
        bare = claim if claim.kind == Kind.COUNT else source
        return _SAME if not bare.after else Agreement(None, loose=True)
    return _UNKNOWN


def _written(quantity: Quantity) -> float:
    return quantity.low if quantity.raw is None else quantity.raw


def _agree_currencies(claim: Quantity, source: Quantity) -> Agreement:
    minor = {"cent": ("USD", "EUR", "AUD", "CAD"), "penny": ("GBP",)}
    for small, big in ((claim, source), (source, claim)):
        if small.unit in minor and big.unit in minor[small.unit]:
            return _SAME if _close(small.low / 100, big.low) else Agreement(False, Clash.VALUE)
    return Agreement(False, Clash.UNIT)


def _agree_durations(claim: Quantity, source: Quantity, within: float, beyond: float) -> Agreement:
    if {claim.unit, source.unit} != {"duration", "calendar"}:
        return _UNKNOWN
    days = [item.low / 86400 if item.unit == "duration" else item.low * _DAYS_A_MONTH for item in (claim, source)]
    gap = abs(days[0] - days[1]) / max(days[1], 1e-12)
    if gap > beyond:
        return Agreement(False, Clash.UNIT)
    return _UNKNOWN


# Two scales: how many days a month has is not settled.
_PERIODS = (
    {"month": 1.0, "quarter": 3.0, "year": 12.0},
    {"second": 1.0, "minute": 60.0, "hour": 3_600.0, "day": 86_400.0, "week": 604_800.0},
)


def _agree_periods(claim: Quantity, source: Quantity) -> Agreement:
    for scale in _PERIODS:
        known = claim.per in scale and source.per in scale
        if known and _close(claim.low / scale[claim.per], source.low / scale[source.per]):
            return _SAME
    return Agreement(False, Clash.UNIT)


def _agree_times(claim: Quantity, source: Quantity) -> Agreement:
    if claim.kind != source.kind:
        return _UNKNOWN
    if claim.zone and source.zone and claim.zone != source.zone:
        return Agreement(False, Clash.UNIT) if _close(claim.low, source.low) else _UNKNOWN
    if _close(claim.low, source.low):
        return Agreement(False, Clash.DATE) if _opposite_sides(claim, source) else _SAME
    return Agreement(False, Clash.DATE)


def _opposite_sides(claim: Quantity, source: Quantity) -> bool:
    return {claim.bound, source.bound} == {Bound.OVER, Bound.UNDER}


def _shared_fields(claim: Quantity, source: Quantity) -> bool:
    for first in claim.dates:
        for second in source.dates:
            if any(
                a is not None and b is not None for a, b in zip(_comparable(first), _comparable(second), strict=True)
            ):
                return True
    return False


def _comparable(date: Date) -> tuple[int | None, ...]:
    quarter = date.quarter
    if quarter is None and date.month is not None:
        quarter = (date.month - 1) // 3 + 1
    decade = date.decade
    if decade is None and date.year is not None:
        decade = date.year // 10 * 10
    return (date.year, date.month, date.day, date.weekday, quarter, decade)


def _year_of(quantity: Quantity) -> int | None:
    """Read the year of a date, or of a bare number that may be one (a table cell)."""
    if quantity.kind == Kind.DATE:
        return next((date.year for date in quantity.dates if date.year is not None), None)
    bare = quantity.kind == Kind.COUNT and len(quantity.text) == 4 and quantity.text.isdigit()
    return int(quantity.text) if bare and 1500 <= int(quantity.text) <= 2100 else None


def _agree_dates(claim: Quantity, source: Quantity) -> Agreement:
    if claim.kind != source.kind:
        mine, theirs = _year_of(claim), _year_of(source)
        if mine is None or theirs is None:
            return _UNKNOWN
        return _SAME if mine == theirs else Agreement(False, Clash.DATE)
    outcome = _UNKNOWN
    for first in claim.dates:
        for second in source.dates:
            verdict = _agree_date(first, second)
            if verdict.equal:
                return Agreement(False, Clash.DATE) if _opposite_sides(claim, source) else verdict
            if verdict.equal is False:
                outcome = verdict
    return outcome


def _agree_date(claim: Date, source: Date) -> Agreement:
    shared = False
    for mine, theirs in zip(_comparable(claim), _comparable(source), strict=True):
        if mine is None or theirs is None:
            continue
        if mine != theirs:
            return Agreement(False, Clash.DATE)
        shared = True
    if not shared:
        return _UNKNOWN
    # "March 2021" follows from "3 March 2021", not the other way round.
    missing = any(mine is not None and theirs is None for mine, theirs in zip(claim, source, strict=True))
    return _UNKNOWN if missing and claim.year is not None and source.year is None else _SAME
