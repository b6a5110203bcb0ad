"""Claims of a response: sentence units, or the atomic statements inside them."""

import re
from functools import cache
from typing import NamedTuple

from groundwire.text.analysis import Analysis, analyse
from groundwire.text.lexicon import load_rows, load_words
from groundwire.text.sentences import LINE, Unit, shorten, split_sentences


class Claim(NamedTuple):
    """A statement to be checked, as a slice of the response."""

    text: str
    start: int
    end: int
    is_atomic: bool = False
    unchecked: str = ""  # why it makes no checkable statement
    lead: str = ""  # what an elliptical piece belongs to; never part of its text


_QUESTION = re.compile(r"[?？؟;]\s*[\"'”’»)\]*]*$")
FENCE = re.compile(r"^\s*(?:```|~~~)")
_BOLD_LINE = re.compile(r"^(\*\*|__).{1,80}\1:?$")
_SPLIT_SEMICOLON = re.compile(r";\s+")
# No person writes a sentence of this length; cutting it keeps hostile text from costing more than it is long.
LONGEST = 2_000
_TRIM = " \t,;.!\u00a0"


def split_claims(response: str, atomic: bool = False, question: str | None = None) -> list[Claim]:
    """Cut a response into claims; with `atomic` compound sentences are split further."""
    in_code = _code_lines(response)
    return [
        claim for unit in split_sentences(response) for claim in claims_of(unit, unit.line in in_code, atomic, question)
    ]


def claims_of(unit: Unit, in_code: bool, atomic: bool, question: str | None) -> list[Claim]:
    """Make the claims of one unit."""
    claims: list[Claim] = []
    for piece in shorten(unit, LONGEST):
        reason = "code" if in_code else not_checkable(piece)
        if reason:
            claims.append(Claim(piece.text, piece.start, piece.end, unchecked=reason))
            continue
        parts = split_atomic(piece) if atomic else []
        if len(parts) > 1:
            claims.extend(parts)
        else:
            claims.append(Claim(piece.text, piece.start, piece.end, lead=_ellipsis_lead(piece.text, question)))
    return claims


def not_checkable(unit: Unit) -> str:
    """Name why a unit makes no checkable statement, empty when it does."""
    text = unit.text
    if unit.heading or _BOLD_LINE.match(text):
        return "heading"
    if text.endswith((":", "：")) and len(text) < 120 and not re.search(r"\d", text):
        return "heading"
    if text.rstrip("\"'”’»)]* ").endswith(("?", "？", "؟")):
        return "question"
    plain = re.sub(r"[\s]+", " ", text.lower().replace("’", "'")).strip()
    for phrase, kind, where in _phrases():
        if not plain.startswith(phrase):
            continue
        rest = plain[len(phrase) :]
        if where == "whole" and not re.sub(r"[^\w]", "", rest):
            return kind
        if where == "start" and (not rest or not rest[0].isalnum()):
            return kind
    return ""


@cache
def _phrases() -> tuple[tuple[str, str, str], ...]:
    return tuple((row[0], row[1], row[2]) for row in load_rows("not_checkable"))


def _code_lines(response: str) -> frozenset[int]:
    if "```" not in response and "~~~" not in response:
        return frozenset()
    lines: set[int] = set()
    inside = False
    for number, line in enumerate(LINE.finditer(response)):
        fence = FENCE.match(line.group()) is not None
        if inside or fence:
            lines.add(number)
        if fence:
            inside = not inside
    return frozenset(lines)


@cache
def _leading() -> re.Pattern[str]:
    words = "|".join(sorted(load_words("split_words")))
    return re.compile(rf"(?:{words})\b,?\s+", re.IGNORECASE)


def split_atomic(unit: Unit) -> list[Claim]:
    """Split a compound sentence where both sides can stand as a statement."""
    sentence = analyse(unit.text)
    cuts: list[tuple[int, int]] = []
    begin = 0
    leading = _leading().match(unit.text)
    if leading:
        begin = leading.end()
    start = begin
    for left_end, right_start in _candidates(sentence):
        if left_end <= start:
            continue
        end = _piece_end(sentence, right_start)
        if _stands(sentence, start, left_end, need_verb=True) and _stands(sentence, right_start, end, need_verb=True):
            cuts.append((left_end, right_start))
            start = right_start
    if not cuts:
        return []
    borders = [begin, *(right for _, right in cuts)]
    ends = [*(left for left, _ in cuts), len(unit.text)]
    lead = _subject(sentence, borders[0], ends[0])
    claims: list[Claim] = []
    for number, (piece_start, piece_end) in enumerate(zip(borders, ends, strict=True)):
        piece = unit.text[piece_start:piece_end]
        left = len(piece) - len(piece.lstrip(_TRIM))
        piece = piece.strip(_TRIM)
        offset = unit.start + piece_start + left
        claims.append(Claim(piece, offset, offset + len(piece), True, lead=lead if number else ""))
    return claims


def _candidates(sentence: Analysis) -> list[tuple[int, int]]:
    places = [(match.start(), match.end()) for match in _SPLIT_SEMICOLON.finditer(sentence.text)]
    for place, word in enumerate(sentence.words):
        if place and word.lower in load_words("split_words"):
            places.append((word.start, word.end))
    return sorted(places)


def _piece_end(sentence: Analysis, start: int) -> int:
    later = [left for left, _ in _candidates(sentence) if left > start]
    return later[0] if later else len(sentence.text)


def _stands(sentence: Analysis, start: int, end: int, *, need_verb: bool) -> bool:
    content = [p for p in sentence.content if start <= sentence.words[p].start < end]
    numbers = [item for item in sentence.quantities if start <= item.start < end]
    verbs = [p for p in sentence.verbs if start <= sentence.words[p].start < end]
    enough = len(content) >= 2 or (len(content) == 1 and bool(numbers))
    return enough and (bool(verbs) or not need_verb)


def _subject(sentence: Analysis, start: int, end: int) -> str:
    for place in sorted(sentence.verbs):
        word = sentence.words[place]
        if start < word.start < end:
            return sentence.text[start : word.start].strip()
    return ""


def _ellipsis_lead(text: str, question: str | None) -> str:
    if not question:
        return ""
    sentence = analyse(text)
    finite = any(place in sentence.verbs for place in range(len(sentence.words)))
    return question if not finite or len(sentence.content) < 2 else ""
