"""The audit trail: one hash-chained record per decision, appended and never changed."""

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from groundwire.errors import InputError, IntegrityError
from groundwire.ledger import (
    GENESIS,
    MerkleProof,
    Record,
    canonical_json,
    leaf_hash,
    merkle_proof,
    merkle_root,
    record_hash,
    verify_proof,
)
from groundwire.server.database import Layout, make_folder, open_database, transaction

FILE: Final = "trail.db"
_FORBID: Final = "BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END"
_LAYOUT = Layout(
    "audit trail",
    0x47575452,  # "GWTR"
    1,
    (
        """CREATE TABLE records (
            idx INTEGER PRIMARY KEY, tenant TEXT NOT NULL, payload TEXT NOT NULL, previous TEXT NOT NULL,
            hash TEXT NOT NULL
        ) STRICT""",
        "CREATE INDEX records_tenant ON records (tenant, idx)",
        # The head lets a dropped tail be found; a chain alone cannot tell how long it was.
        f"""CREATE TABLE head (
            one INTEGER PRIMARY KEY CHECK (one = 1), count INTEGER NOT NULL, hash TEXT NOT NULL DEFAULT '{GENESIS}'
        ) STRICT""",
        "INSERT INTO head (one, count) VALUES (1, 0)",
        f"CREATE TRIGGER records_no_update BEFORE UPDATE ON records {_FORBID}",
        f"CREATE TRIGGER records_no_delete BEFORE DELETE ON records {_FORBID}",
        f"CREATE TRIGGER head_no_delete BEFORE DELETE ON head {_FORBID}",
    ),
)


@dataclass(frozen=True, slots=True)
class Receipt:
    """Where a decision stands in the trail; who keeps it can prove the record later."""

    index: int
    hash: str

    def __str__(self) -> str:
        return f"{self.index}:{self.hash}"


@dataclass(frozen=True, slots=True)
class Head:
    """How long a trail is and the hash it ends in."""

    count: int
    hash: str


class Trail(Protocol):
    """Where the records are kept."""

    def append(self, payloads: Sequence[dict[str, Any]]) -> list[Receipt]:
        """Write records in one transaction and return when they are safe."""
        ...

    def records(self) -> Iterator[Record]:
        """Read every record in order, unchecked."""
        ...

    def head(self) -> Head:
        """Return what the trail says of its own end."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class SQLiteTrail:
    """The trail in one file; several processes may write to it."""

    def __init__(self, folder: Path, *, create: bool = True) -> None:
        if create:
            make_folder(folder)
        self.path = folder / FILE
        self._connection: sqlite3.Connection | None = open_database(self.path, _LAYOUT, create=create)
        self._inode = os.stat(self.path).st_ino

    def append(self, payloads: Sequence[dict[str, Any]]) -> list[Receipt]:
        """Write records in one transaction and return when they are on the disk."""
        connection = self._alive()
        try:
            with transaction(connection):
                count, last = connection.execute("SELECT count, hash FROM head").fetchone()
                rows, receipts = chained(count, last, payloads)
                connection.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?)", rows)
                connection.execute("UPDATE head SET count = ?, hash = ?", (count + len(rows), receipts[-1].hash))
        except sqlite3.Error:
            # The next call opens the file anew: a disk may have room again, a file may be back.
            self.close()
            raise
        return receipts

    def records(self) -> Iterator[Record]:
        """Read every record in order, unchecked."""
        rows = self._alive().execute("SELECT idx, payload, previous, hash FROM records ORDER BY idx")
        for index, payload, previous, digest in rows:
            yield Record(index, read_payload(index, payload), previous, digest)

    def head(self) -> Head:
        """Return what the trail says of its own end."""
        count, digest = self._alive().execute("SELECT count, hash FROM head").fetchone()
        return Head(count, digest)

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _alive(self) -> sqlite3.Connection:
        # SQLite goes on writing into a file that was deleted; what is written there is lost.
        try:
            inode = os.stat(self.path).st_ino
        except OSError:
            self.close()
            raise
        if self._connection is None or inode != self._inode:
            self.close()
            self._connection = open_database(self.path, _LAYOUT, create=False)
            self._inode = inode
        return self._connection


def chained(count: int, last: str, payloads: Sequence[dict[str, Any]]) -> tuple[list[tuple[Any, ...]], list[Receipt]]:
    """Link payloads to the end of a chain, as rows and receipts."""
    rows: list[tuple[Any, ...]] = []
    receipts = []
    for place, payload in enumerate(payloads):
        index = count + place
        digest = record_hash(index, payload, last)
        rows.append((index, str(payload.get("tenant", "")), canonical_json(payload), last, digest))
        receipts.append(Receipt(index, digest))
        last = digest
    return rows, receipts


def read_payload(index: int, text: str) -> Any:
    """Read the payload of a record back."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise IntegrityError(
            f"Record {index} is no JSON.", why="it was changed after it was written", fix="restore it from a copy"
        ) from error


def check_trail(trail: Trail, *, known: Receipt | None = None) -> Head:
    """Check every record against its hash, its place and its neighbours, and name the first that does not fit."""
    head, previous, expected = trail.head(), GENESIS, 0
    seen = None
    for record in trail.records():
        if record.index != expected:
            gone = f"{expected}" if record.index == expected + 1 else f"{expected} to {record.index - 1}"
            raise _wrong(f"Record {gone} is missing.", "it was dropped, or the numbers were changed")
        if record.hash != record_hash(record.index, record.payload, record.previous):
            raise _wrong(f"The content of record {expected} does not match its hash.", "the record was changed")
        if record.previous != previous:
            raise _wrong(
                f"Record {expected} does not follow record {expected - 1}.",
                "records were reordered, replaced or written anew",
            )
        if known is not None and known.index == expected:
            seen = record.hash
        previous, expected = record.hash, expected + 1
    if expected < head.count:
        gone = f"{expected}" if head.count == expected + 1 else f"{expected} to {head.count - 1}"
        raise _wrong(f"Record {gone} is missing.", f"the trail had {head.count} records, and its end was dropped")
    if (expected, previous) != (head.count, head.hash):
        raise _wrong(
            f"The trail ends at record {expected - 1}, but its head names another end.",
            "the head or a record was changed",
        )
    if known is not None and seen != known.hash:
        raise _wrong(f"Record {known.index} is not the one of the receipt.", "the trail was dropped or written anew")
    return head


def prove(trail: Trail, index: int) -> dict[str, Any]:
    """Return one record with the Merkle path to the root over all records."""
    check_trail(trail)
    records = list(trail.records())
    if not 0 <= index < len(records):
        raise InputError(f"There is no record {index}.", fix=f"the trail has {len(records)} records, counted from 0")
    leaves = [leaf_hash(_plain(record)) for record in records]
    proof = merkle_proof(leaves, index)
    return {
        "record": _plain(records[index]),
        "count": proof.count,
        "siblings": list(proof.siblings),
        "root": merkle_root(leaves),
    }


def check_proof(proof: Any, *, root: str | None = None) -> int:
    """Check a proof made by `prove` without the trail, and return the number of its record."""
    try:
        record, siblings = proof["record"], tuple(str(item) for item in proof["siblings"])
        index, count, given = int(record["index"]), int(proof["count"]), str(proof["root"])
        expected = record_hash(index, record["payload"], record["previous"])
        fits = record["hash"] == expected and verify_proof(
            leaf_hash(record), MerkleProof(index, count, siblings), given
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("This is no proof.", fix="give the file written by 'groundwire log proof'") from error
    if not fits or (root is not None and root != given):
        raise IntegrityError(
            f"The proof of record {index} does not hold.",
            why="the record, its path or the root was changed",
            fix="ask for the proof again, and compare the root with one you kept",
        )
    return index


def _plain(record: Record) -> dict[str, Any]:
    return {"index": record.index, "payload": record.payload, "previous": record.previous, "hash": record.hash}


def _wrong(what: str, why: str) -> IntegrityError:
    return IntegrityError(what, why=why, fix="restore the trail from a copy that verifies")
