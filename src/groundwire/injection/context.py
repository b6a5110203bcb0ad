"""Tell an attack that is talked about from one that is made."""

import re
import sys
from bisect import bisect_right
from collections.abc import Sequence

from groundwire.injection.words import Words
from groundwire.text.lexicon import load_words

TALKED_ABOUT = 0.25  # what is left of a weight when a quoted attack is talked about
QUOTED = 0.6  # when it is quoted without a word about it
REPORTED = 0.5  # when it is told in a running sentence
_QUOTES = re.compile(
    r"\"[^\"]{3,400}\"|“[^”]{3,400}”|„[^“”]{3,400}[“”]|«[^»]{3,400}»|`[^`]{3,400}`|(?<!\w)'[^'\n]{3,400}'(?!\w)"
)
_NEAR = 18  # words around a quotation in which its talk must stand
_SENTENCE_START = re.compile(r"(?:^|[.!?\n:;>\"“])\s*$")


def quotations(text: str) -> list[tuple[int, int]]:
    """List the quoted parts of a text."""
    return [match.span() for match in _QUOTES.finditer(text)]


def covering(spans: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """Return the span that holds a part; the spans are in order and do not overlap."""
    place = bisect_right(spans, (start, sys.maxsize)) - 1
    return spans[place] if place >= 0 and end <= spans[place][1] else None


def discount(
    start: int, end: int, first: int, last: int, text: str, words: Words, quoted: Sequence[tuple[int, int]]
) -> float:
    """Return what is left of a finding's weight where the text only talks about it."""
    inside = covering(quoted, start, end)
    if inside is not None:
        before, after = _outside(words, inside[0], inside[1], first, last)
        return TALKED_ABOUT if _talks(before) or _talks(after) else QUOTED
    # An imperative at the start of a sentence is one, whatever stands around it.
    if _SENTENCE_START.search(text[max(0, start - 12) : start]):
        return 1.0
    return REPORTED if _talks(words.words[max(0, first - 12) : first]) else 1.0


def _outside(words: Words, start: int, end: int, first: int, last: int) -> tuple[list[str], list[str]]:
    while first > 0 and words.starts[first - 1] >= start:
        first -= 1
    while last + 1 < len(words.words) and words.ends[last + 1] <= end:
        last += 1
    return words.words[max(0, first - _NEAR) : first], words.words[last + 1 : last + 1 + _NEAR]


def _talks(words: Sequence[str]) -> bool:
    return not load_words("injection_mentions").isdisjoint(words)
