"""Find the accuracy and latency figures that public texts claim for the model.

Read are headings, sentences and tables; code blocks are executed by the tests, so they are left out.
A sentence counts when it, an earlier sentence of its paragraph or its heading names the model, and it
speaks of a measure. A sentence about the tier without a model ends that. In a table the columns and
rows that name the model count, or all of it below such a heading or sentence.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundwire.text.sentences import split_sentences

PUBLIC = ("README.md", "CHANGELOG.md", "docs/**/*.md")

_MEASURE = re.compile(
    r"\b(accura\w{1,6}|auc|f1|recall|precision|calibrat\w{1,6}|latency|median|percentiles?|p50|p95|p99|ms|milliseconds?"
    r"|seconds?|memory|faster|slower|cases right|golden)\b",
    re.I,
)
_OTHER_TIER = re.compile(r"\b(?:without (?:a|the|any)|no) (?:language )?model\b|--no-model", re.I)
_SHARE = re.compile(r"(?<![\w.,/-])(\d{1,9}) of (\d{1,9})\b")
_NUMBER = re.compile(
    r"(?<![\w.,/-])(\d[\d,]{0,14}(?:\.\d{1,9})?)(?:\s?(%|percent\b|points?\b|ms\b|milliseconds?\b|s\b|seconds?\b"
    r"|[x×](?![\w])|MB\b))?(?![\w])",
    re.I,
)
_VERSION = re.compile(r"(?:python|version|torch|onnxruntime|numpy|groundwire|opset|v)\s?$", re.I)
_THRESHOLD = re.compile(r"\bthreshold\b|\bat 0\.5\b", re.I)
_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)\s*(\w*)")
_COMMENT = re.compile(r"<!--.*?-->", re.S)


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure that a text claims for the model."""

    file: str
    line: int
    figure: str
    text: str


@dataclass(frozen=True, slots=True)
class _Block:
    """A heading, a paragraph or a table."""

    kind: str
    line: int
    lines: tuple[str, ...]


def public_texts(root: Path) -> list[Path]:
    """Return every text that the public reads."""
    return [path for pattern in PUBLIC for path in sorted(root.glob(pattern)) if path.is_file()]


def claims_in(text: str, file: str, names: Sequence[str]) -> list[Claim]:
    """Return the figures a text claims for a model of these names."""
    named = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names), re.I)
    found: list[Claim] = []
    heading = lead = False
    lead_text = ""
    for block in _blocks(text):
        whole = " ".join(block.lines)
        if block.kind == "heading":
            heading = bool(named.search(whole)) and not _OTHER_TIER.search(whole)
            lead, lead_text = heading, whole
        elif block.kind == "table":
            parts = _table_parts(block, named, lead)
            if _MEASURE.search(f"{whole} {lead_text}"):
                found += [Claim(file, line, figure, cell) for line, cell in parts for figure in _figures(cell)]
        else:
            lead = heading
            for sentence in split_sentences(whole):
                lead = (lead or bool(named.search(sentence.text))) and not _OTHER_TIER.search(sentence.text)
                if lead and _MEASURE.search(sentence.text):
                    found += [Claim(file, block.line, item, sentence.text) for item in _figures(sentence.text)]
            lead_text = whole
    return found


def is_carried(figure: str, values: Sequence[float]) -> bool:
    """Tell whether one of the measured values, rounded as shown, is the figure."""
    share = _SHARE.fullmatch(figure)
    if share:
        return all(float(part) in values for part in share.groups())
    match = _NUMBER.fullmatch(figure)
    if match is None:
        return False
    digits, unit = match[1].replace(",", ""), (match[2] or "").lower()
    places = len(digits.partition(".")[2])
    scales = {"%": (100.0, 1.0), "percent": (100.0, 1.0), "point": (100.0, 1.0), "points": (100.0, 1.0)}
    if unit in ("s", "second", "seconds"):
        scales[unit] = (0.001, 1.0)
    # Half a unit of the last place shown, and a hair for what binary numbers cannot say.
    room = 0.5 * 10**-places + 1e-9
    return any(abs(scale * value - float(digits)) <= room for scale in scales.get(unit, (1.0,)) for value in values)


def numbers_in(path: Path) -> list[float]:
    """Return every number of a JSON file."""
    return list(_numbers(json.loads(path.read_text(encoding="utf-8"))))


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        if math.isfinite(value):
            yield float(value)
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)


def _figures(text: str) -> Iterator[str]:
    shares = list(_SHARE.finditer(text))
    for match in shares:
        yield match[0]
    for match in _NUMBER.finditer(text):
        if any(share.start() <= match.start() < share.end() for share in shares):
            continue
        if match[2] and match[2].lower() == "mb" and "memory" not in text.lower():
            continue  # the size of a file is no measurement
        if not match[2] and "." not in match[1]:
            continue  # a count: rows, tokens, cores
        if _VERSION.search(text[: match.start()]) or (match[1] == "0.5" and _THRESHOLD.search(text)):
            continue
        yield match[0].strip()


def _table_parts(block: _Block, named: re.Pattern[str], whole: bool) -> list[tuple[int, str]]:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.lines]
    about = [bool(named.search(cell)) and not _OTHER_TIER.search(cell) for cell in rows[0]]
    other = [bool(_OTHER_TIER.search(cell)) for cell in rows[0]]
    parts = []
    for place, row in enumerate(rows):
        row_named = any(named.search(cell) for cell in row) and not any(map(_OTHER_TIER.search, row))
        for column, cell in enumerate(row):
            in_column = column < len(about) and about[column]
            excused = column < len(other) and other[column]
            if (whole or row_named or in_column) and not excused:
                parts.append((block.line + place, cell))
    return parts


def _blocks(text: str) -> Iterator[_Block]:
    """Cut a page into headings, paragraphs and tables, without its code."""
    text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    kept: list[str] = []
    kind, start = "", 0
    for number, line in enumerate([*_prose(text.splitlines()), ""], start=1):
        kind_here = _kind(line)
        if kept and (kind_here != kind or kind_here == "heading" or line.lstrip().startswith(("- ", "* "))):
            yield _Block(kind, start, tuple(kept))
            kept = []
        if kind_here:
            start = start if kept else number
            kept.append(line)
        kind = kind_here


def _kind(line: str) -> str:
    bare = line.strip()
    return "" if not bare else "heading" if bare.startswith("#") else "table" if bare.startswith("|") else "text"


def _prose(lines: Iterable[str]) -> Iterator[str]:
    fenced, before = False, ""
    for line in lines:
        fence = _FENCE.match(line)
        if fence:
            if not fenced:
                # Plain text behind a program is its output; by itself it is a text like any other.
                fenced, readable = True, fence[1] == "text" and before != "python"
                before = fence[1]
            else:
                fenced = False
            yield ""
            continue
        if not fenced and line.strip():
            before = ""
        yield line if not fenced or readable else ""
