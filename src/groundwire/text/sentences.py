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
HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(?=\S)")
# A run of marks is tried from its first one only: a long one without a space behind it would cost its square.
# All marks stand in front: a pattern that begins with a set of characters is sought ten times as fast.
END = re.compile(
    r"[.!?…。！？｡؟۔।॥።։](?:"
    r"(?<=[.!?…])(?<![.!?…]{2})[.!?…]*+[\"'”’»›)\]*_]*+(?=\s)"
    r"|(?<=[。！？｡])[”’」』）\"]*"
    r"|(?<=[؟۔।॥።։])(?<![؟۔।॥።։]{2})[؟۔।॥።։]*+[\"'”’»)\]]*+(?=\s|$))"
)
# Bounded, so that a stream need not wait for the end of an endless word.
_NEXT_WORD = re.compile(r"\s*[\"'“‘«‹(\[„¿¡*_]{0,16}([^\W\d_]{1,64})?")
_VISIBLE = re.compile(r"\S")
_OPENERS = "\"'“‘«‹([„¿¡*"
THAI_GAP = re.compile(r"(?<=[\u0e00-\u0e7f]{8})\s+(?=[\u0e00-\u0e7f])")
_ALNUM = re.compile(r"[^\W_]")
# Scraped pages lose the space after a stop ("in 2008.His wife").
# The word before must be no name: "System.Text" is one word of code.
LOST_END = re.compile(r"(?<![^\s\"“(])[a-z\d][\w,’'-]*[.!?][\"”’)]*(?=[\"“]?[A-Z][a-z’']*[\s,])")
_MAYBE_LOST_END = re.compile(r"[.!?][\"”’)]*[\"“]?[A-Z]")
_LONGEST_CELL = 200
_LONGEST_ROW = 4_000
_SOFT_BREAKS = ("; ", ": ", " - ", " – ", ", ", " ")
_BORDER = re.compile(r"(?:\s*+\|)|(?:\s*+[^\s|][^|\t]*+[|\t])")
_CELL_COMMA = re.compile(r",(?!\s)(?!(?<=\d,)\d{3}(?!\d))(?=.)")
_CELL_BORDER = re.compile(r"\s*[|\t]\s*")


def split_sentences(text: str) -> list[Unit]:
    """Cut a text into sentence units, keeping their offsets."""
    units: list[Unit] = []
    counts = _comma_counts(text)
    for number, line in enumerate(LINE.finditer(text)):
        comma_row = bool(counts) and is_comma_row(counts, number)
        units.extend(unit for _, unit in cut_line(line.group(), line.start(), number, comma_row=comma_row) if unit)
    return units


def cut_line(line: str, offset: int, number: int, *, comma_row: bool) -> list[tuple[int, Unit | None]]:
    """Cut one whole line: where each unit ends in the text, and the unit, None where nothing is said."""
    heading = HEADING.match(line)
    begin = heading.end() if heading else marker_end(line)
    cuts = [] if heading else _cuts(line, begin)
    row = (_is_row(line) and not ends_before(cuts, first_border(line))) or (
        comma_row and not ends_before(cuts, first_cell_comma(line))
    )
    pieces: list[tuple[int, Unit | None]] = []
    start = begin
    for cut in [*([] if row else cuts), len(line)]:
        pieces.append((offset + cut, trimmed(line, offset, start, cut, number, heading is not None, row)))
        start = cut
    return pieces


def ends_before(cuts: list[int], border: int) -> bool:
    """Tell whether a sentence ends before the first border of a row: then the line is prose.

    The beginning of a line settles this, so that a stream can let its first sentence go.
    """
    return bool(cuts) and (border < 0 or cuts[0] <= border)


def first_border(line: str) -> int:
    """Return the place of the first pipe or inner tab, -1 without one."""
    match = _BORDER.match(line)
    return match.end() - 1 if match else -1


def first_cell_comma(line: str) -> int:
    """Return the place of the first comma that divides cells, -1 when all belong to prose or numbers."""
    match = _CELL_COMMA.search(line)
    return match.start() if match else -1


def shorten(unit: Unit, limit: int) -> list[Unit]:
    """Cut a unit of a source at lost sentence ends, and an overlong one at softer breaks."""
    if unit.row and len(unit.text) <= max(limit, _LONGEST_ROW):
        return [unit]
    lost = [match.end() for match in LOST_END.finditer(unit.text)] if _MAYBE_LOST_END.search(unit.text) else []
    borders = [0, *lost, len(unit.text)]
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


def marker_end(line: str) -> int:
    """Return where the text of a line begins behind its list marker."""
    match = _MARKER.match(line)
    return match.end() if match else 0


def _is_row(line: str) -> bool:
    pipes, tabs = line.count("|"), line.strip().count("\t")
    if len(line) > _LONGEST_CELL * (pipes + tabs + 1):
        return False  # prose of a scraped page with a stray border
    return tabs > 0 or pipes >= 2 or (pipes == 1 and " | " in line)


def _comma_counts(text: str) -> list[int]:
    # With fewer commas no two lines can be a table; most texts end here.
    return [comma_count(line.group()) for line in LINE.finditer(text)] if text.count(",") >= 4 else []


def comma_count(line: str) -> int:
    """Count the commas of a line that may be the row of a table, 0 for prose."""
    content = line.strip()
    plain = content.count(", ") < content.count(",") and not content.endswith((".", "!", "?", ":"))
    return content.count(",") if plain else 0


def is_comma_row(counts: list[int], number: int) -> bool:
    """Tell whether a line has as many commas (two or more) as the line before or behind it."""
    count = counts[number]
    if count < 2:
        return False
    return (number > 0 and counts[number - 1] == count) or (number + 1 < len(counts) and counts[number + 1] == count)


def _cuts(line: str, begin: int) -> list[int]:
    cuts = [match.end() for match in END.finditer(line, begin) if ends_sentence(line, begin, match)]
    if not line.isascii() and THAI_GAP.search(line):
        cuts.extend(match.end() for match in THAI_GAP.finditer(line, begin))
        cuts.sort()
    return cuts


def ends_sentence(line: str, begin: int, match: re.Match[str], *, is_open: bool = False) -> bool | None:
    """Tell whether a mark ends a sentence, None while text that may still follow an open line decides it."""
    marks, start, end = match[0], match.start(), match.end()
    if marks[0] not in ".!?…":
        return None if is_open and end == len(line) else True
    visible = _VISIBLE.search(line, end)
    if visible is None:
        return None if is_open else False
    first = visible[0]
    if marks in (".", "!", "?") and start > begin and line[start - 1].isspace():
        return True  # tokenised text, often without capitals: "he left . she stayed ."
    if not (first.isupper() or first.isdigit() or first in _OPENERS or (first.isalpha() and not first.islower())):
        return False
    if marks[0] != "." or marks.startswith(".."):
        return True
    # Only a short look back: a line may be a megabyte long.
    tail = line[max(begin, start - 40) : start]
    word = tail[max(tail.rfind(" "), tail.rfind("\t")) + 1 :].lstrip(_OPENERS)
    if not word or (len(word) > 1 and word.isalpha() and word.lower() not in _abbreviations()):
        return True
    following = _NEXT_WORD.match(line, end)
    if is_open and following is not None and following.end() == len(line):
        return None
    next_word = (following.group(1) or "") if following else ""
    return _stop_ends(word, next_word, first, line[max(begin, start - 60) : start - len(word)])


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


def trimmed(line: str, offset: int, start: int, end: int, number: int, heading: bool, row: bool) -> Unit | None:
    """Make the unit of one stretch of a line, None where it holds no letter and no digit."""
    piece = line[start:end]
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    if not _ALNUM.search(piece):
        return None
    return Unit(piece, offset + start, offset + start + len(piece), number, heading, row)
