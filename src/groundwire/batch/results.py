"""Read what a batch wrote."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any

from groundwire.batch.output import Places
from groundwire.batch.records import Format, Record, format_of, read_records
from groundwire.errors import InputError
from groundwire.types import Status, Verdict

# Their kinds are looked at, and not only their names: a report is made of what stands in them.
_FIELDS: dict[str, tuple[type, ...]] = {
    "line": (int,),
    "source_id": (str,),
    "approved": (bool,),
    "support_probability": (float, int, NoneType),
    "status": (str,),
    "claims": (list,),
}
_CLAIM_FIELDS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "verdict": (str,),
    "confidence": (float, int),
    "support_probability": (float, int, NoneType),
    "reasons": (list,),
    "evidence": (list,),
}


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
        raise _not_ours(out, f"line {record.line} is not JSON, or cut off") from error
    _refuse_other(out, row, _FIELDS, f"line {record.line}")
    if row.get("label") not in (None, 0, 1):
        raise _not_ours(out, f"the label in line {record.line} is not 0 or 1")
    if row["status"] not in list(Status):
        raise _not_ours(out, f"the status in line {record.line} is unknown")
    for number, claim in enumerate(row["claims"], start=1):
        where = f"claim {number} in line {record.line}"
        _refuse_other(out, claim, _CLAIM_FIELDS, where)
        if claim["verdict"] not in list(Verdict) or not all(isinstance(reason, str) for reason in claim["reasons"]):
            raise _not_ours(out, f"{where} has another kind of 'verdict' or 'reasons'")
        for span in claim["evidence"]:
            _refuse_other(out, span, {"text": (str,)}, f"the evidence of {where}")
    found: dict[str, Any] = row
    return found


def _refuse_other(out: Path, entry: Any, fields: dict[str, tuple[type, ...]], where: str) -> None:
    if not isinstance(entry, dict):
        raise _not_ours(out, f"{where} is no object")
    for name, kinds in fields.items():
        if not isinstance(entry.get(name), kinds):
            raise _not_ours(out, f"{where} {'has another kind of' if name in entry else 'has no field'} {name!r}")


def _not_ours(out: Path, why: str) -> InputError:
    what = f"{str(out)!r} is no output of groundwire batch."
    # With its full stop: the message would take a name in quotes for a command.
    return InputError(what, why=f"{why}.", fix="name the OUT of a batch, as it was written")
