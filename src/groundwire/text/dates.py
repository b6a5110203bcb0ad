"""Dates, partial dates and clock times."""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from groundwire.text.lexicon import load_map, load_words


class Date(NamedTuple):
    """A calendar date as far as it is written; None where it is not."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    quarter: int | None = None
    decade: int | None = None


class Moment(NamedTuple):
    """A date or clock time found in a text."""

    start: int
    end: int
    readings: tuple[Date, ...]  # more than one where the order of day and month is open
    minutes: int | None = None  # clock time since midnight
    zone: str = ""


_ORDINAL_QUARTERS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "final": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}


def _one_of(names: Iterable[str]) -> str:
    ordered = sorted(names, key=len, reverse=True)
    return "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in ordered)


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    months, days = _one_of(load_map("months")), _one_of(load_map("weekdays"))
    zones = _one_of(zone.upper() for zone in load_words("timezones"))
    day = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.|er)?"
    year = r"(?P<year>\d{4})"
    month = rf"(?P<month>{months})\.?"
    half = r"(?P<half>[ap]\.?m\.?)"
    sources = {
        "cjk": r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})日)?|(?P<only>\d{4})年",
        "iso": r"(?<![\d./-])(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?![\d/-])",
        "short": r"(?<![\d./-])(?P<a>\d{1,2})(?P<sep>[./-])(?P<b>\d{1,2})(?P=sep)(?P<year>\d{4}|\d{2})(?![\d/-])",
        "day_month": rf"(?<![\w.]){day}\s+(?:(?:of|de|the)\s+)?{month}(?:,?\s+(?:(?:of|de|del)\s+)?{year})?(?!\w)",
        "month_day": rf"(?<!\w){month}\s+(?:the\s+)?{day}(?![\w.]*\d)(?:,?\s+{year})?(?!\w)",
        "month_year": rf"(?<!\w){month},?\s+(?:of\s+|de\s+)?{year}(?!\w)",
        "quarter": (
            rf"(?<!\w)(?:Q(?P<q>[1-4])|(?P<word>{_one_of(_ORDINAL_QUARTERS)})\s+(?:fiscal\s+|financial\s+)?quarter)"
            r"(?:\s+(?:of\s+)?(?:fiscal\s+|FY\s?)?(?P<year>\d{4}))?(?!\w)"
        ),
        "clock": (
            rf"(?<![\d:.,])(?P<h>\d{{1,2}})[:.](?P<m>\d{{2}})(?::\d{{2}})?\s?{half}?(?:\s?(?P<uhr>Uhr|h))?"
            rf"(?:\s(?P<zone>{zones}))?(?![\w:]|[.,]\d)"
        ),
        "hour": (
            rf"(?<![\d:.,$€£-])(?P<h>\d{{1,2}})\s?(?:{half}(?!\w)|(?P<uhr>Uhr|o'clock|o’clock)(?!\w))"
            rf"(?:\s(?P<zone>{zones})(?!\w))?"
        ),
        "noon": r"(?<!\w)(?P<noon>noon|midday|midnight)(?!\w)",
        "decade": r"(?<![\w])(?:(?P<year>(?:1[0-9]|20)\d0)|['’](?P<short>\d0))s(?!\w)",
        "weekday": rf"(?<!\w)(?P<weekday>{days})s?(?!\w)",
        "month": rf"(?<!\w){month}(?!\w)",
    }
    return [(name, re.compile(source, re.IGNORECASE)) for name, source in sources.items()]


_LONGEST = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAY_SIDE = re.compile(r"^(?:\.|,|\s\d|\s?[-–|]|\s?$|\sa)")
# They begin with the digits, and look back afterwards: so they are sought twice as fast.
_YEAR = re.compile(r"(1[0-9]\d\d|20\d\d)(?<![\w.,$€£#-]\d{4})(?![\w,.]?\d|\s?%|['’]|\w)")
_YEARS = re.compile(
    r"(1[5-9]\d\d|20\d\d)(?<![\w.,$€£#/-]\d{4})\s?[-–—/]\s?(1[5-9]\d\d|20\d\d|\d\d)(?![\w,.]?\d|\s?%|[-/]\d|\w)"
)


@cache
def _lead(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:\b(?:{_one_of(load_words(name))})\s+|[(–-]\s?)$", re.IGNORECASE)


@cache
def _year_follow() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:$|[.,;:)!?]|(?:{_one_of(load_words('year_follows'))})\b)", re.IGNORECASE)


_DETERMINER = re.compile(r"\b(?:the|its|a|this|that|their|his|her|our|your)\s+$", re.IGNORECASE)


def find_moments(text: str, lowers: frozenset[str]) -> list[Moment]:
    """List dates and clock times in order; spans never overlap. `lowers` are the words of the text."""
    taken: list[Moment] = []
    named = not _names().isdisjoint(lowers)
    if not named and not (_WRITTEN.search(text) and _WRITTEN_OUT.search(text)):
        return _with_years(text, taken)
    for name, pattern in _patterns():
        if name in _BY_NAME and not named:
            continue
        for match in pattern.finditer(text):
            if any(match.start() < other.end and other.start < match.end() for other in taken):
                continue
            moment = _read(name, match, text)
            if moment is not None:
                taken.append(moment)
                if name == "day_month":
                    taken.extend(_first_of_range(text, moment))
    return _with_years(text, taken)


def _with_years(text: str, taken: list[Moment]) -> list[Moment]:
    for match in _YEARS.finditer(text):
        if not any(match.start() < other.end and other.start < match.end() for other in taken):
            for group in (1, 2):
                year = int(match.group(group))
                year += int(match.group(1)) // 100 * 100 if year < 100 else 0
                taken.append(Moment(match.start(group), match.end(group), (Date(year=year),)))
    for match in _YEAR.finditer(text):
        if any(match.start() < other.end and other.start < match.end() for other in taken):
            continue
        if _is_year(text, match):
            taken.append(Moment(match.start(), match.end(), (Date(year=int(match.group())),)))
    taken.sort()
    return taken


_RANGE_START = re.compile(r"(?<![\w.,])(\d{1,2})(?:st|nd|rd|th)?\s?(?:-|–|to|and|or|until)\s?$", re.IGNORECASE)


def _first_of_range(text: str, moment: Moment) -> list[Moment]:
    # "2 to 7 November": the month belongs to both days.
    match = _RANGE_START.search(text, max(0, moment.start - 12), moment.start)
    if match is None or not 1 <= int(match.group(1)) <= 31:
        return []
    dates = tuple(date._replace(day=int(match.group(1))) for date in moment.readings)
    return [Moment(match.start(1), match.end(1), dates)]


_BY_NAME = ("day_month", "month_day", "month_year", "weekday", "month")
# What a date or time without a month or weekday name looks like.
_WRITTEN = re.compile(r"\d(?:[-/.:年月]\d?|0s|\s?(?:[apAP]\.?[mM]|[Uu]hr|o['’]))|[Qq][1-4]")
# A number before the stop that ends a sentence is none of these.
_WRITTEN_OUT = re.compile(r"\d(?:[-/.:]\d|[年月]|(?i:0s|\s?(?:[ap]\.?m|uhr|o['’])))|(?i:q)[1-4]")


@cache
def _names() -> frozenset[str]:
    days = set(load_map("weekdays"))
    named = set(load_map("months")) | days | {day + "s" for day in days}
    return frozenset(named | {"quarter", "noon", "midday", "midnight"})


def _is_year(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 24) : match.start()]
    after = text[match.end() : match.end() + 16]
    if _lead("year_leads").search(before):
        # "of 1500 units" counts, "of 1500" and "in 1500" do not.
        return bool(_year_follow().match(after)) or not re.search(r"\bof\s+$", before, re.IGNORECASE)
    if _DETERMINER.search(before):
        return re.match(r"\s+[a-z]", after) is not None and re.match(r"\s+\w+s\b", after) is None
    return False


def _read(name: str, match: re.Match[str], text: str) -> Moment | None:
    start, end = match.span()
    groups = match.groupdict()
    if name in ("clock", "hour", "noon"):
        return _read_clock(match, groups)
    if name == "quarter":
        number = int(groups["q"]) if groups["q"] else _ORDINAL_QUARTERS[groups["word"].lower()]
        return Moment(start, end, (Date(year=_int(groups["year"]), quarter=number),))
    if name == "decade":
        decade = int(groups["year"]) if groups["year"] else 1900 + int(groups["short"])
        return Moment(start, end, (Date(decade=decade),))
    if name == "weekday":
        word = groups["weekday"]
        if len(word) <= 5 and (
            not word[:1].isupper() or (word in ("Sat", "Sun") and not _DAY_SIDE.search(text[end : end + 3]))
        ):
            return None
        return Moment(start, end, (Date(weekday=int(load_map("weekdays")[word.lower()])),))
    if name == "month":
        return _read_month(match, groups, text)
    if name == "short":
        return _read_short(start, end, groups)
    if name == "cjk" and groups.get("only"):
        return Moment(start, end, (Date(year=int(groups["only"])),))
    month = int(groups["month"]) if groups["month"].isdigit() else int(load_map("months")[groups["month"].lower()])
    day = _int(groups.get("day"))
    if name in ("day_month", "month_day") and groups["month"].lower() == "may" and groups["month"][0].islower():
        return None
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= _LONGEST[month]):
        return None
    return Moment(start, end, (Date(_int(groups.get("year")), month, day),))


def _read_month(match: re.Match[str], groups: dict[str, str], text: str) -> Moment | None:
    word = groups["month"]
    if not word[:1].isupper() and word.isascii():
        return None
    if word.lower() in load_words("ambiguous_months") and not _lead("month_leads").search(
        text[max(0, match.start() - 12) : match.start()]
    ):
        return None
    return Moment(match.start(), match.end(), (Date(month=int(load_map("months")[word.lower()])),))


def _read_short(start: int, end: int, groups: dict[str, str]) -> Moment | None:
    first, second, year = int(groups["a"]), int(groups["b"]), int(groups["year"])
    if len(groups["year"]) == 2:
        if groups["sep"] == "." or groups["sep"] == "-":
            return None  # a version or a part number
        year += 2000 if year < 70 else 1900
    readings = []
    if 1 <= second <= 12 and 1 <= first <= 31:
        readings.append(Date(year, second, first))
    if 1 <= first <= 12 and 1 <= second <= 31 and first != second and groups["sep"] != ".":
        readings.append(Date(year, first, second))
    return Moment(start, end, tuple(readings)) if readings else None


def _read_clock(match: re.Match[str], groups: dict[str, str]) -> Moment | None:
    if groups.get("noon"):
        minutes = 0 if groups["noon"].lower() == "midnight" else 720
        return Moment(match.start(), match.end(), (), minutes)
    hour, minute = int(groups["h"]), int(groups.get("m") or 0)
    half = (groups.get("half") or "").lower().replace(".", "")
    if "." in match.group().split()[0] and groups.get("m") and not (half or groups.get("uhr")):
        return None  # 3.14 is a decimal
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "pm" else 0)
    if not (0 <= hour <= 24 and 0 <= minute < 60):
        return None
    return Moment(match.start(), match.end(), (), hour * 60 + minute, (groups.get("zone") or "").lower())


def _int(text: str | None) -> int | None:
    return None if text is None else int(text)
