"""Typed quantities: value, unit, currency, bound, and what they measure."""

import re
from collections.abc import Sequence
from functools import cache

from groundwire.text.bounds import Bound, bound_after, bound_before, side_before
from groundwire.text.dates import Moment, find_moments
from groundwire.text.lexicon import load_map, load_rows
from groundwire.text.numerals import Numeral, find_numerals
from groundwire.text.quantity import Kind, Quantity
from groundwire.text.slots import with_slots
from groundwire.text.tokens import Word

_DIGIT = re.compile(r"\d")
# Cheap tests first: the full patterns below are tried only where they can match.
# They begin with a set of rare characters, which is sought many times as fast as a choice or a look back.
_MAYBE_IDENTIFIER = re.compile(
    r"[\d.@:](?:(?<=[A-Za-z]\d)|(?<=[A-Za-z]-\d)|(?<=\d)[A-Za-z]{1,2}\d|(?<=\.)\d+\.\d|(?<=@)|(?<=:)//)"
)
_MAYBE_PHONE = re.compile(r"\d\)?[ /-]\(?\d{2}")
_IDENTIFIER = re.compile(
    r"https?://[^\s<>\"')\]]+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,32})+"
    r"|\b[vV]\d+(?:\.\d+)*[a-zA-Z0-9-]*|(?<![\w.,])\d+(?:\.\d+){2,}(?:-[\w.]+)?(?!\w)"
    r"|(?<![\w-])[a-zA-Z]{1,10}-?\d[a-zA-Z0-9-]*(?:\.\d+)*|(?<![\w.,-])\d+[a-zA-Z]{1,2}\d[a-zA-Z0-9-]*"
)
_PHONE = re.compile(r"(?<![\w.,])\+?\(?\d{1,4}\)?(?:[ /-]\(?\d{2,8}\)?){2,5}(?![\w.]*\d)")
_VERSION_LEAD = re.compile(r"\b(?:version|versions|release|build|revision|v|rev)\.?\s*$", re.IGNORECASE)
_WEAK_LEAD = re.compile(r"\b(?:all|these|those|other|both|the|any)\s+$", re.IGNORECASE)
_SCORE = re.compile(r"(\d(?<![\w.,:/-]\d)\d{0,2})\s?[-–:]\s?(\d{1,3})(?![\w:/-]|[.,]\d|\s?%)")
_RANGE_GAP = re.compile(r"\s*(?:[-–—]|(?:to|bis|through|until|till|à|hasta|up to)\b)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre)\s+(?:[$€£¥]\s?)?$", re.IGNORECASE)
_AND_GAP = re.compile(r"\s*(?:\S{0,12}\s)?(?:and|und|et|y)\s+(?:[$€£¥]\s?)?", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s+(?:[$€£¥]\s?)?$", re.IGNORECASE)
_PERCENT = re.compile(
    r"\s?(?:%|％|per\s?cent\b|percent\b|pct\b|Prozent\b|pour cent\b|por ciento\b)(\s?-?\s?points?\b)?", re.IGNORECASE
)
_POINTS = re.compile(r"\s?(?:percentage[- ]points?|pp)\b", re.IGNORECASE)
_BASIS = re.compile(r"\s?(?:basis points?|bps)\b", re.IGNORECASE)
_PER = re.compile(
    r"\s?(?:/|(?:per|a|an|each|every|pro|par|por|je)\s+)(?:user/|seat/|person/)?(hour|night|day|week|month|quarter|year|annum|user|seat|person|gb|tb|request|call|item|unit|minute|second|mo|yr|head|kg|km|litre|liter)\b",
    re.IGNORECASE,
)
_PERIOD_NAMES = {"mo": "month", "yr": "year", "annum": "year"}
_COUNTED = re.compile(r"(?:\s[^\W\d_]{1,20}){1,2}(?=\s(?:per|a|an|each|every)\s|/)")
_MONEY_LEAD = re.compile(r"(?:(?:US|A|C|NZ|HK|S|R)?\$|[€£¥￥₹₽₩₺₪₴₦₫฿₿]|\b[A-Z]{3})\s?$")
_UNIT_WORD = re.compile(r"[\s\u00a0-]?((?:[^\W\d_]|[°℃℉µμ²³/])+(?:\d(?!\d))?)")
_NEXT_LETTERS = re.compile(r"[\s\u00a0-]?([^\W\d_]+\.?)")


def find_quantities(text: str, words: Sequence[Word]) -> list[Quantity]:
    """List the typed quantities of a sentence in order."""
    lowers = frozenset(word.lower for word in words)
    spelled = not _number_words().isdisjoint(lowers)
    if not spelled and not _DIGIT.search(text):
        return []
    moments = find_moments(text, lowers)
    taken = [(moment.start, moment.end) for moment in moments]
    quantities = [_from_moment(moment, text) for moment in moments]
    for match in _IDENTIFIER.finditer(text) if _MAYBE_IDENTIFIER.search(text) else ():
        if not _overlaps(match.span(), taken) and not _scaled_number(match.group()):
            taken.append(match.span())
            quantities.append(_identifier(match.start(), match.end(), text))
    for match in _PHONE.finditer(text) if _MAYBE_PHONE.search(text) else ():
        if not _overlaps(match.span(), taken) and _looks_like_phone(match.group()):
            taken.append(match.span())
            digits = "".join(char for char in match.group() if char.isdigit())
            quantities.append(Quantity(match.start(), match.end(), match.group(), Kind.IDENTIFIER, key="tel:" + digits))
    for match in _SCORE.finditer(text):
        # "19–13" counts down: a result, not a range.
        if not _overlaps(match.span(), taken) and int(match.group(1)) > int(match.group(2)):
            taken.append(match.span())
            key = f"score:{int(match.group(1))}-{int(match.group(2))}"
            quantities.append(Quantity(match.start(), match.end(), match.group(), Kind.IDENTIFIER, key=key))
    numerals = [item for item in find_numerals(text, spelled) if not _overlaps((item.start, item.end), taken)]
    quantities.extend(_typed(numerals, text))
    quantities.sort(key=lambda item: item.start)
    quantities = _apart(quantities, text)
    return with_slots(quantities, words, text)


def _apart(quantities: Sequence[Quantity], text: str) -> list[Quantity]:
    """Give a sign that two numbers could claim ("0$ 0") to the first."""
    kept: list[Quantity] = []
    for item in quantities:
        start = max(item.start, kept[-1].end) if kept else item.start
        while start < item.end and text[start].isspace() and start > item.start:
            start += 1
        if start < item.end:
            kept.append(item if start == item.start else item._replace(start=start, text=text[start : item.end]))
    return kept


@cache
def _number_words() -> frozenset[str]:
    names = {row[0] for row in load_rows("number_words")}
    names |= set(load_map("months")) | set(load_map("weekdays")) | {"noon", "midnight", "midday"}
    names |= {name + "s" for name in load_map("weekdays")} | {"millions", "billions"}
    names |= {"星期", "曜日", "周一"}
    return frozenset(names)


def _overlaps(span: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in taken)


def _scaled_number(text: str) -> bool:
    # "10k", "5mg" and "3rd" begin with digits and are amounts, not names.
    return text[0].isdigit() and re.fullmatch(r"\d[\d.,]*[^\W\d_]+", text) is not None


def _looks_like_phone(text: str) -> bool:
    digits = sum(char.isdigit() for char in text)
    groups = re.findall(r"\d+", text)
    grouped_thousands = len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:]) and "-" not in text
    return 7 <= digits <= 15 and (text[0] in "+(" or len(groups) >= 3) and (text[0] in "+(" or not grouped_thousands)


def _from_moment(moment: Moment, text: str) -> Quantity:
    kind = Kind.DATE if moment.readings else Kind.TIME
    value = float(moment.minutes or 0)
    bound = side_before(text, moment.start)
    return Quantity(
        moment.start, moment.end, text[moment.start : moment.end], kind, value, value,
        dates=moment.readings, zone=moment.zone, bound=bound,
    )  # fmt: skip


def _identifier(start: int, end: int, text: str) -> Quantity:
    raw = text[start:end].rstrip(".-")
    key = raw.lower()
    if key[:1] == "v" and key[1:2].isdigit():
        key = "version:" + key[1:]
    elif key[0].isdigit() and key.count(".") >= 2:
        key = "version:" + key
    return Quantity(start, start + len(raw), raw, Kind.IDENTIFIER, key=key)


def _typed(numerals: Sequence[Numeral], text: str) -> list[Quantity]:
    quantities: list[Quantity] = []
    place = 0
    while place < len(numerals):
        numeral = numerals[place]
        partner = numerals[place + 1] if place + 1 < len(numerals) else None
        if partner is not None and _is_range(numeral, partner, text):
            first, second = _single(numeral, text), _single(partner, text)
            quantities.append(_joined(first, second, text))
            place += 2
            continue
        quantities.append(_single(numeral, text))
        place += 1
    return quantities


def _is_range(first: Numeral, second: Numeral, text: str) -> bool:
    if second.value < first.value or first.role != "cardinal" or second.role != "cardinal":
        return False
    if text[first.end : first.end + 2].strip()[:1] == "%" and text[second.end : second.end + 2].strip()[:1] != "%":
        return False  # "6% to $412 million" states two values
    gap = text[first.end : second.start]
    if len(gap) > 24:
        return False
    lead = text[max(0, first.start - 12) : first.start]
    if _FROM.search(lead):
        return False  # "rose from 5 to 10" states two values
    bare = _strip_unit(gap)
    if _RANGE_GAP.fullmatch(bare) or _RANGE_GAP.fullmatch(re.sub(r"[$€£¥]\s?$", "", bare)):
        return True
    return bool(_BETWEEN.search(lead) and _AND_GAP.fullmatch(gap))


def _strip_unit(gap: str) -> str:
    # "5 kg to 8 kg", "3% - 5%": the first number may carry the unit too.
    return re.sub(r"^\s?(?:%|[^\W\d_]{1,12})(?=\s?(?:[-–—]|to\s))", "", gap)


def _joined(first: Quantity, second: Quantity, text: str) -> Quantity:
    return Quantity(
        first.start, second.end, text[first.start : second.end],
        second.kind if first.kind in (Kind.COUNT, second.kind) else first.kind,
        first.low * _ratio(first, second), second.high,
        step=min(first.step, second.step), unit=second.unit or first.unit,
        qualifier=second.qualifier or first.qualifier, per=second.per or first.per, bound=Bound.EXACT,
    )  # fmt: skip


def _ratio(first: Quantity, second: Quantity) -> float:
    # In "3 to 5 km" the unit of the second number holds for both.
    if first.kind == Kind.COUNT and second.kind == Kind.MEASURE and second.unit != "temperature":
        factor = _factor_of(second)
        return factor
    return 1.0


def _factor_of(quantity: Quantity) -> float:
    match = re.search(r"[^\W\d_][^\d]*$", quantity.text)
    if match is None:
        return 1.0
    for name in (match.group().strip(), match.group().strip().split()[-1], match.group().strip().split("-")[-1]):
        entry = _units().get(name.lower())
        if entry is not None:
            return entry[1]
    return 1.0


def _single(numeral: Numeral, text: str) -> Quantity:
    """Type one number by its role, its surroundings and the unit that follows."""
    start, end, value = numeral.start, numeral.end, numeral.value
    if numeral.role == "ordinal":
        return Quantity(start, end, text[start:end], Kind.ORDINAL, value, value, weak=True)
    if numeral.role == "multiple":
        return Quantity(start, end, text[start:end], Kind.COUNT, value, value, weak=True)
    bound = bound_before(text, start)
    if numeral.role == "fraction":
        return Quantity(start, end, text[start:end], Kind.PERCENT, value * 100, value * 100, bound=bound, weak=True)
    if numeral.role == "times":
        return Quantity(start, end, text[start:end], Kind.COUNT, value, value, after=("tim",), bound=bound)
    if numeral.digits and _VERSION_LEAD.search(text[max(0, start - 12) : start]):
        return Quantity(start, end, text[start:end], Kind.IDENTIFIER, key="version:" + text[start:end])
    kind, unit, qualifier, factor, offset, start, end = _measured(text, start, end)
    period, end = _period(text, end, kind)
    return Quantity(
        start, end, text[start:end], kind,
        low=value * factor + offset,
        high=value * factor + offset,
        other=None if numeral.other is None else numeral.other * factor + offset,
        step=numeral.step * factor,
        unit=unit,
        qualifier=qualifier,
        per=period,
        bound=bound if bound is not Bound.EXACT else bound_after(text, end),
        raw=value,
        weak=numeral.text.lower() == "one" or _WEAK_LEAD.search(text[max(0, start - 8) : start]) is not None,
    )  # fmt: skip


def _measured(text: str, start: int, end: int) -> tuple[Kind, str, str, float, float, int, int]:
    """Read what a number is a number of: kind, unit, qualifier, factor, offset, and the widened place."""
    basis = _BASIS.match(text, end)
    if basis:
        return Kind.POINTS, "", "", 0.01, 0.0, start, basis.end()
    points = _POINTS.match(text, end)
    if points:
        return Kind.POINTS, "", "", 1.0, 0.0, start, points.end()
    percent = _PERCENT.match(text, end)
    if percent:
        return (Kind.POINTS if percent.group(1) else Kind.PERCENT), "", "", 1.0, 0.0, start, percent.end()
    money = _money(text, start, end)
    if money is not None:
        return Kind.MONEY, money[0], "", 1.0, 0.0, money[1], money[2]
    unit = _unit(text, end)
    if unit is not None:
        dimension, factor, offset = _units()[unit[0]]
        return Kind.MEASURE, dimension, unit[1], factor, offset, start, unit[2]
    return Kind.COUNT, "", "", 1.0, 0.0, start, end


def _period(text: str, end: int, kind: Kind) -> tuple[str, int]:
    """Read "per month" after an amount."""
    if kind == Kind.POINTS:
        return "", end
    per = _PER.match(text, end)
    if per is None and kind == Kind.COUNT:
        # "500 requests per minute": what is counted stands in between.
        counted = _COUNTED.match(text, end)
        per = _PER.match(text, counted.end()) if counted else None
        return (_PERIOD_NAMES.get(per.group(1).lower(), per.group(1).lower()) if per else ""), end
    if per is not None:
        period = _PERIOD_NAMES.get(per.group(1).lower(), per.group(1).lower())
        spelled = per.group().lstrip().lower()
        return period, per.end() if kind == Kind.MONEY or spelled.startswith(("/", "per")) else end
    following = _NEXT_LETTERS.match(text, end) if kind == Kind.MONEY else None
    return (load_map("periods").get(following.group(1).lower(), "") if following else ""), end


def _money(text: str, start: int, end: int) -> tuple[str, int, int] | None:
    codes = load_map("currencies")
    lead = _MONEY_LEAD.search(text, max(0, start - 5), start)
    if lead is not None and lead.group().strip().lower() in codes:
        return codes[lead.group().strip().lower()], lead.start(), end
    sign = text[end : end + 2].strip()[:1]
    if sign and not sign.isalnum() and sign in codes and not text[end : end + 3].strip()[1:2].isdigit():
        return codes[sign], start, text.index(sign, end) + 1
    word = _NEXT_LETTERS.match(text, end)
    if word is not None and word.group(1).lower().rstrip(".") in codes:
        name = word.group(1).rstrip(".")
        if name.lower() in ("pound", "pounds") and _WEIGHING.search(text[max(0, start - 40) : start]):
            return None
        # "won" is a verb as often as a currency.
        if name.lower() in ("won", "try", "real") or (
            len(name) == 3 and name.lower() in codes and name.islower() and name not in ("yen",)
        ):
            return None
        return codes[name.lower()], start, end + len(word.group().rstrip("."))
    return None


_WEIGHING = re.compile(r"\b(?:weigh|heav|weight|load|lose|lost|gain|luggage|bag)", re.IGNORECASE)


@cache
def _units() -> dict[str, tuple[str, float, float]]:
    return {row[0]: (row[1], float(row[2]), float(row[3])) for row in load_rows("units")}


@cache
def _qualifiers() -> dict[str, str]:
    return {row[0]: row[1] if len(row) > 1 else "" for row in load_rows("unit_qualifiers")}


def _unit(text: str, end: int) -> tuple[str, str, int] | None:
    first = _UNIT_WORD.match(text, end)
    if first is None:
        return None
    second = _UNIT_WORD.match(text, first.end())
    one = first.group(1).lower().rstrip("/")
    two = second.group(1).lower() if second else ""
    third = _UNIT_WORD.match(text, second.end()) if second else None
    if third is not None and f"{one}_{two}_{third.group(1).lower()}" in _units():
        return f"{one}_{two}_{third.group(1).lower()}", "", third.end()
    if f"{one}_{two}" in _units() and second is not None:
        return f"{one}_{two}", "", second.end()
    if one in _units() and _plausible_unit(first.group(1), first.group()):
        return one, "", first.start(1) + len(one)
    if one in _qualifiers() and two in _units() and second is not None:
        return two, _qualifiers()[one], second.end()
    return None


def _plausible_unit(written: str, with_gap: str) -> bool:
    if len(written) > 2 or not written.isalpha():
        return True
    # "5 A" or "3 B" is rarely a unit, "5 m" and "3 GB" are.
    return written in ("m", "g", "l", "s", "h", "t", "V", "W", "N", "J", "v", "w", "n", "L") or len(written) == 2


_UNIT_IN_NAME = re.compile(r"[%$€£¥]|[^\W\d_]+(?:/[^\W\d_]+)?|°[CF]")


def with_unit(quantity: Quantity, name: str) -> Quantity:
    """Give a bare number the unit or currency that its column's name carries."""
    if quantity.kind != Kind.COUNT:
        return quantity
    for unit in reversed(_UNIT_IN_NAME.findall(name)):
        if unit.lower() in ("year", "month", "week", "day", "hour", "second"):
            continue  # "Year" names the cells, it is not their unit
        known = unit in "%$€£¥" or unit.lower() in _units() or unit.lower() in load_map("currencies")
        if known and (len(unit) > 1 or not unit.isalpha()):
            written = f"{unit}{quantity.text}" if unit in "$€£¥" else f"{quantity.text} {unit}"
            typed = [item for item in find_quantities(written, ()) if item.kind != Kind.COUNT]
            if len(typed) == 1:
                return typed[0]._replace(
                    start=quantity.start, end=quantity.end, text=quantity.text,
                    before=quantity.before, near=quantity.near, after=quantity.after,
                )  # fmt: skip
    return quantity
