"""Fold a text to what a reader sees, and remember where every character came from."""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache, lru_cache

from groundwire.text.lexicon import load_map

# Accents are dropped. Marks of other scripts are part of their letters and stay.
_ACCENTS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f")
_TAG_BASE = 0xE0000
_LATIN = re.compile("[a-z]")
WORD = re.compile(r"\w{1,80}")

Letters = dict[str, str | int | None]  # what str.maketrans takes; the values are strings


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text with a way back to the offsets of the original."""

    text: str
    _places: tuple[int, ...] = (0,)  # folded offsets at which the shift changes
    _origins: tuple[int, ...] = (0,)  # the original offset at each of these places

    def origin(self, place: int) -> int:
        """Return where in the original the character at this place stands."""
        step = bisect_right(self._places, place) - 1
        return self._origins[step] + place - self._places[step]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original span of a folded one."""
        begin = self.origin(start)
        return begin, max(begin, self.origin(end - 1) + 1) if end > start else begin


def fold(text: str) -> Folded:
    """Lower-case, bring look-alikes and compatibility forms together, drop what cannot be seen."""
    if text.isascii():
        return Folded(text.lower())
    letters: Letters = {char: fold_char(char) for char in set(text)}
    resized = [char for char, folded in letters.items() if len(str(folded)) != 1]
    if not resized:
        return Folded(_latinised(text.translate(str.maketrans(letters))))
    return _with_map(text, letters, resized)


def _with_map(text: str, letters: Letters, resized: list[str]) -> Folded:
    table = str.maketrans(letters)
    pieces: list[str] = []
    places, origins = [0], [0]
    size = done = 0
    for match in re.finditer("[" + re.escape("".join(resized)) + "]+", text):
        pieces.append(text[done : match.start()].translate(table))
        size += match.start() - done
        for place in range(match.start(), match.end()):
            folded = str(letters[text[place]])
            if folded:
                pieces.append(folded)
                places.extend(range(size, size + len(folded)))
                origins.extend([place] * len(folded))
                size += len(folded)
        places.append(size)
        origins.append(match.end())
        done = match.end()
    pieces.append(text[done:].translate(table))
    # A place named twice keeps its last origin: bisect finds the rightmost.
    return Folded(_latinised("".join(pieces)), tuple(places), tuple(origins))


@lru_cache(maxsize=65_536)
def fold_char(char: str) -> str:
    """Fold one character; the empty string for what cannot be seen."""
    code = ord(char)
    if code < 0x80:
        return char.lower()
    if _TAG_BASE + 0x20 <= code <= _TAG_BASE + 0x7E:
        # Tag characters spell ASCII that models read and people do not see.
        return chr(code - _TAG_BASE).lower()
    if is_invisible(char):
        return ""
    if unicodedata.category(char) == "Zs":
        return " "
    if char in "’‘ʼ＇":
        return "'"
    if 0x1F1E6 <= code <= 0x1F1FF:  # flags are spelled with these
        return chr(code - 0x1F1E6 + ord("a"))
    plain = unicodedata.normalize("NFKC", char).casefold()
    if plain.isascii():
        # Enclosed letters unfold to "(a)".
        return plain.strip("()") or plain
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", plain))
    if not 0x370 <= code < 0x590:
        bare = bare.translate(_lookalikes())
    return unicodedata.normalize("NFC", bare)


def is_invisible(char: str) -> bool:
    """Tell whether a character shows nothing: zero width, format, filler, variation selector."""
    code = ord(char)
    if code < 0x80:
        return False
    return (
        unicodedata.category(char) == "Cf"
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0000 <= code <= 0xE01EF
        or char in _FILLERS
        or _ACCENTS.match(char) is not None
    )


@cache
def _lookalikes() -> dict[int, str]:
    return {ord(letter): latin for letter, latin in load_map("injection_lookalikes").items()}


@cache
def _foreign_letter() -> re.Pattern[str]:
    letters = "".join(letter for letter in load_map("injection_lookalikes") if 0x370 <= ord(letter) < 0x590)
    return re.compile(f"[{letters}]")


def _latinised(text: str) -> str:
    """Turn words that could pass for Latin ones into Latin letters, one for one."""
    if text.isascii() or not _foreign_letter().search(text):
        return text
    return WORD.sub(lambda match: latinised_word(match.group()), text)


@lru_cache(maxsize=16_384)
def latinised_word(word: str) -> str:
    """Write a word in Latin letters when every one of its letters has one."""
    if word.isascii():
        return word
    latin = word.translate(_lookalikes())
    return latin if latin.isascii() else word


def mixes_scripts(word: str) -> bool:
    """Tell whether Latin letters and look-alikes of another script stand in one word."""
    lower = word.lower()
    if lower.isascii() or not _LATIN.search(lower):
        return False
    # Greek letters stand beside Latin ones in formulas; Cyrillic and Armenian ones do not.
    return any(0x400 <= ord(char) < 0x590 for char in lower)
