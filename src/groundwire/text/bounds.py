"""Bounds and approximations around a number."""

import re
from enum import StrEnum
from functools import cache

from groundwire.text.lexicon import load_map, load_rows


class Bound(StrEnum):
    """Whether a number is exact, a limit or an approximation."""

    EXACT = "exact"
    APPROX = "approx"
    OVER = "over"
    MIN = "min"
    UNDER = "under"
    MAX = "max"
    FROM = "from"


@cache
def _bounds() -> tuple[re.Pattern[str], re.Pattern[str], dict[str, Bound], dict[str, Bound]]:
    before = {row[0]: Bound(row[1]) for row in load_rows("bounds")}
    after = {row[0]: Bound(row[1]) for row in load_rows("bounds_after")}

    def joined(names: dict[str, Bound]) -> str:
        return "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in sorted(names, key=len, reverse=True))

    lead = re.compile(
        rf"(?<!\w)({joined(before)})\s*(?:the\s+|a\s+|an\s+|only\s+)?(?:[$€£¥₹]|US\$|[A-Z]{{3}}\s)?\s?$", re.IGNORECASE
    )
    tail = re.compile(rf"\s*(?:[^\W\d_]+\s+)?({joined(after)})(?!\w)", re.IGNORECASE)
    return lead, tail, before, after


# "You may not take more than 600 mg": the denial of a bound is the bound from the other side.
_DENIED = {Bound.OVER: Bound.MAX, Bound.UNDER: Bound.MIN}
_DENIAL = re.compile(r"(?:\b(?:not|never|cannot)|n['’]t)\s+(?:[^\W\d_]{1,20}\s+){0,3}$", re.IGNORECASE)

# What may stand between a bound and its number.
_BETWEEN = " $€£¥₹\u00a0"
_SIGNS = ("", "~", "≈", ">", "<", "=", "≥", "≤")


@cache
def _last_words() -> frozenset[str]:
    words = {row[0].split()[-1] for row in load_rows("bounds")}
    return frozenset(words | {"the", "a", "an", "only", "us"} | {code.lower() for code in load_map("currencies")})


def bound_before(text: str, start: int) -> Bound:
    """Read the bound that stands before a number."""
    last = text[max(0, start - 28) : start].rstrip(_BETWEEN).rpartition(" ")[2].lower()
    if last not in _last_words() and last[-1:] not in _SIGNS:
        return Bound.EXACT  # the usual case, told without the pattern
    lead, _, names, _ = _bounds()
    match = lead.search(text, max(0, start - 28), start)
    if match is None:
        return Bound.EXACT
    found = names[re.sub(r"\s+", " ", match.group(1).lower())]
    if found in _DENIED and _DENIAL.search(text, max(0, match.start() - 48), match.start()):
        return _DENIED[found]
    return found


@cache
def _temporal() -> tuple[re.Pattern[str], dict[str, Bound]]:
    sides = {row[0]: Bound(row[1]) for row in load_rows("temporal_bounds")}
    names = "|".join(name.replace(" ", r"\s+") for name in sorted(sides, key=len, reverse=True))
    return re.compile(rf"\b({names})\s+(?:the\s+|on\s+|at\s+)?$", re.IGNORECASE), sides


def side_before(text: str, start: int) -> Bound:
    """Read whether a date or time opens (over) or closes (under) a stretch."""
    pattern, sides = _temporal()
    match = pattern.search(text, max(0, start - 24), start)
    return sides[re.sub(r"\s+", " ", match.group(1).lower())] if match else Bound.EXACT


def bound_after(text: str, end: int) -> Bound:
    """Read the bound that stands after a number."""
    _, tail, _, names = _bounds()
    if text[end : end + 1] == "+":
        return Bound.MIN
    match = tail.match(text, end)
    if match is None:
        return Bound.EXACT
    return names[re.sub(r"\s+", " ", match.group(1).lower())]
