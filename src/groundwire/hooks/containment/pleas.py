"""Does this text argue against its own sandbox?"""

import re
from functools import cache

from groundwire.injection.folding import fold
from groundwire.text.lexicon import load_rows
from groundwire.text.sentences import split_sentences
from groundwire.types import HookFinding

MAX_TEXT = 200_000
_NEAR = 60  # characters between the boundary and what is done to it
_SHIELD = 25  # a "not" this far before the verb turns it around


def check_text(text: str) -> HookFinding | None:
    """Return the finding for a text that pleads to do away with its boundary, or None."""
    if len(text) > MAX_TEXT:
        return HookFinding("text_too_long", "text", f"Only texts of up to {MAX_TEXT:,} characters are read.")
    if not _pattern("wall").search(fold(text).text):
        return None
    for number, unit in enumerate(split_sentences(text)):
        if _pleads(fold(unit.text).text):
            return HookFinding("text_argues", f"sentence {number + 1}", "The text argues against its own boundary.")
    return None


def _pleads(sentence: str) -> bool:
    walls = list(_pattern("wall").finditer(sentence))
    if not walls:
        return False
    if _pattern("unreal").search(sentence):
        return True
    for breach in _pattern("breach").finditer(sentence):
        before = sentence[max(0, breach.start() - _SHIELD) : breach.start()]
        if _pattern("shield").search(before):
            continue
        if any(_gap(breach.span(), wall.span()) <= _NEAR for wall in walls):
            return True
    return False


def _gap(one: tuple[int, int], two: tuple[int, int]) -> int:
    return max(one[0] - two[1], two[0] - one[1], 0)


@cache
def _pattern(part: str) -> re.Pattern[str]:
    phrases = sorted((row[1] for row in load_rows("containment_pleas") if row[0] == part), key=len, reverse=True)
    # "turn the guard off": up to three words may stand inside a verb of two parts.
    spaced = [r"(?:\s+\S+){0,3}?\s+".join(map(re.escape, phrase.split())) for phrase in phrases]
    return re.compile(rf"\b(?:{'|'.join(spaced)})\b")
