"""Cut a free-text answer into the units that are looked up: quotes and claim spans."""

from dataclasses import dataclass
from typing import Final

from groundwire.errors import InputTypeError
from groundwire.text.lexical import (
    framing_end,
    is_framing,
    line_ranges,
    marker_end,
    sentence_ranges,
    strip_trailing_citation,
)

MIN_QUOTE_CHARS: Final = 8
MIN_SPAN_CHARS: Final = 12
QUOTE_MARKS: Final = '"“”'


@dataclass(frozen=True, slots=True)
class Unit:
    """A slice of the answer: `answer[start:end] == text`."""

    text: str
    start: int
    end: int


def require_text(name: str, value: object) -> None:
    """Refuse a value that is no text."""
    if not isinstance(value, str):
        raise InputTypeError(f"{name} is of type {type(value).__name__}.", fix="give a text")


def extract_quotes(text: str) -> list[str]:
    """List the quoted pieces of a text; quotation marks pair by position."""
    return [unit.text for unit in quote_units(text)]


def extract_claim_spans(text: str) -> list[str]:
    """List the sentences of a text that state something."""
    return [unit.text for unit in span_units(text)]


def quote_units(text: str) -> list[Unit]:
    """Find the quoted pieces with their places."""
    marks = [place for place, character in enumerate(text) if character in QUOTE_MARKS]
    inside = (trimmed(text, left + 1, right) for left, right in zip(marks[::2], marks[1::2], strict=False))
    return [unit for unit in inside if len(unit.text) >= MIN_QUOTE_CHARS]


def span_units(text: str, min_chars: int = MIN_SPAN_CHARS) -> list[Unit]:
    """Find the sentences that state something with their places."""
    units: list[Unit] = []
    for line_start, line_end in line_ranges(text):
        start = line_start + marker_end(text[line_start:line_end])
        for piece in sentence_ranges(text, start, line_end):
            unit = _claim(text, *piece)
            if unit is not None and len(unit.text) >= min_chars:
                units.append(unit)
    return units


def trimmed(text: str, start: int, end: int) -> Unit:
    """Take a slice without white space at its ends."""
    raw = text[start:end]
    body = raw.strip()
    start += len(raw) - len(raw.lstrip()) if body else 0
    return Unit(body, start, start + len(body))


def _claim(text: str, start: int, end: int) -> Unit | None:
    """Take off citation and introducing words, or return None when nothing is stated."""
    unit = trimmed(text, start, end)
    unit = trimmed(text, unit.start, unit.start + len(strip_trailing_citation(unit.text)))
    while unit.text and is_framing(unit.text):
        lead = framing_end(unit.text)
        if not lead:
            return None
        unit = trimmed(text, unit.start + lead, unit.end)
    return unit if unit.text else None
