"""The file of a knowledge store: how it is laid out, opened, and refused."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from groundwire.errors import InputError, IntegrityError

# "GWKB": the file says itself what it is, so that no other database is ever written to.
_APPLICATION_ID: Final = 0x47574B42
_SCHEMA_VERSION: Final = 1
_LAYOUT: Final = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE tenants (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE sources (number INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, name TEXT NOT NULL,"
    " content_hash TEXT NOT NULL, added_at TEXT NOT NULL, characters INTEGER NOT NULL, body BLOB NOT NULL,"
    " UNIQUE (tenant, name))",
    "CREATE TABLE documents (number INTEGER PRIMARY KEY AUTOINCREMENT, doc_id TEXT NOT NULL UNIQUE,"
    " tenant INTEGER NOT NULL, source INTEGER, text TEXT NOT NULL, metadata TEXT NOT NULL, terms BLOB NOT NULL,"
    " size INTEGER NOT NULL, vector BLOB NOT NULL)",
    "CREATE INDEX documents_tenant ON documents (tenant, size)",
    "CREATE INDEX documents_source ON documents (source)",
    # The terms lie packed in `documents`; the index says which documents hold a term, and nothing more.
    "CREATE VIRTUAL TABLE words USING fts5 (terms, content='', columnsize=0, detail=none, tokenize='ascii')",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row')",
    "INSERT INTO facts VALUES ('revision', '0')",
    f"PRAGMA user_version = {_SCHEMA_VERSION}",
    f"PRAGMA application_id = {_APPLICATION_ID}",
)


def open_store(path: Path, *, create: bool, timeout: float) -> sqlite3.Connection:
    """Open a store, or lay out a new one; refuse every other file."""
    if not path.parent.is_dir() or (path.exists() and not path.is_file()):
        raise InputError(f"{str(path)!r} cannot be a knowledge store.", fix="name a file in an existing folder")
    if not create and not path.is_file():
        raise InputError(f"There is no knowledge store at {str(path)!r}.", fix="make one with 'groundwire kb add'")
    with readable_errors(path):
        connection = sqlite3.connect(path, timeout=timeout, check_same_thread=False, isolation_level=None)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    # Asked before anything is written: another program's file stays as it is.
    if _is_empty(connection):
        # A passage with its terms and vector fills half a page of the usual size, and the rest would lie idle.
        connection.execute("PRAGMA page_size = 16384")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        # Two processes may have found the file empty; the second one waits and looks again.
        if _is_empty(connection):
            for statement in _LAYOUT:
                connection.execute(statement)
        connection.execute("COMMIT")
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application_id != _APPLICATION_ID:
        raise IntegrityError(
            f"The file {str(path)!r} is no knowledge store.",
            why="it is a database of another program or of another part of this one",
            fix="give the file written by 'groundwire kb add', or a new name",
        )
    if version > _SCHEMA_VERSION:
        raise IntegrityError(
            f"The knowledge store {str(path)!r} was written by a newer version.",
            why=f"its layout has the number {version}, and this version knows {_SCHEMA_VERSION}",
            fix="update groundwire, or fill a new store",
        )
    # With a write-ahead log this loses no committed write when the program ends, however it ends.
    connection.execute("PRAGMA synchronous = NORMAL")


def _is_empty(connection: sqlite3.Connection) -> bool:
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(application_id == 0 and objects == 0)


@contextmanager
def readable_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite says into errors that tell a user what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise InputError(
                f"The knowledge store {str(path)!r} is locked.",
                why="another program is writing to it",
                fix="wait for it to end and try again",
                retry=True,
            ) from error
        raise InputError(
            f"The knowledge store {str(path)!r} cannot be used.",
            why=str(error),
            fix="check the path, its rights and the free space",
        ) from error
    except sqlite3.ProgrammingError as error:
        raise InputError(
            f"The knowledge store {str(path)!r} cannot be asked.", why=str(error), fix="open it anew if it was closed"
        ) from error
    except UnicodeEncodeError as error:
        raise InputError(
            "A name is no valid Unicode.", why=f"character {error.start} is half of a pair", fix="give another name"
        ) from error
    except sqlite3.DatabaseError as error:
        raise IntegrityError(
            f"The file {str(path)!r} is no knowledge store, or a damaged one.",
            why=str(error),
            fix="restore it from a copy, or fill a new store with 'groundwire kb add'",
        ) from error
