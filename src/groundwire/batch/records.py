"""Read the input record by record: JSON lines, CSV or Parquet, never more than a little of it in memory."""

import csv
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwire.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

MAX_RECORD_BYTES = 32 * 1024 * 1024
_SKIPPED_AT_ONCE = 1024 * 1024
_PARQUET_ROWS = 64  # read at once: a row may be megabytes
_LOOKED_AT = 100  # JSON lines that are looked through for the wanted columns
_LISTED = 40  # columns that a message names
_BOM = b"\xef\xbb\xbf"


class Format(StrEnum):
    """What a file holds, by the end of its name."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


# What Python says too briefly for somebody who has to find the place.
_CSV_WORDS = {"unexpected end of data": "a quote that opens here is never closed, so that all that follows is lost"}
_ENDINGS = {".jsonl": Format.JSONL, ".ndjson": Format.JSONL, ".csv": Format.CSV, ".parquet": Format.PARQUET}


@dataclass(frozen=True, slots=True)
class Record:
    """One record as it stands in the input: a line of JSON, named cells, or neither and the reason."""

    line: int
    content: bytes | dict[str, Any] | None
    why: str = ""

    @property
    def size(self) -> int:
        """Estimate how much memory the record takes."""
        if isinstance(self.content, dict):
            return sum(len(value) if isinstance(value, str | bytes) else 64 for value in self.content.values())
        return len(self.content or b"")


def format_of(path: str | Path) -> Format:
    """Tell the format of a file from its name."""
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        raise InputError(
            f"The name {str(path)!r} does not tell the format.", fix=f"let it end in {', '.join(_ENDINGS)}"
        )
    return _ENDINGS[ending]


def count_records(path: Path) -> int:
    """Count the records of a file without keeping any."""
    kind = format_of(path)
    if kind is Format.PARQUET:
        with _parquet(path) as file:
            return int(file.metadata.num_rows)
    return sum(1 for _ in (_json_lines(path) if kind is Format.JSONL else _csv_rows(path)))


def read_records(path: Path) -> Iterator[Record]:
    """Yield the records of a file in order."""
    kind = format_of(path)
    if kind is Format.JSONL:
        return _json_lines(path)
    return _csv_rows(path) if kind is Format.CSV else _parquet_rows(path)


def refuse_missing_columns(path: Path, wanted: Sequence[str]) -> None:
    """Refuse an input that lacks a wanted column, and list what it has."""
    present = _present_columns(path)
    missing = [name for name in wanted if name not in present]
    if present and missing:
        raise InputError(
            f"{str(path)!r} has no column {missing[0]!r}.",
            why=f"its columns are {', '.join(map(repr, present[:_LISTED]))}"
            + (f" and {len(present) - _LISTED:,} more." if len(present) > _LISTED else "."),
            fix="name the columns, as in --columns response=answer,source=context",
        )


def _present_columns(path: Path) -> list[str]:
    kind = format_of(path)
    if kind is Format.CSV:
        with _csv(path) as reader:
            return _header(path, reader)
    if kind is Format.PARQUET:
        with _parquet(path) as file:
            return list(file.schema_arrow.names)
    # Lines may differ, and a broken one says nothing: what any of the first ones has is there.
    found: dict[str, None] = {}
    for number, record in enumerate(_json_lines(path)):
        if number >= _LOOKED_AT:
            break
        try:
            entry = json.loads(record.content or b"") if isinstance(record.content, bytes) else None
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            found.update(dict.fromkeys(entry))
    return list(found)


def _json_lines(path: Path) -> Iterator[Record]:
    blank = number = 0
    with _opened(path, "rb") as file:
        while line := file.readline(MAX_RECORD_BYTES + 1):
            number += 1
            if len(line) > MAX_RECORD_BYTES:
                while line and not line.endswith(b"\n"):
                    line = file.readline(_SKIPPED_AT_ONCE)
                yield from _blank_lines(number, blank)
                blank = 0
                yield Record(number, None, f"longer than {MAX_RECORD_BYTES >> 20} MiB")
                continue
            if not line.strip():
                blank += 1
                continue
            # Blank lines at the end of a file are no rows; between rows something is missing.
            yield from _blank_lines(number, blank)
            blank = 0
            yield Record(number, line.removeprefix(_BOM) if number == 1 else line)


def _blank_lines(number: int, blank: int) -> Iterator[Record]:
    return (Record(number - left, None, "empty line") for left in range(blank, 0, -1))


def _csv_rows(path: Path) -> Iterator[Record]:
    with _csv(path) as reader:
        header = _header(path, reader)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield Record(line, None, f"not CSV, {_CSV_WORDS.get(str(error), error)}")
                continue
            if cells is None:
                return
            if not cells:
                continue  # csv's way of saying: an empty line
            if len(cells) != len(header):
                yield Record(line, None, f"{len(cells)} cells where the header has {len(header)}")
                continue
            yield Record(line, dict(zip(header, cells, strict=True)))


def _header(path: Path, reader: Any) -> list[str]:
    try:
        header = next(reader, None)
    except csv.Error as error:
        raise InputError(f"The first line of {str(path)!r} is not CSV.", why=str(error), fix="correct it") from error
    if not header:
        raise InputError(f"{str(path)!r} has no first line with the names of its columns.", fix="add one")
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise InputError(f"{str(path)!r} has the column {twice[0]!r} twice.", fix="give each column its own name")
    return list(header)


def _parquet_rows(path: Path) -> Iterator[Record]:
    with _parquet(path) as file:
        line = 0
        batches = file.iter_batches(batch_size=_PARQUET_ROWS)
        while True:
            try:
                batch = next(batches, None)
                rows = [] if batch is None else batch.to_pylist()
            except (OSError, ValueError) as error:  # pyarrow's errors are both
                raise _broken_parquet(path, error, f"after row {line:,}") from error
            if batch is None:
                return
            for row in rows:
                line += 1
                yield Record(line, row)


@contextmanager
def _csv(path: Path) -> Iterator[Any]:
    # Bytes that are no UTF-8 come in as surrogates, and the row that holds them is refused, not the file.
    with _opened(path, "r", encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        before = csv.field_size_limit(MAX_RECORD_BYTES)
        try:
            yield csv.reader(file, strict=True)
        finally:
            csv.field_size_limit(before)


@contextmanager
def _parquet(path: Path) -> Iterator["ParquetFile"]:
    parquet = parquet_module()
    _opened(path, "rb").close()
    try:
        file = parquet.ParquetFile(path)
    except (OSError, ValueError) as error:
        raise _broken_parquet(path, error) from error
    with file:
        yield file


def parquet_module() -> Any:
    """Load pyarrow's Parquet part, or say which extra brings it."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("Reading and writing Parquet", "batch") from error
    return parquet


def _broken_parquet(path: Path, error: Exception, where: str = "") -> InputError:
    why = " ".join(str(error).split())[:200]
    return InputError(
        f"{str(path)!r} cannot be read as Parquet{f' {where}' if where else ''}.",
        why=why,
        fix="check that the file is whole; one that was cut off must be copied again",
    )


def _opened(path: Path, mode: str, **options: Any) -> Any:
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a directory.", fix="name one file inside it")
    try:
        return open(path, mode, **options)
    except FileNotFoundError as error:
        raise InputError(f"The file {str(path)!r} does not exist.", fix="check the path") from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"The file {str(path)!r} cannot be read.", why=why, fix="check path and rights") from error
