"""The slot of a quantity: the words around it that say what it measures."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache

from groundwire.text.bounds import Bound
from groundwire.text.lexicon import load_rows
from groundwire.text.quantity import Kind, Quantity
from groundwire.text.tokens import Word, stem

_SLOT_WORDS = 8
_SLOT_AFTER = 3
_BOUNDED = (Kind.MEASURE, Kind.MONEY, Kind.COUNT, Kind.PERCENT)
_SLOT_STOP = re.compile(r"[;:!?()\[\]|—]|,\s|\.\s")


def with_slots(quantities: Sequence[Quantity], words: Sequence[Word], text: str) -> list[Quantity]:
    """Attach to each quantity the words that say what it measures."""
    starts = [word.start for word in words]
    filled: list[Quantity] = []
    left = 0
    for place, quantity in enumerate(quantities):
        right = quantities[place + 1].start if place + 1 < len(quantities) else len(text)
        first = bisect_left(starts, quantity.start)
        before, near = _before(quantity, words[:first], left, text)
        after = _after(quantity, words[bisect_left(starts, quantity.end) :], right, text)
        # "Maximum size: 200 MB": with nothing on this side of the colon, what stands before it is meant.
        bound = _limit(quantity, before[:near] or before)
        filled.append(quantity._replace(before=before, near=near, after=after, bound=bound))
        # A weekday or year before a number labels it; another amount begins a slot of its own.
        if quantity.kind not in (Kind.DATE, Kind.IDENTIFIER):
            left = quantity.end
    return filled


@cache
def _limits() -> dict[str, Bound]:
    return {stem(word): Bound(bound) for word, bound in load_rows("limit_nouns")}


def _limit(quantity: Quantity, before: Sequence[str]) -> Bound:
    """Read "the maximum dose is 600 mg" as a bound: "up to 800 mg" clashes with it."""
    if quantity.bound is not Bound.EXACT or quantity.kind not in _BOUNDED:
        return quantity.bound
    return next((_limits()[key] for key in before if key in _limits()), quantity.bound)


def _before(quantity: Quantity, words: Sequence[Word], left: int, text: str) -> tuple[tuple[str, ...], int]:
    stems: list[str] = []
    near = 0
    reached = quantity.start
    for word in reversed(words):
        if reached - word.end > 1 and _SLOT_STOP.search(text, word.end, reached):
            left = max(left, word.end)  # a comma ends the slot
        reached = word.start
        if word.content:
            stems.append(word.stem)
            # Words on the far side of another quantity describe that one first.
            near += word.start >= left
            if len(stems) == _SLOT_WORDS:
                break
    return tuple(stems), near


def _after(quantity: Quantity, words: Sequence[Word], right: int, text: str) -> tuple[str, ...]:
    stems = list(quantity.after)
    end = quantity.end
    for word in words:
        if word.start >= right or len(stems) == _SLOT_AFTER:
            break
        if word.start - end > 1 and _SLOT_STOP.search(text, end, word.start):
            break
        if word.content:
            stems.append(word.stem)
        elif stems:
            break
        end = word.end
    return tuple(stems)
