"""Keep finished blocks where no kill can lose or tear them."""

import json
import os
import shutil
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from groundwire.batch.worker import Checked
from groundwire.errors import InputError, IntegrityError
from groundwire.ledger import canonical_json, sha256_hex

_JOURNAL = "journal.jsonl"
_DATA = "blocks.data"
_MOST_WAITING = 16  # blocks that wait for the disk


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a finished block lies in the data file: first its rows, then its bad rows."""

    block: int
    at: int
    row_bytes: int
    bad_bytes: int
    rows: int
    bad: int
    sha256: str

    @property
    def end(self) -> int:
        """Return the place behind the block."""
        return self.at + self.row_bytes + self.bad_bytes


class Journal:
    """The finished blocks of one run: data first, then the line that says they are whole, both on disk."""

    def __init__(self, folder: Path, header: dict[str, Any], *, resume: bool) -> None:
        self.folder = folder
        self.entries: dict[int, Entry] = {}
        known = folder.is_dir() and (folder / _JOURNAL).is_file()
        if not known:
            folder.mkdir(exist_ok=True)
        self._journal: IO[bytes] = open(folder / _JOURNAL, "a+b")  # noqa: SIM115 - held as long as the run
        self._data: IO[bytes] = open(folder / _DATA, "a+b")  # noqa: SIM115
        try:
            _lock(self._journal, folder)
            if not (known and resume and self._read(header)):
                self._start(header)
        except BaseException:
            self.close()
            raise

    def add(self, checked: Checked) -> None:
        """Keep a finished block; when this returns, it survives."""
        at = self._data.seek(0, os.SEEK_END)
        content = checked.rows + checked.bad
        entry = Entry(
            checked.block,
            at,
            len(checked.rows),
            len(checked.bad),
            checked.row_count,
            checked.bad_count,
            sha256_hex(content),
        )
        self._data.write(content)
        _to_disk(self._data)
        self._journal.write(canonical_json(asdict(entry)).encode("ascii") + b"\n")
        _to_disk(self._journal)
        self.entries[entry.block] = entry

    def blocks(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield rows and bad rows of all blocks in the order of the input."""
        for number in range(len(self.entries)):
            entry = self.entries.get(number)
            if entry is None:
                raise IntegrityError(f"Block {number} is missing in {self.folder}.", fix="start anew with --overwrite")
            self._data.seek(entry.at)
            content = self._data.read(entry.row_bytes + entry.bad_bytes)
            if sha256_hex(content) != entry.sha256:
                raise IntegrityError(
                    f"Block {number} in {self.folder} does not have the hash that the journal records.",
                    why="the file was changed or the disk is faulty",
                    fix="start anew with --overwrite",
                )
            yield content[: entry.row_bytes], content[entry.row_bytes :]

    def close(self) -> None:
        """Let go of the files; they stay for a later run."""
        self._data.close()
        self._journal.close()

    def remove(self) -> None:
        """Delete the folder when its content has become the output."""
        self.close()
        shutil.rmtree(self.folder)

    def _start(self, header: dict[str, Any]) -> None:
        self._data.truncate(0)
        self._journal.truncate(0)
        self._journal.write(canonical_json(header).encode("ascii") + b"\n")
        _to_disk(self._journal)
        directory_to_disk(self.folder)

    def _read(self, header: dict[str, Any]) -> bool:
        """Take over what an earlier run finished; False when it did not even write its header."""
        self._journal.seek(0)
        lines = self._journal.read().split(b"\n")
        whole = lines[:-1]  # what stands behind the last line end was cut off by the kill
        if not whole:
            return False
        _refuse_other_run(json.loads(whole[0]), header, self.folder)
        for line in whole[1:]:
            try:
                entry = Entry(**json.loads(line))
            except (ValueError, TypeError) as error:
                raise IntegrityError(
                    f"The journal in {self.folder} is damaged.", fix="start anew with --overwrite"
                ) from error
            self.entries[entry.block] = entry
        self._journal.truncate(sum(len(line) + 1 for line in whole))
        self._data.truncate(max((entry.end for entry in self.entries.values()), default=0))
        return True


def keep_all(results: Iterable[Checked], journal: Journal) -> Iterator[Checked]:
    """Keep finished blocks, and yield each when it is safe.

    A thread of its own waits for the disk: a slow one would keep the next blocks from those who check.
    """
    waiting: deque[Future[Checked]] = deque()
    with ThreadPoolExecutor(1) as writer:
        for checked in results:
            waiting.append(writer.submit(_keep, journal, checked))
            while waiting and (waiting[0].done() or len(waiting) > _MOST_WAITING):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _keep(journal: Journal, checked: Checked) -> Checked:
    journal.add(checked)
    return checked


def _refuse_other_run(found: Any, header: dict[str, Any], folder: Path) -> None:
    if found == header:
        return
    differing = [name for name in header if not isinstance(found, dict) or found.get(name) != header[name]]
    differ = "differs" if len(differing) == 1 else "differ"
    raise InputError(
        f"The unfinished run in {folder} was started otherwise: {', '.join(differing)} {differ}.",
        why="its blocks would not fit to new ones",
        fix="use the same input and options, or start anew with --overwrite",
    )


def _to_disk(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def directory_to_disk(folder: Path) -> None:
    """Make new names in a folder survive a power cut, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _lock(file: IO[bytes], folder: Path) -> None:
    try:
        import fcntl
    except ImportError:
        return  # Windows: the open file itself keeps others from deleting it
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InputError(
            f"Another run is at work in {folder}.", fix="wait until it ends, or choose another output"
        ) from error
