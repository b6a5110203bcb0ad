"""Negation: cues, what they negate, and how clauses compare."""

import re
from functools import cache
from typing import NamedTuple

from groundwire.text.analysis import Analysis, auxiliary
from groundwire.text.lexicon import load_rows, load_words

# "No. 5" is a number; "No, it is not" answers a question and denies nothing in its own sentence.
_NO_DENIAL = re.compile(r"\.?\s*\d|\s?[,;:.!–—]\s")
_LIMIT = re.compile(
    r"\s+(?:[^\W\d_]{1,20}\s+){0,3}(?:more|less|fewer|longer|later|higher|lower|older|larger)\s+than\s+[$€£¥₹]?\s?\d",
    re.IGNORECASE,
)


class Negation(NamedTuple):
    """One negation cue and the word it denies."""

    start: int
    end: int
    head: int  # place of the denied content word, -1 when there is none
    verbal: bool  # denies the predicate, not only a phrase
    clause: int


@cache
def _cues() -> tuple[re.Pattern[str], dict[str, bool]]:
    kinds = {row[0]: row[1] == "verb" for row in load_rows("negators")}
    names = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in sorted(kinds, key=len, reverse=True))
    harmless = "|".join(
        re.escape(name).replace(r"\ ", r"\s+") for name in sorted(load_words("not_negations"), key=len, reverse=True)
    )
    pattern = re.compile(rf"(?<![\w'’-])(?:({harmless})|({names})|\w+n['’]t)(?![\w'’-])", re.IGNORECASE)
    return pattern, kinds


@cache
def _tell_tales() -> frozenset[str]:
    """Collect one telling word of each cue, for a cheap test before the pattern runs."""
    return frozenset(max(row[0].split(), key=len) for row in load_rows("negators"))


def may_deny(text: str) -> bool:
    """Tell cheaply whether a text may hold a denial."""
    words = text.lower().replace("’", "'").split()
    return not _tell_tales().isdisjoint(words) or any("n't" in word for word in words)


def find_negations(sentence: Analysis) -> list[Negation]:
    """List the negations of a sentence with the words they deny."""
    if _tell_tales().isdisjoint(sentence.lowers) and not any(lower.endswith("n't") for lower in sentence.lowers):
        return []
    pattern, kinds = _cues()
    found: list[Negation] = []
    for match in pattern.finditer(sentence.text):
        if match.group(1):
            continue
        cue = re.sub(r"\s+", " ", (match.group(2) or "not").lower())
        if cue == "no" and _NO_DENIAL.match(sentence.text, match.end()):
            continue
        if _is_limit(sentence.text, match):
            continue
        place = _place_at(sentence, match.start())
        if place < 0:
            continue
        clause = sentence.clauses[place]
        head = _head(sentence, match.end(), clause)
        verbal = kinds.get(cue, True)
        if cue == "not" and match.group(2):
            # "X, not Y" denies Y alone; "is not" denies the predicate.
            verbal = any(auxiliary(word) for word in sentence.words[max(0, place - 2) : place])
        found.append(Negation(match.start(), match.end(), head, verbal, clause))
    return found


def _is_limit(text: str, cue: re.Match[str]) -> bool:
    """Tell whether a "not" only turns a bound round: "not take more than 600 mg" denies no taking."""
    return _LIMIT.match(text, cue.end()) is not None


def _place_at(sentence: Analysis, offset: int) -> int:
    for place, word in enumerate(sentence.words):
        if word.start <= offset < word.end:
            return place
    return -1


def _head(sentence: Analysis, offset: int, clause: int) -> int:
    content = frozenset(sentence.content)
    for place, word in enumerate(sentence.words):
        if word.start >= offset and sentence.clauses[place] == clause and place in content:
            return place
    return -1
