"""Runs in one SQLite file: written whole or not at all, checked whenever they are read."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from groundwire.audit.policy import AuditPolicy, governance_policy_hash, verifier_policy_hash
from groundwire.audit.record import Run, cache_key, run_dag
from groundwire.audit.results import AuditResult
from groundwire.errors import InputError, IntegrityError
from groundwire.ledger import canonical_json, hash_text
from groundwire.types import EvidenceObject, Source

# "GWRN": the file says itself what it is, so that no other database is ever written to.
_APPLICATION_ID: Final = 0x4757524E
_SCHEMA_VERSION: Final = 1
_TABLE: Final = """
CREATE TABLE runs (
    run_id INTEGER PRIMARY KEY AUTOINCREMENT,
    created_at TEXT NOT NULL,
    root TEXT NOT NULL,
    cache_key TEXT NOT NULL,
    verifier_policy_hash TEXT NOT NULL,
    governance_policy_hash TEXT NOT NULL,
    audit_mode TEXT NOT NULL,
    body TEXT NOT NULL,
    body_hash TEXT NOT NULL
);
"""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with what the store adds to it."""

    run_id: int
    created_at: str
    root: str
    run: Run


class RunStore:
    """A file of recorded runs."""

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        if not self.path.parent.is_dir() or (self.path.exists() and not self.path.is_file()):
            raise InputError(f"{str(path)!r} cannot be a record store.", fix="name a file in an existing folder")
        if not create and not self.path.is_file():
            raise InputError(f"There is no record store at {str(path)!r}.", fix="give the file written by --record")
        # A file that is not there yet is made by the first run, not by asking for it.
        if self.path.is_file():
            with self._open() as connection:
                _check(connection, self.path)

    def add(self, run: Run) -> StoredRun:
        """Write one run; after a crash the file holds all of it or nothing."""
        dag = run_dag(run)
        body = canonical_json(_to_plain(run))
        created = datetime.now(UTC).isoformat(timespec="milliseconds")
        values = (
            created,
            dag.root,
            cache_key(run),
            verifier_policy_hash(run.policy),
            governance_policy_hash(run.policy),
            str(run.result["audit_mode"]),
            body,
            hash_text(body),
        )
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            if _is_empty(connection):
                _lay_out(connection)
            cursor = connection.execute(
                "INSERT INTO runs (created_at, root, cache_key, verifier_policy_hash, governance_policy_hash,"
                " audit_mode, body, body_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            run_id = cursor.lastrowid
        return StoredRun(int(run_id or 0), created, dag.root, run)

    def runs(self) -> Iterator[StoredRun]:
        """Read every run in order and check each against its hashes."""
        if not self.path.is_file():
            return
        with self._open() as connection:
            if _is_empty(connection):
                return
            rows = connection.execute("SELECT run_id, created_at, root, body, body_hash FROM runs ORDER BY run_id")
            for row in rows:
                yield _from_row(row)

    def get(self, run_id: int) -> StoredRun:
        """Read one run by its number."""
        return self._one("run_id = ?", run_id) or _missing(run_id)

    def cached(self, run: Run) -> StoredRun | None:
        """Return the latest run with the same answer, evidence ids and policy hashes."""
        return self._one("cache_key = ? ORDER BY run_id DESC LIMIT 1", cache_key(run))

    def _one(self, where: str, value: object) -> StoredRun | None:
        if not self.path.is_file():
            return None
        with self._open() as connection:
            if _is_empty(connection):
                return None
            row = connection.execute(
                f"SELECT run_id, created_at, root, body, body_hash FROM runs WHERE {where}",  # noqa: S608
                (value,),
            ).fetchone()
        return None if row is None else _from_row(row)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = sqlite3.connect(self.path, timeout=30)
        except sqlite3.Error as error:
            raise InputError(
                f"The record store {str(self.path)!r} cannot be opened.", why=str(error), fix="check path and rights"
            ) from error
        try:
            # One transaction per opening: committed when the block ends, rolled back on any error.
            with connection:
                yield connection
        except sqlite3.DatabaseError as error:
            raise IntegrityError(
                f"The record store {str(self.path)!r} cannot be used.",
                why=str(error),
                fix="restore the file from a copy, or record into a new file",
                retry=isinstance(error, sqlite3.OperationalError),
            ) from error
        finally:
            connection.close()


def _is_empty(connection: sqlite3.Connection) -> bool:
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(application_id == 0 and objects == 0)


def _lay_out(connection: sqlite3.Connection) -> None:
    connection.execute(_TABLE)
    connection.execute("CREATE INDEX runs_cache_key ON runs (cache_key)")
    connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is broken or no record store; an empty one will do."""
    if _is_empty(connection):
        return
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application_id != _APPLICATION_ID or version != _SCHEMA_VERSION:
        raise IntegrityError(
            f"The file {str(path)!r} is no record store of this version.",
            why="it is another program's database, or was written by another version",
            fix="give a new file name",
        )
    (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if state != "ok":
        raise IntegrityError(
            f"The record store {str(path)!r} is damaged.", why=str(state), fix="restore it from a copy"
        )


def _missing(run_id: int) -> StoredRun:
    raise InputError(f"There is no run {run_id} in the record store.", fix="list the runs with 'groundwire runs show'")


def _to_plain(run: Run) -> dict[str, Any]:
    result = run.result.to_dict() if isinstance(run.result, AuditResult) else dict(run.result)
    return {
        "mode": run.mode,
        "question": run.question,
        "answer": run.answer,
        "context": [asdict(source) for source in run.context],
        "evidence_map": [asdict(entry) for entry in run.evidence_map],
        "policy": run.policy.to_dict(),
        "result": result,
    }


def _from_row(row: tuple[int, str, str, str, str]) -> StoredRun:
    run_id, created_at, root, body, body_hash = row
    if hash_text(body) != body_hash:
        _tampered(run_id, "its text was changed after it was written")
    plain = json.loads(body)
    run = Run(
        mode=plain["mode"],
        question=plain["question"],
        answer=plain["answer"],
        context=tuple(Source(**item) for item in plain["context"]),
        evidence_map=tuple(EvidenceObject(**item) for item in plain["evidence_map"]),
        policy=AuditPolicy.from_dict(plain["policy"]),
        result=plain["result"],
    )
    if run_dag(run).root != root:
        _tampered(run_id, "its parts do not lead to its root")
    return StoredRun(run_id, created_at, root, run)


def _tampered(run_id: int, why: str) -> None:
    raise IntegrityError(f"Run {run_id} does not match its hash.", why=why, fix="restore the file from a copy")
