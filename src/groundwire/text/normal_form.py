"""Texts in the form in which the audit compares them, with the way back to the original."""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

_WORD = re.compile(r"\S+")
_APOSTROPHES: Final = "‘’‚‛ʼʹ′＇"
_DOUBLE_QUOTES: Final = "“”„‟＂"
_DASHES: Final = "‐‑‒–—―−﹘﹣－"
_INVISIBLE: Final = "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_UNIFIED: Final[dict[int, str | None]] = {
    **{ord(mark): "'" for mark in _APOSTROPHES},
    **{ord(mark): '"' for mark in _DOUBLE_QUOTES},
    **{ord(mark): "-" for mark in _DASHES},
    **dict.fromkeys(map(ord, _INVISIBLE), None),
}
# Scripts written without spaces between words: a match may begin or end inside a run of them.
UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_UNSPACED_SIGN = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class NormalText:
    """A text in normal form that can tell where each of its characters came from."""

    text: str
    word_starts: list[int]
    word_origins: list[int]
    # Only words whose length or order changed need a position per character.
    changed: dict[int, tuple[list[int], list[int]]]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Map a non-empty range of the normal form to the range of the original that made it."""
        return self._position(start, 0), self._position(end - 1, 1)

    def _position(self, place: int, side: int) -> int:
        word = bisect_right(self.word_starts, place) - 1
        inside = place - self.word_starts[word]
        if word in self.changed:
            return self.changed[word][side][inside]
        return self.word_origins[word] + inside + side


def normal_form(text: str) -> str:
    """Unify a text for comparison: NFC, one space for white space, lower case, one kind of apostrophe and dash."""
    if text.isascii():
        return " ".join(text.split()).lower()
    folded = (_fold(word) for word in text.split())
    return " ".join(word for word in folded if word)


def normal_text(text: str) -> NormalText:
    """Build the normal form together with the map back to the text."""
    words: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    changed: dict[int, tuple[list[int], list[int]]] = {}
    place = 0
    for match in _WORD.finditer(text):
        word, origin = match.group(), match.start()
        if word.isascii():
            folded = word.lower()
        else:
            folded = _fold(word)
            if not folded:
                continue
            if not _keeps_places(word, folded):
                changed[len(words)] = _places(word, origin)
        words.append(folded)
        starts.append(place)
        origins.append(origin)
        place += len(folded) + 1
    return NormalText(" ".join(words), starts, origins, changed)


def is_bounded(text: str, start: int, end: int) -> bool:
    """Tell whether a match in a normal form begins and ends at word borders."""
    if start > 0 and _joined(text[start - 1], text[start]):
        return False
    if end < len(text) and _joined(text[end - 1], text[end]):
        return False
    # "1" is no word of "1,450", nor is "450".
    if end + 1 < len(text) and text[end] in ".," and text[end - 1].isdigit() and text[end + 1].isdigit():
        return False
    return not (start > 1 and text[start - 1] in ".," and text[start].isdigit() and text[start - 2].isdigit())


def find_bounded(text: str, needle: str, start: int = 0, end: int | None = None) -> int:
    """Find a normal form inside another at word borders, or return -1."""
    place = text.find(needle, start, end)
    while place >= 0 and not is_bounded(text, place, place + len(needle)):
        place = text.find(needle, place + 1, end)
    return place


def find_all_bounded(text: str, needle: str) -> list[int]:
    """List where a normal form occurs inside another, without overlaps."""
    places: list[int] = []
    place = find_bounded(text, needle) if needle else -1
    while place >= 0:
        places.append(place)
        place = find_bounded(text, needle, place + len(needle))
    return places


def _joined(left: str, right: str) -> bool:
    if not (_in_word(left) and _in_word(right)):
        return False
    return not (_UNSPACED_SIGN.match(left) or _UNSPACED_SIGN.match(right))


def _in_word(character: str) -> bool:
    return character.isalnum() or (character > "\u02ff" and unicodedata.category(character)[0] == "M")


def _fold(word: str) -> str:
    # The final sigma depends on the letter that follows, so that a cut word would differ from the whole one.
    return unicodedata.normalize("NFC", word.translate(_UNIFIED)).lower().replace("ς", "σ")


def _keeps_places(word: str, folded: str) -> bool:
    return len(word) == len(folded) and unicodedata.is_normalized("NFC", word) and not _has_invisible(word)


def _has_invisible(word: str) -> bool:
    return any(mark in word for mark in _INVISIBLE)


def _places(word: str, origin: int) -> tuple[list[int], list[int]]:
    starts: list[int] = []
    ends: list[int] = []
    for left, right in _clusters(word):
        for _ in _fold(word[left:right]):
            starts.append(origin + left)
            ends.append(origin + right)
    return starts, ends


def _clusters(word: str) -> list[tuple[int, int]]:
    """Cut a word into the smallest pieces that normalise on their own."""
    borders = [place for place, character in enumerate(word) if place == 0 or not _continues(character)]
    return list(zip(borders, [*borders[1:], len(word)], strict=True))


def _continues(character: str) -> bool:
    if character in _INVISIBLE or unicodedata.category(character)[0] == "M":
        return True
    return "\u1161" <= character <= "\u1175" or "\u11a8" <= character <= "\u11c2"
