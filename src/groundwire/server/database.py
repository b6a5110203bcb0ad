"""Open an SQLite file that says itself what it is; the one door of the service to SQLite."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from groundwire.errors import InputError, IntegrityError

_BUSY_S = 5.0


@dataclass(frozen=True, slots=True)
class Layout:
    """What a kind of file is called, marked with, and holds."""

    name: str
    application_id: int
    version: int
    statements: tuple[str, ...]
    # A file of limits may lose its last second in a power cut; keys and records may not.
    durable: bool = True


def make_folder(path: Path) -> None:
    """Make the folder of the service, readable by its owner alone."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"The folder {str(path)!r} cannot be made.", why=error.strerror or "", fix="choose another --data folder"
        ) from error


def open_database(path: Path, layout: Layout, *, create: bool = True) -> sqlite3.Connection:
    """Open a file of a layout and refuse every other file."""
    if not create and not path.is_file():
        raise InputError(f"There is no {layout.name} at {str(path)!r}.", fix="check the --data folder")
    if create and not path.exists():
        # Made by hand, so that nobody else can read it even for a moment.
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise InputError(
                f"The {layout.name} {str(path)!r} cannot be made.",
                why=error.strerror or "",
                fix="check path and rights",
            ) from error
    try:
        connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise InputError(
            f"The {layout.name} {str(path)!r} cannot be opened.", why=str(error), fix="check path and rights"
        ) from error
    try:
        _prepare(connection, layout, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, layout: Layout, path: Path) -> None:
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'FULL' if layout.durable else 'OFF'}")
        connection.execute("PRAGMA trusted_schema = OFF")
        with transaction(connection):
            (application_id,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if application_id == 0 and objects == 0:
                for statement in layout.statements:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {layout.application_id}")
                connection.execute(f"PRAGMA user_version = {layout.version}")
            elif (application_id, version) != (layout.application_id, layout.version):
                raise IntegrityError(
                    f"The file {str(path)!r} is no {layout.name} of this version.",
                    why="it is another program's database, or was written by another version",
                    fix="give another --data folder",
                )
    except sqlite3.Error as error:
        raise IntegrityError(
            f"The {layout.name} {str(path)!r} cannot be used.",
            why=str(error),
            fix="check disk and rights, or restore the file from a copy",
            retry=isinstance(error, sqlite3.OperationalError),
        ) from error


class FolderLock:
    """Be the only process that does something in a folder; the system frees the lock of one that dies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None

    def held(self) -> bool:
        """Tell whether the lock is ours, after trying to get it."""
        if self._file is not None:
            return True
        try:
            import fcntl  # not on every system; where it is missing only one service may use a folder
        except ImportError:
            return True
        make_folder(self._folder)
        file = (self._folder / ".lock").open("wb")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Let another process have it."""
        if self._file is not None:
            self._file.close()
            self._file = None


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run a block as one write: all of it is kept, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        # After a full disk SQLite may have rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    try:
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
