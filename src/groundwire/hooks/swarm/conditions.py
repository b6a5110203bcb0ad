"""Which conditions of a source sentence does a message leave out?"""

import re
from collections.abc import Iterable
from functools import cache

from groundwire.text.lexicon import load_map, load_words
from groundwire.text.tokens import content_stems

# Words of time restrict only what is allowed or required: "may start after …", not "he left after lunch".
_TIMES = ("after", "before", "until", "once", "when", "while")
_KEPT = 0.6  # share of a condition's words that the message must hold
_POINTS_BACK = re.compile(r"(?:this|that|these|those|both|it|they)\b", re.IGNORECASE)
_ORDER = re.compile(r"(?:do not|don't|never|always)\b", re.IGNORECASE)
_END = re.compile(r",\s|;|:\s|[.!?]\s*$")
_AND = re.compile(r"\band\b", re.IGNORECASE)


def dropped(message: str, sentence: str, following: str) -> bool:
    """Tell whether a condition on a source sentence is missing from the message."""
    said = frozenset(content_stems(message))
    clauses = _clauses(sentence)
    if following and _POINTS_BACK.match(following):
        clauses += _clauses(following)
    for clause in clauses:
        for part in _AND.split(clause):
            stems = content_stems(part)
            if stems and sum(stem in said for stem in stems) / len(stems) < _KEPT:
                return True
    return False


def _clauses(sentence: str) -> list[str]:
    found = []
    for match in _cues().finditer(sentence):
        cue = " ".join(match[0].lower().split())
        if cue in _TIMES and not (_modals().search(sentence) or _ORDER.match(sentence)):
            continue
        end = _END.search(sentence, match.end())
        found.append(sentence[match.end() : end.start() if end else len(sentence)])
    return found


@cache
def _cues() -> re.Pattern[str]:
    return _any_of([*load_words("conditions"), *_TIMES])


@cache
def _modals() -> re.Pattern[str]:
    return _any_of(load_map("modals"))


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    spaced = [r"\s+".join(map(re.escape, phrase.split())) for phrase in sorted(phrases, key=len, reverse=True)]
    return re.compile(rf"\b(?:{'|'.join(spaced)})\b", re.IGNORECASE)
