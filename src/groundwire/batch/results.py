"""Read what a batch wrote."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from groundwire.batch.output import Places
from groundwire.batch.records import Format, Record, format_of, read_records
from groundwire.errors import InputError

_FIELDS = ("line", "source_id", "approved", "support_probability", "status", "claims")


def read_results(out: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of an output, JSON lines or Parquet."""
    if format_of(out) is Format.CSV:
        raise _not_ours(out, "it is CSV")
    if Places(out).work.exists() and not out.exists():
        raise InputError(f"The batch of {str(out)!r} is not finished.", fix="finish it with --resume")
    return (_row(out, record) for record in read_records(out))


def _row(out: Path, record: Record) -> dict[str, Any]:
    try:
        row = json.loads(record.content or b"") if not isinstance(record.content, dict) else record.content
    except (ValueError, RecursionError) as error:
        raise _not_ours(out, f"line {record.line} is not JSON") from error
    lacking = [name for name in _FIELDS if not isinstance(row, dict) or name not in row]
    if lacking:
        raise _not_ours(out, f"line {record.line} has no {lacking[0]}")
    if not isinstance(row["claims"], list) or not all(isinstance(claim, dict) for claim in row["claims"]):
        raise _not_ours(out, f"line {record.line} has no list of claims")
    found: dict[str, Any] = row
    return found


def _not_ours(out: Path, why: str) -> InputError:
    return InputError(f"{str(out)!r} is no output of groundwire batch.", why=why, fix="name the OUT of a batch")
