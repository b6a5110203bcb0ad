"""Numerals in digits and in words, with their values."""

import re
from functools import cache
from typing import NamedTuple

from groundwire.text.lexicon import load_rows

# Longer digit strings are identifiers, not amounts.
_MAX_DIGITS = 30


class Numeral(NamedTuple):
    """One written number: value, alternative reading, and how it was written."""

    start: int
    end: int
    value: float
    other: float | None
    text: str
    digits: bool
    role: str  # cardinal, ordinal, fraction, times, multiple
    step: float  # the size of its last written place, for rounding


_DIGITS = re.compile(
    # Unspaced scripts put no gap between a word and a number, so only Latin letters bind.
    r"(?<![0-9A-Za-z_À-ɏ.,])[-−]?(?<![\d.,])"
    r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?"  # 12,400.50
    r"|\d{1,3}(?:\.\d{3})+(?:,\d+)?(?![\d.])"  # 12.400,50
    r"|\d{1,3}(?:[\u00a0\u2009\u202f ]\d{3})+(?![\d])(?:[.,]\d+)?"  # 12 400
    r"|\d{1,3}(?:['’]\d{3})+(?:\.\d+)?"  # 12'400
    r"|\d+(?:[.,]\d+)?)"
    r"(st|nd|rd|th)?(?![.,]?\d)"
)
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?")
_MINUS_WORD = re.compile(r"(?:minus|negative)\s+$", re.IGNORECASE)


def find_numerals(text: str, spelled: bool = True) -> list[Numeral]:
    """List digit and word numerals in order; scale words are multiplied in."""
    found = _digit_numerals(text)
    if spelled:
        found += _word_numerals(text)
    found.sort()
    return found


def _digit_numerals(text: str) -> list[Numeral]:
    numerals: list[Numeral] = []
    for match in _DIGITS.finditer(text):
        raw = match.group(1)
        if len(raw) > _MAX_DIGITS:
            continue
        value, other, step = _read_digits(raw)
        start = match.start()
        if match.group().startswith(("-", "−")):
            if start and not text[start - 1].isspace() and text[start - 1] not in "($€£":
                start += 1
            else:
                value, other = -value, None if other is None else -other
        minus = _MINUS_WORD.search(text, max(0, start - 12), start) if text[start - 2 : start - 1] in "seSE" else None
        if minus:
            value, other, start = -value, None if other is None else -other, minus.start()
        role = "ordinal" if match.group(2) else "cardinal"
        end, scale = _scale_after(text, match.end(), text[max(0, start - 2) : start])
        numerals.append(
            Numeral(
                start, end, value * scale, None if other is None else other * scale, text[start:end], True, role,
                step * scale,
            )
        )  # fmt: skip
    return numerals


def _read_digits(raw: str) -> tuple[float, float | None, float]:
    if raw.isdigit():
        return float(raw), None, _step_of(raw)
    plain = re.sub(r"[\u00a0\u2009\u202f '’]", "", raw)
    dots, commas = plain.count("."), plain.count(",")
    if commas and dots:
        decimal = max(plain.rfind("."), plain.rfind(","))
        whole = re.sub(r"[.,]", "", plain[:decimal])
        return float(f"{whole}.{plain[decimal + 1 :]}"), None, 10.0 ** -(len(plain) - decimal - 1)
    if commas:
        tail = plain.rsplit(",", 1)[1]
        if commas == 1 and len(tail) != 3:
            return float(plain.replace(",", ".")), None, 10.0 ** -len(tail)
        return float(plain.replace(",", "")), None, _step_of(plain.replace(",", ""))
    if dots:
        tail = plain.rsplit(".", 1)[1]
        grouped = float(plain.replace(".", ""))
        if dots > 1:
            return grouped, None, 1.0
        # "1.500" is 1.5 in English and 1500 elsewhere: keep both readings.
        other = grouped if len(tail) == 3 and not plain.startswith("0") else None
        return float(plain), other, 10.0 ** -len(tail)
    return float(plain), None, _step_of(plain)


def _step_of(whole: str) -> float:
    zeros = len(whole) - len(whole.rstrip("0"))
    return 10.0**zeros if zeros < len(whole) else 1.0


_SCALE = re.compile(
    r"\s?(?:(k|K|M|MM|bn|Bn|BN|B|tn|mn|m)(?![\w/²³])"
    r"|(hundred|thousand|million|millions|billion|billions|trillion|trillions|dozen|lakh|crore"
    r"|Millionen|Million|Milliarden|Milliarde|millions|milliards|millones)\b|(mio|mrd)\b\.?)",
    re.IGNORECASE,
)
_CJK_SCALE = {"万": 1e4, "億": 1e8, "亿": 1e8, "千": 1e3, "百": 1e2}
_SUFFIXES = {"k": 1e3, "mm": 1e6, "bn": 1e9, "b": 1e9, "tn": 1e12, "mn": 1e6, "m": 1e6}
_SIGNS = "$€£¥₹₩₽"


def _scale_after(text: str, end: int, before: str) -> tuple[int, float]:
    if end < len(text) and text[end] in _CJK_SCALE:
        return end + 1, _CJK_SCALE[text[end]]
    match = _SCALE.match(text, end)
    if match is None:
        return end, 1.0
    suffix, word = match.group(1), match.group(2) or match.group(3)
    if word:
        return match.end(), _words()[1].get(word.lower().rstrip("."), 1.0)
    money = bool(before.strip()) and before.strip()[-1] in _SIGNS
    adjacent = match.start() == match.end() - len(suffix)
    lower = suffix.lower()
    if lower in ("m", "mm", "b") and not money and not (adjacent and suffix in ("M", "MM", "B")):
        return end, 1.0  # metres, millimetres, bytes
    if lower == "k" and not adjacent:
        return end, 1.0
    return match.end(), _SUFFIXES[lower]


@cache
def _words() -> tuple[dict[str, float], dict[str, float], dict[str, tuple[float, str]]]:
    units: dict[str, float] = {}
    scales: dict[str, float] = {"millions": 1e6, "billions": 1e9, "trillions": 1e12}
    roles: dict[str, tuple[float, str]] = {}
    for word, value, role in load_rows("number_words"):
        if role in ("unit", "ten"):
            units[word] = float(value)
        elif role in ("scale", "group"):
            scales[word] = float(value)
        else:
            roles.setdefault(word, (float(value), role))
    scales.update({"milliarde": 1e9, "million": 1e6})
    return units, scales, roles


_MAYBE_NUMBER = re.compile(r"[^\W\d_]+")


def _word_numerals(text: str) -> list[Numeral]:
    units, scales, roles = _words()
    tokens = [(m.group().lower(), m.start(), m.end()) for m in _MAYBE_NUMBER.finditer(text)]
    numerals: list[Numeral] = []
    place = 0
    while place < len(tokens):
        word, start, _ = tokens[place]
        if word in units or (word in scales and _article_before(tokens, place)):
            used, value, end = _read_words(text, tokens, place)
            role = "cardinal"
            if place + used < len(tokens) and _adjacent(text, end, tokens[place + used][1]):
                follower = roles.get(tokens[place + used][0])
                if follower and follower[1] == "fraction" and tokens[place + used][0] != "quarter":
                    value, role, end = value * follower[0], "fraction", tokens[place + used][2]
                    used += 1
                elif follower and follower[1] == "ordinal" and value >= 20:
                    value, role, end = value + follower[0], "ordinal", tokens[place + used][2]
                    used += 1
            if not (word == "one" and used == 1 and _is_pronoun_one(tokens, place)):
                numerals.append(Numeral(start, end, value, None, text[start:end], False, role, 1.0))
            place += max(used, 1)
            continue
        if word in roles:
            value, role = roles[word]
            end = tokens[place][2]
            if role == "fraction" and word in ("third", "quarter"):
                role = "fraction" if _article_before(tokens, place) and _of_follows(tokens, place) else "ordinal"
                if word == "quarter" and role == "ordinal":
                    place += 1
                    continue
                value = 3.0 if role == "ordinal" else value
            if word == "half":
                scale = _half_of_scale(tokens, place, scales)
                if scale:
                    numerals.append(
                        Numeral(start, tokens[place + 2][2], 0.5 * scale, None, text[start : tokens[place + 2][2]],
                                False, "cardinal", scale / 10)
                    )  # fmt: skip
                    place += 3
                    continue
            if word == "once" and not _counts_once(text, tokens, place):
                place += 1
                continue
            if role in ("times", "ordinal", "fraction", "multiple"):
                numerals.append(Numeral(start, end, value, None, text[start:end], False, role, 1.0))
        place += 1
    return numerals


def _read_words(text: str, tokens: list[tuple[str, int, int]], place: int) -> tuple[int, float, int]:
    units, scales, _ = _words()
    total, current, used, end = 0.0, 0.0, 0, tokens[place][2]
    last_scale = False
    while place + used < len(tokens):
        word, start, stop = tokens[place + used]
        if used and not _adjacent(text, end, start):
            break
        if word in units:
            value = units[word]
            # "twenty five" adds up, "six seven" and "one 500" do not.
            if used and not last_scale and not (current % 100 >= 20 and current % 10 == 0 and value < 10):
                break
            current, last_scale = current + value, False
        elif word in scales:
            scale = scales[word]
            current = (current or 1.0) * scale
            if scale >= 1000:
                total, current = total + current, 0.0
            last_scale = True
        elif word == "and" and last_scale and place + used + 1 < len(tokens) and tokens[place + used + 1][0] in units:
            used += 1
            end = stop
            continue
        elif word == "and" and _and_a_half(tokens, place + used):
            current, used, end = current + 0.5, used + 3, tokens[place + used + 2][2]
            last_scale = False
            continue
        else:
            break
        used, end = used + 1, stop
    return used, total + current, end


def _and_a_half(tokens: list[tuple[str, int, int]], place: int) -> bool:
    return [token[0] for token in tokens[place : place + 3]] == ["and", "a", "half"]


def _half_of_scale(tokens: list[tuple[str, int, int]], place: int, scales: dict[str, float]) -> float | None:
    following = [token[0] for token in tokens[place + 1 : place + 3]]
    if len(following) == 2 and following[0] == "a" and following[1] in scales:
        return scales[following[1]]
    return None


def _article_before(tokens: list[tuple[str, int, int]], place: int) -> bool:
    return place > 0 and tokens[place - 1][0] in ("a", "an", "one", "per")


def _of_follows(tokens: list[tuple[str, int, int]], place: int) -> bool:
    return place + 1 < len(tokens) and tokens[place + 1][0] == "of"


def _is_pronoun_one(tokens: list[tuple[str, int, int]], place: int) -> bool:
    before = tokens[place - 1][0] if place else ""
    after = tokens[place + 1][0] if place + 1 < len(tokens) else ""
    return after in ("another", "", "of") or before in (
        "no", "this", "that", "which", "each", "every", "another", "any", "the", "some",
    )  # fmt: skip


_ONCE_FOLLOW = re.compile(
    r"\s+(?:a|an|per|every|each|only|daily|weekly|monthly|yearly|or)\b|\s*(?:[.,;!?]|$)", re.IGNORECASE
)


def _counts_once(text: str, tokens: list[tuple[str, int, int]], place: int) -> bool:
    # "once a day" counts, "once it has stopped" does not.
    return _ONCE_FOLLOW.match(text, tokens[place][2]) is not None


def _adjacent(text: str, end: int, start: int) -> bool:
    gap = text[end:start]
    return len(gap) <= 2 and gap.strip(" -\u00a0\u2011") == ""
