"""Sentence units with their places in the text."""

import itertools
import re
from functools import cache
from typing import NamedTuple

from groundwire.text.lexicon import load_map, load_rows, load_words


class Unit(NamedTuple):
    """One sentence, list item, heading or table row."""

    text: str
    start: int
    end: int
    line: int
    heading: bool = False
    row: bool = False


LINE = re.compile(r"[^\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_MARKER = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+•‣◦▪●·–—]|\(?\d{1,3}[.)]|\(?[a-zA-Z][)])\s+(?=\S))?(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(?=\S)")
# A run of marks is tried from its first one only: a long one without a space behind it would cost its square.
_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’»›)\]*_]*+(?=\s)|[。！？｡][”’」』）\"]*|(?<![؟۔।॥።։])[؟۔।॥።։]++[\"'”’»)\]]*+(?=\s|$)"
)
_NEXT_WORD = re.compile(r"\s*[\"'“‘«‹(\[„¿¡*_]*([^\W\d_]+)?")
_VISIBLE = re.compile(r"\S")
_OPENERS = "\"'“‘«‹([„¿¡*"
_THAI_GAP = re.compile(r"(?<=[\u0e00-\u0e7f]{8})\s+(?=[\u0e00-\u0e7f])")
_ALNUM = re.compile(r"[^\W_]")
# Scraped pages lose the space after a stop ("in 2008.His wife").
# The word before must be no name: "System.Text" is one word of code.
_LOST_END = re.compile(r"(?<![^\s\"“(])[a-z\d][\w,’'-]*[.!?][\"”’)]*(?=[\"“]?[A-Z][a-z’']*[\s,])")
_LONGEST_CELL = 200
_LONGEST_ROW = 4_000
_SOFT_BREAKS = ("; ", ": ", " - ", " – ", ", ", " ")
_CELL_BORDER = re.compile(r"\s*[|\t]\s*")


def split_sentences(text: str) -> list[Unit]:
    """Cut a text into sentence units, keeping their offsets."""
    units: list[Unit] = []
    csv_lines = _csv_lines(text)
    for number, line in enumerate(LINE.finditer(text)):
        content = line.group()
        heading = _HEADING.match(content)
        begin = heading.end() if heading else _marker_end(content)
        row = _is_row(content) or number in csv_lines
        cuts = [] if row or heading else _cuts(content, begin)
        start = begin
        for cut in [*cuts, len(content)]:
            unit = _trimmed(text, line.start() + start, line.start() + cut, number, heading is not None, row)
            if unit is not None:
                units.append(unit)
            start = cut
    return units


def shorten(unit: Unit, limit: int) -> list[Unit]:
    """Cut a unit of a source at lost sentence ends, and an overlong one at softer breaks."""
    if unit.row and len(unit.text) <= max(limit, _LONGEST_ROW):
        return [unit]
    borders = [0, *(match.end() for match in _LOST_END.finditer(unit.text)), len(unit.text)]
    if len(borders) == 2 and len(unit.text) <= limit:
        return [unit]
    pieces: list[Unit] = []
    for start, end in itertools.pairwise(borders):
        while end - start > limit:
            cut = _soft_break(unit.text, start, limit)
            pieces.extend(_piece(unit, start, cut))
            start = cut
        pieces.extend(_piece(unit, start, end))
    return pieces


def _soft_break(text: str, start: int, limit: int) -> int:
    for mark in _SOFT_BREAKS:
        cut = text.rfind(mark, start + limit // 2, start + limit)
        if cut >= 0:
            return cut + len(mark)
    return start + limit


def _piece(unit: Unit, start: int, end: int) -> list[Unit]:
    piece = unit.text[start:end]
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    if not _ALNUM.search(piece):
        return []
    begin = unit.start + start
    return [Unit(piece, begin, begin + len(piece), unit.line, unit.heading, unit.row)]


def split_cells(row: str) -> list[tuple[str, int, int]]:
    """Cut a table row into its cells with their places in the row."""
    border = _CELL_BORDER if _CELL_BORDER.search(row) else re.compile(r"\s*,\s*")
    cells: list[tuple[str, int, int]] = []
    start = 0
    for match in border.finditer(row):
        cells.append((row[start : match.start()], start, match.start()))
        start = match.end()
    cells.append((row[start:], start, len(row)))
    if len(cells) > 1 and not cells[0][0].strip():
        cells = cells[1:]
    if len(cells) > 1 and not cells[-1][0].strip():
        cells = cells[:-1]
    return cells


def _marker_end(line: str) -> int:
    match = _MARKER.match(line)
    return match.end() if match else 0


def _is_row(line: str) -> bool:
    pipes, tabs = line.count("|"), line.strip().count("\t")
    if len(line) > _LONGEST_CELL * (pipes + tabs + 1):
        return False  # prose of a scraped page with a stray border
    return tabs > 0 or pipes >= 2 or (pipes == 1 and " | " in line)


def _csv_lines(text: str) -> frozenset[int]:
    # A comma table is a block of lines with the same number (two or more) of commas and no sentence end.
    if text.count(",") < 4 or "\n" not in text:
        return frozenset()
    counts: list[int] = []
    for line in LINE.finditer(text):
        content = line.group().strip()
        plain = content.count(", ") < content.count(",") and not content.endswith((".", "!", "?", ":"))
        counts.append(content.count(",") if plain else 0)
    found: set[int] = set()
    for number, count in enumerate(counts):
        if count < 2:
            continue
        neighbours = (counts[number - 1] if number else 0, counts[number + 1] if number + 1 < len(counts) else 0)
        if count in neighbours:
            found.add(number)
    return frozenset(found)


def _cuts(line: str, begin: int) -> list[int]:
    cuts = [match.end() for match in _END.finditer(line, begin) if _ends_sentence(line, begin, match)]
    if not line.isascii() and _THAI_GAP.search(line):
        cuts.extend(match.end() for match in _THAI_GAP.finditer(line, begin))
        cuts.sort()
    return cuts


def _ends_sentence(line: str, begin: int, match: re.Match[str]) -> bool:
    mark = match.group()[0]
    if mark not in ".!?…":
        return True
    visible = _VISIBLE.search(line, match.end())
    if visible is None:
        return False
    first = visible.group()
    if match.group() in (".", "!", "?") and match.start() > begin and line[match.start() - 1].isspace():
        return True  # tokenised text, often without capitals: "he left . she stayed ."
    if not (first.isupper() or first.isdigit() or first in _OPENERS or (first.isalpha() and not first.islower())):
        return False
    if mark != "." or match.group().startswith(".."):
        return True
    # Only a short look back: a line may be a megabyte long.
    tail = line[max(begin, match.start() - 40) : match.start()]
    word = tail[max(tail.rfind(" "), tail.rfind("\t")) + 1 :].lstrip(_OPENERS)
    if not word or (len(word) > 1 and word.isalpha() and word.lower() not in _abbreviations()):
        return True
    following = _NEXT_WORD.match(line, match.end())
    next_word = (following.group(1) or "") if following else ""
    return _stop_ends(word, next_word, first, line[max(begin, match.start() - 60) : match.start() - len(word)])


def _stop_ends(word: str, next_word: str, first: str, left: str) -> bool:
    clear_start = next_word.lower() in _starters() and next_word[:1].isupper()
    lower = word.lower()
    kind = _abbreviations().get(lower.rsplit("-", 1)[-1])
    if kind == "title":
        return False
    if kind in ("number", "month"):
        if lower == "no" and not first.isdigit():
            return True
        return not first.isdigit() and (clear_start or len(lower) > 1)
    if kind == "mid":
        return False
    if kind == "soft":
        if lower in ("a.m", "p.m"):
            return not next_word.isupper()  # a time zone goes on, a capitalised word begins anew
        return clear_start
    if len(word) == 1 and word.isupper():
        previous = left.split()[-1] if left.split() else ""
        if previous.lower() in load_words("label_nouns") and next_word[:1].isupper():
            return True
        after_name = not previous or previous[:1].isupper() or previous.endswith(".")
        return clear_start and not (after_name and previous.endswith("."))
    if word.isdigit() and len(word) <= 2 and next_word.lower() in load_map("months"):
        # German and others write the day as an ordinal: "am 3. März".
        return False
    # Dotted abbreviations that no list knows: "R.E.M.", "n.b."
    return not ("." in word and all(len(part) <= 2 for part in word.split("."))) or clear_start


@cache
def _abbreviations() -> dict[str, str]:
    return {row[0]: row[1] for row in load_rows("abbreviations")}


@cache
def _starters() -> frozenset[str]:
    return load_words("function_words")


def _trimmed(text: str, start: int, end: int, line: int, heading: bool, row: bool) -> Unit | None:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    if not _ALNUM.search(piece):
        return None
    return Unit(piece, start, start + len(piece), line, heading, row)
