"""Words of a folded text, with disguises taken off."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from groundwire.injection.folding import fold
from groundwire.text.lexicon import load_rows

_CHUNK = re.compile(r"\S+")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SEPARATORS = re.compile(r"[._*~^|+=\-/\\]+")
_LEET = str.maketrans("013457@$!|€", "oieastasiie")
_LEET_L = str.maketrans("013457@$!|€", "oleastaslle")
_DISGUISED = re.compile(r"[0-9@$!|€]")
_LONGEST_CHUNK = 120  # longer than any disguised word


class Words(NamedTuple):
    """Parallel lists: the words, and the span of each in the folded text."""

    words: list[str]
    starts: list[int]
    ends: list[int]


def find_words(text: str) -> Words:
    """List the words of a folded text."""
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CHUNK.finditer(text):
        chunk, place = match.group(), match.start()
        if chunk.isalpha():
            words.append(chunk)
            starts.append(place)
            ends.append(match.end())
            continue
        for word, start, end in _inside(chunk) if len(chunk) <= _LONGEST_CHUNK else _plain(chunk):
            words.append(word)
            starts.append(place + start)
            ends.append(place + end)
    return Words(words, starts, ends)


def _plain(chunk: str) -> tuple[tuple[str, int, int], ...]:
    return tuple((match.group(), match.start(), match.end()) for match in _WORD.finditer(chunk))


@lru_cache(maxsize=32_768)
def _inside(chunk: str) -> tuple[tuple[str, int, int], ...]:
    core = chunk.strip("\"'“”‘’«»()[]{}<>,;:.!?*_`#")
    if core.isalpha():
        start = chunk.index(core)
        return ((core, start, start + len(core)),)
    known = undisguised(core)
    if known:
        start = chunk.index(core)
        return ((known, start, start + len(core)),)
    return tuple((undisguised(word) or word, start, end) for word, start, end in _plain(chunk))


def undisguised(word: str) -> str:
    """Return the known word behind digits for letters or signs between letters, else nothing."""
    if len(word) < 3 or word in vocabulary():
        return word if word in vocabulary() else ""
    candidates = [word]
    joined = _SEPARATORS.sub("", word)
    # Real compounds ("re-order") are not split words: only longer ones count.
    if len(joined) >= 5:
        candidates.append(joined)
    for candidate in candidates:
        for form in (candidate, candidate.translate(_LEET), candidate.translate(_LEET_L)):
            if form in vocabulary() and (form != candidate or candidate != word):
                if form != candidate and not _DISGUISED.search(candidate[:-1]):
                    continue  # a mark behind a word is punctuation
                return form
    return ""


@cache
def classes() -> dict[str, frozenset[str]]:
    """Read the word classes, folded as texts are."""
    table: dict[str, set[str]] = {}
    for name, words in load_rows("injection_classes"):
        table.setdefault(name, set()).update(fold(word.strip()).text for word in words.split(","))
    return {name: frozenset(words) for name, words in table.items()}


@cache
def vocabulary() -> frozenset[str]:
    """Collect every word that a phrase can hold."""
    words = {word for group in classes().values() for word in group}
    for _, _, phrase in load_rows("injection_phrases"):
        words.update(fold(slot.lstrip("?")).text for slot in phrase.split() if not slot.startswith(("{", "*", "?{")))
    return frozenset(words)


@cache
def _longest() -> int:
    return max(len(word) for word in vocabulary())


def segment(letters: str) -> list[str] | None:
    """Cut letters without spaces into known words, None when that fails."""
    # Fewest pieces win: "instructions" before "in" and "struct".
    best: list[tuple[int, int]] = [(0, 0)]
    for end in range(1, len(letters) + 1):
        choice = (10**9, -1)
        for start in range(max(0, end - _longest()), end):
            if best[start][0] < choice[0] and letters[start:end] in vocabulary():
                choice = min(choice, (best[start][0] + 1, start))
        best.append(choice)
    if best[-1][1] < 0:
        return None
    pieces: list[str] = []
    end = len(letters)
    while end:
        start = best[end][1]
        pieces.append(letters[start:end])
        end = start
    return pieces[::-1]
