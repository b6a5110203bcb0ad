"""Read a number with its unit, and bring it to base units."""

import math
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from groundwire.errors import InputError
from groundwire.hooks.extras import load

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_NAME = r"[A-Za-zµμ°Ω_]{1,30}"
_POWER = r"(?:\s?(?:\*\*|\^)\s?-?[1-9])?"
# Names, products, quotients and small powers: nothing else is handed to the unit parser.
_UNIT = re.compile(rf"{_NAME}{_POWER}(?:\s?[*/]\s?{_NAME}{_POWER}){{0,5}}")
_LONGEST = 100


class UnitError(InputError):
    """A value without a unit, with an unknown one, or of the wrong kind; `rule` names which."""

    def __init__(self, rule: str, what: str, fix: str = "write a number and its unit, such as '250 mm/s'") -> None:
        self.rule = rule
        super().__init__(what, fix=fix)


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as factor and offset to base units; `kind` is equal for units that may be compared."""

    text: str
    factor: float
    offset: float
    kind: str
    difference: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """A value in base units, with the unit it was given in."""

    value: float
    unit: Unit


def read_measure(text: Any) -> Measure:
    """Read a text such as '250 mm/s'; a bare number is refused."""
    if isinstance(text, int | float):
        raise UnitError("unit_missing", "A value has no unit.")
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise UnitError("value_malformed", "A value is no text of a number and a unit.")
    match = _NUMBER.match(text.strip())
    if match is None:
        raise UnitError("value_malformed", "A value does not begin with a plain number.")
    name = text.strip()[match.end() :].strip()
    if not name:
        raise UnitError("unit_missing", "A value has no unit.")
    unit = read_unit(name)
    value = float(match[0]) * unit.factor + unit.offset
    if not math.isfinite(value):
        raise UnitError("value_malformed", "A value is not finite.")
    return Measure(value, unit)


@lru_cache(maxsize=1_024)
def read_unit(name: str) -> Unit:
    """Read a unit; units of an angle are kept apart from plain numbers, and Hz from rad/s."""
    if not _UNIT.fullmatch(name):
        raise UnitError("unknown_unit", f"{name[:40]!r} is no unit.")
    pint = load("pint", "PhysicalGrounding")
    units = _registry()
    try:
        parsed = units.parse_units(name)
        zero, one = (units.Quantity(value, parsed).to_base_units() for value in (0.0, 1.0))
    except (pint.errors.PintError, AttributeError, ValueError, TypeError, OverflowError) as error:
        raise UnitError("unknown_unit", f"{name[:40]!r} is no unit.") from error
    difference = "delta_" in str(parsed)
    kind = " ".join(f"{base}^{power:g}" for base, power in sorted(one.unit_items()))
    return Unit(name, float(one.magnitude - zero.magnitude), float(zero.magnitude), kind, difference)


@cache
def _registry() -> Any:
    return load("pint", "PhysicalGrounding").UnitRegistry()
