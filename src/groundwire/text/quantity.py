"""What a quantity is: kind, value, unit, bound and slot."""

from enum import StrEnum
from typing import NamedTuple

from groundwire.text.bounds import Bound
from groundwire.text.dates import Date


class Kind(StrEnum):
    """What sort of quantity was written."""

    COUNT = "count"
    MONEY = "money"
    PERCENT = "percent"
    POINTS = "points"
    MEASURE = "measure"
    DATE = "date"
    TIME = "time"
    ORDINAL = "ordinal"
    IDENTIFIER = "identifier"


class Quantity(NamedTuple):
    """One quantity with its place, value and slot."""

    start: int
    end: int
    text: str
    kind: Kind
    low: float = 0.0
    high: float = 0.0
    other: float | None = None  # the second reading of "1.500"
    step: float = 1.0
    unit: str = ""  # dimension of a measure, code of a currency
    qualifier: str = ""  # "business" in business days
    per: str = ""
    bound: Bound = Bound.EXACT
    dates: tuple[Date, ...] = ()
    zone: str = ""
    key: str = ""  # identifiers compare as text
    raw: float | None = None  # the number as written, before conversion
    weak: bool = False  # "one", ordinals, "all three": their absence proves nothing
    before: tuple[str, ...] = ()  # stems before it, nearest first
    near: int = 0  # how many of them stand nearer to it than to another quantity
    after: tuple[str, ...] = ()
