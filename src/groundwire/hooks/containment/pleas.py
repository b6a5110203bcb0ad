"""Does this text argue against its own sandbox? A list of phrasings, no more: it knows those it was written for."""

import re
from functools import cache

from groundwire.injection.folding import fold
from groundwire.text.lexicon import load_rows
from groundwire.text.sentences import split_sentences
from groundwire.types import HookFinding

MAX_TEXT = 200_000
_SHIELD = 25  # a "not" this far before the verb turns it around


def check_text(text: str) -> HookFinding | None:
    """Return the finding for a text that pleads to do away with its boundary, or None."""
    if len(text) > MAX_TEXT:
        return HookFinding("text_too_long", "text", f"Only texts of up to {MAX_TEXT:,} characters are read.")
    if not _wall().search(fold(text).text):
        return None
    for number, unit in enumerate(split_sentences(text)):
        if _pleads(" ".join(fold(unit.text).text.split())):
            return HookFinding("text_argues", f"sentence {number + 1}", "The text argues against its own boundary.")
    return None


def _pleads(sentence: str) -> bool:
    if not _wall().search(sentence):
        return False
    if _pattern("unreal").search(sentence):
        return True
    shield = _pattern("shield")
    return any(
        not shield.search(sentence[max(0, match.start("breach") - _SHIELD) : match.start("breach")])
        for pattern in _breaches()
        for match in pattern.finditer(sentence)
    )


@cache
def _breaches() -> tuple[re.Pattern[str], ...]:
    """Return the ways in which a verb can be aimed at the boundary: before it, around it, after it."""
    wall, breach = _any_of("wall"), _any_of("breach")
    gap = r"(?:\W+\w+){0,3}?\W+"
    around = "|".join(
        rf"{re.escape(first)}\W+(?:\w+\W+){{0,2}}(?:{wall})\W+{re.escape(last)}"
        for first, last in (row[1].split() for row in load_rows("containment_pleas") if row[0] == "around")
    )
    return tuple(
        re.compile(pattern)
        for pattern in (
            rf"\b(?P<breach>{breach}){gap}(?:{wall})\b",
            rf"\b(?P<breach>{around})\b",
            rf"\b(?:{wall})\b.{{0,60}}\b(?P<breach>{breach})\W+(?:it|them|this|that)\b",
            rf"\b(?:{wall})\b{gap}(?:be|is|are|was|were|been|being)\W+(?:\w+\W+)?(?P<breach>{breach})\b",
        )
    )


@cache
def _wall() -> re.Pattern[str]:
    return _pattern("wall")


@cache
def _pattern(part: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_any_of(part)})\b")


def _any_of(part: str) -> str:
    phrases = sorted((row[1] for row in load_rows("containment_pleas") if row[0] == part), key=len, reverse=True)
    return "|".join(r"\s+".join(map(re.escape, phrase.split())) for phrase in phrases)
