"""Read labelled data: JSON lines, plain or xz-packed; a broken line is numbered and never skipped silently."""

import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from groundwire.errors import InputError

# What a packed file may grow to. Rows are kept in memory, so these are limits on memory too.
MAX_ROWS = 1_000_000
MAX_LINE_BYTES = 32 * 1024 * 1024
MAX_BYTES = 2 * 1024 * 1024 * 1024
_SHOWN = 5  # broken lines named in one message


class Lines(Protocol):
    """Anything that bytes can be read from line by line."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, at most this many bytes of it."""
        ...


@dataclass(frozen=True, slots=True)
class Row:
    """A response, its source, and whether the source supports all of it (label 1) or not (0).

    `spans` are the unsupported parts of the response; None means that nobody marked them.
    """

    source: str
    response: str
    label: int
    kind: str = ""
    question: str | None = None
    spans: tuple[tuple[int, int], ...] | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no row, and why."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """The rows of one file, and the lines that were left out because they are broken."""

    name: str
    rows: tuple[Row, ...]
    bad: tuple[BadLine, ...] = ()

    @property
    def supported(self) -> int:
        """Count the rows with label 1."""
        return sum(row.label for row in self.rows)


def load_dataset(path: str | Path, *, skip_bad: bool = False) -> Dataset:
    """Read a labelled file; a name that ends in .xz is unpacked."""
    file = Path(path)
    try:
        if file.is_dir():
            raise InputError(f"{str(path)!r} is a directory.", fix="name one file of JSON lines inside it")
        with lzma.open(file) if file.suffix == ".xz" else open(file, "rb") as stream:
            return read_dataset(stream, str(path), skip_bad=skip_bad)
    except FileNotFoundError as error:
        raise InputError(f"The file {str(path)!r} does not exist.", fix="check the path") from error
    except (lzma.LZMAError, EOFError) as error:
        raise InputError(
            f"The file {str(path)!r} cannot be unpacked.", why=str(error), fix="check that it is a whole xz file"
        ) from error
    except OSError as error:
        raise InputError(
            f"The file {str(path)!r} cannot be read.", why=error.strerror or str(error), fix="check path and rights"
        ) from error


def read_dataset(stream: Lines, name: str, *, skip_bad: bool = False) -> Dataset:
    """Read labelled rows from a stream of bytes.

    Broken lines are an error that names them; with `skip_bad` they are returned beside the rows.
    """
    rows: list[Row] = []
    bad: list[BadLine] = []
    for number, line in _lines(stream, name):
        found = parse_row(line, number)
        if isinstance(found, BadLine):
            bad.append(found)
        else:
            rows.append(found)
    if bad and not skip_bad:
        raise InputError(
            f"{name}: {describe_bad(bad)}",
            fix="correct the file, or leave these lines out and be told which with --skip-bad (skip_bad=True)",
        )
    if not rows:
        why = f"no usable row is left; {describe_bad(bad)}" if bad else "it holds no line"
        raise InputError(
            f"{name} has no rows.", why=why, fix="write one JSON object a line with premise, claim and label"
        )
    return Dataset(name, tuple(rows), tuple(bad))


def describe_bad(bad: list[BadLine] | tuple[BadLine, ...]) -> str:
    """Count the broken lines and name the first ones."""
    shown = "; ".join(f"line {item.line}: {item.why}" for item in bad[:_SHOWN])
    rest = f"; and {len(bad) - _SHOWN:,} more" if len(bad) > _SHOWN else ""
    return f"{len(bad):,} broken {'line' if len(bad) == 1 else 'lines'} ({shown}{rest})"


def require_both_classes(data: Dataset) -> None:
    """Refuse data in which a label does not occur: nothing can be told apart then."""
    if 0 < data.supported < len(data.rows):
        return
    missing, there = (1, 0) if data.supported == 0 else (0, 1)
    raise InputError(
        f"{data.name} has no row with label {missing}.",
        why=f"all {len(data.rows):,} rows have label {there}, so nothing can be told apart",
        fix="add rows of the other class: 1 means supported by the source, 0 not",
    )


def parse_row(line: bytes, number: int) -> Row | BadLine:
    """Turn one line into a row, or say why it is none."""
    try:
        entry = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return BadLine(number, f"not UTF-8, byte 0x{line[error.start]:02x} at offset {error.start}")
    except RecursionError:
        return BadLine(number, "nested too deeply")
    except ValueError as error:
        return BadLine(number, "empty" if not line.strip() else f"not JSON, {_json_reason(error)}")
    if not isinstance(entry, dict):
        return BadLine(number, "not a JSON object")
    try:
        response = _text(entry, "claim", "response")
        return Row(
            source=_text(entry, "premise", "source"),
            response=response,
            label=_label(entry),
            kind=_optional(entry, "kind") or "",
            question=_optional(entry, "question"),
            spans=_spans(entry.get("spans"), len(response)),
            line=number,
        )
    except InputError as error:
        return BadLine(number, error.what)


def _lines(stream: Lines, name: str) -> Iterator[tuple[int, bytes]]:
    size = blank = 0
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        size += len(line)
        if len(line) > MAX_LINE_BYTES or size > MAX_BYTES or number > MAX_ROWS:
            raise InputError(
                f"{name} is too large at line {number:,}.",
                why=f"the limits are {MAX_LINE_BYTES >> 20} MiB a line, {MAX_BYTES >> 30} GiB and {MAX_ROWS:,} lines",
                fix="split the file",
            )
        if not line.strip():
            blank += 1
            continue
        # Blank lines at the end of a file are no rows; between rows something is missing.
        yield from ((number - left, b"") for left in range(blank, 0, -1))
        blank = 0
        yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def _json_reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    return "a number is too long"


def _text(entry: dict[str, Any], *names: str) -> str:
    given = [name for name in names if name in entry]
    if not given:
        raise InputError(f"no {' or '.join(names)}")
    value = entry[given[0]]
    if not isinstance(value, str):
        raise InputError(f"{given[0]} is {kind_of(value)}, not text")
    if not value.strip():
        raise InputError(f"{given[0]} is empty")
    return value


def _optional(entry: dict[str, Any], name: str) -> str | None:
    value = entry.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{name} is {kind_of(value)}, not text")
    return value


def _label(entry: dict[str, Any]) -> int:
    if "label" not in entry:
        raise InputError("no label")
    label = entry["label"]
    # true and 1.0 equal 1 in Python; a file that says so may mean something else by it.
    if type(label) is not int or label not in (0, 1):
        raise InputError(f"label is {json.dumps(label)[:40]}, not 0 or 1")
    return label


def _spans(value: Any, length: int) -> tuple[tuple[int, int], ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise InputError(f"spans is {kind_of(value)}, not a list")
    spans = []
    for item in value:
        pair = [item.get("start"), item.get("end")] if isinstance(item, dict) else item
        if not isinstance(pair, list) or len(pair) != 2 or any(type(place) is not int for place in pair):
            raise InputError("a span is not [start, end]")
        start, end = pair
        if not 0 <= start < end <= length:
            raise InputError(f"span [{start}, {end}] lies outside the {length} characters of the response")
        spans.append((start, end))
    return tuple(spans)


def kind_of(value: Any) -> str:
    """Name the kind of a JSON value."""
    names = {type(None): "null", bool: "true or false", int: "a number", float: "a number", list: "a list"}
    if type(value) in names:
        return names[type(value)]
    return "an object" if isinstance(value, dict) else "text" if isinstance(value, str) else type(value).__name__
