"""Put finished blocks together into the output file, its side file and its metadata."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundwire.batch.journal import directory_to_disk
from groundwire.batch.records import Format, format_of, parquet_module
from groundwire.errors import InputError
from groundwire.ledger import canonical_json

METADATA_KEY = b"groundwire"
_GROUP_ROWS = 8_192  # rows of a Parquet row group


@dataclass(frozen=True, slots=True)
class Places:
    """The files of one run."""

    out: Path

    @property
    def bad(self) -> Path:
        """Return where the bad rows are listed."""
        return self.out.with_name(self.out.name + ".bad.jsonl")

    @property
    def meta(self) -> Path:
        """Return where it is told how the output was made."""
        return self.out.with_name(self.out.name + ".meta.json")

    @property
    def beside(self) -> tuple[Path, Path]:
        """Return the files beside the output."""
        return self.bad, self.meta

    @property
    def work(self) -> Path:
        """Return the folder of an unfinished run."""
        return self.out.with_name(self.out.name + ".work")


def check_places(places: Places, source: Path) -> None:
    """Refuse an output that cannot be written, or that would touch the input."""
    if format_of(places.out) is Format.CSV:
        raise InputError("The output cannot be CSV.", why="claims are lists", fix="let it end in .jsonl or .parquet")
    if format_of(places.out) is Format.PARQUET:
        parquet_module()
    if places.out.is_dir():
        raise InputError(f"{str(places.out)!r} is a directory.", fix="name a file in it")
    if not places.out.parent.is_dir():
        raise InputError(f"The folder {str(places.out.parent)!r} does not exist.", fix="create it first")
    if not os.access(places.out.parent, os.W_OK):
        raise InputError(f"The folder {str(places.out.parent)!r} cannot be written.", fix="choose another place")
    for path in (places.out, *places.beside):
        if path.exists() and source.exists() and os.path.samefile(path, source):
            raise InputError(f"{str(path)!r} would be written, and is the input.", fix="choose another output")


def write_output(places: Places, blocks: Iterable[tuple[bytes, bytes]], meta: dict[str, Any]) -> None:
    """Write all files, the output itself last: when it is there, everything is."""
    out, bad = _beside(places.out), _beside(places.bad)
    with open(bad, "wb") as bad_file:
        rows = _split_off(blocks, bad_file)
        if format_of(places.out) is Format.PARQUET:
            _write_parquet(out, rows, meta)
        else:
            with open(out, "wb") as file:
                for part in rows:
                    file.write(part)
    _write_whole(places.meta, json.dumps(meta, indent=2, sort_keys=True).encode("ascii") + b"\n")
    if bad.stat().st_size:
        _publish(bad, places.bad)
    else:
        bad.unlink()
        places.bad.unlink(missing_ok=True)
    _publish(out, places.out)
    directory_to_disk(places.out.parent)


def read_meta(out: Path) -> dict[str, Any]:
    """Read how an output was made."""
    path = Places(out).meta
    try:
        meta = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(
            f"{str(path)!r} cannot be read, which tells how {out.name!r} was made.",
            why=getattr(error, "strerror", None) or "it is not JSON",
            fix="keep it beside the output, or run the batch again with --overwrite",
        ) from error
    if not isinstance(meta, dict) or not isinstance(meta.get("rows"), int):
        raise InputError(f"{str(path)!r} does not describe a batch.", fix="run the batch again with --overwrite")
    return meta


def _split_off(blocks: Iterable[tuple[bytes, bytes]], bad_file: Any) -> Iterator[bytes]:
    for rows, bad in blocks:
        bad_file.write(bad)
        if rows:
            yield rows


def _write_parquet(path: Path, parts: Iterable[bytes], meta: dict[str, Any]) -> None:
    import pyarrow

    parquet = parquet_module()
    schema = _schema(pyarrow).with_metadata({METADATA_KEY: canonical_json(meta).encode("ascii")})
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        held: list[dict[str, Any]] = []
        for part in parts:
            held += [_encodable(json.loads(line)) for line in part.splitlines()]
            while len(held) >= _GROUP_ROWS:
                writer.write_table(pyarrow.Table.from_pylist(held[:_GROUP_ROWS], schema=schema))
                held = held[_GROUP_ROWS:]
        if held:
            writer.write_table(pyarrow.Table.from_pylist(held, schema=schema))


def _encodable(value: Any) -> Any:
    """Replace unpaired surrogates, which Parquet cannot hold."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {name: _encodable(item) for name, item in value.items()}
    return value


def _schema(pa: Any) -> Any:
    span = [("start", pa.int64()), ("end", pa.int64())]
    evidence = [("source_id", pa.string()), *span, ("text", pa.string())]
    claim = [
        ("text", pa.string()),
        *span,
        ("verdict", pa.string()),
        ("confidence", pa.float64()),
        ("support_probability", pa.float64()),
        ("grounded", pa.bool_()),
        ("reasons", pa.list_(pa.string())),
        ("unsupported_spans", pa.list_(pa.struct(span))),
        ("evidence", pa.list_(pa.struct(evidence))),
    ]
    return pa.schema(
        [
            ("line", pa.int64()),
            ("id", pa.string()),
            ("source_id", pa.string()),
            ("label", pa.int8()),
            ("approved", pa.bool_()),
            ("grounded", pa.bool_()),
            ("support_probability", pa.float64()),
            ("overall_score", pa.float64()),
            ("coverage", pa.float64()),
            ("confidence", pa.string()),
            ("status", pa.string()),
            ("supported", pa.int32()),
            ("contradicted", pa.int32()),
            ("fabricated", pa.int32()),
            ("unverifiable", pa.int32()),
            ("claims", pa.list_(pa.struct(claim))),
            ("policy_hash", pa.string()),
        ]
    )


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".partial")


def _write_whole(path: Path, content: bytes) -> None:
    beside = _beside(path)
    beside.write_bytes(content)
    _publish(beside, path)


def _publish(written: Path, path: Path) -> None:
    with open(written, "rb") as file:
        os.fsync(file.fileno())
    os.replace(written, path)
