"""`run_batch`: a file of responses and sources in, a file of verdicts out."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from groundwire import __version__
from groundwire.batch.blocks import BLOCK_ROWS, Block, choose_records, count_chosen, cut_blocks
from groundwire.batch.journal import Journal, keep_all
from groundwire.batch.local import check_here, check_with_processes, usable_cores
from groundwire.batch.output import Places, check_places, read_meta, write_output
from groundwire.batch.records import count_records, read_records, refuse_missing_columns
from groundwire.batch.worker import Checked, Task, Worker
from groundwire.errors import InputError
from groundwire.ledger import hash_file
from groundwire.types import ModelInfo

FORMAT = 2
_MOST_PROCESSES = 256
_MOST_BLOCK_ROWS = 100_000


class Engine(StrEnum):
    """Who checks the blocks."""

    LOCAL = "local"
    RAY = "ray"


class Existing(StrEnum):
    """What happens to the output of an earlier run."""

    REFUSE = "refuse"
    RESUME = "resume"
    OVERWRITE = "overwrite"


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """How a batch is run; what changes the result is in `task`, `limit`, `sample`, `seed` and `block_rows`."""

    task: Task = field(default_factory=Task)
    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    block_rows: int = BLOCK_ROWS
    processes: int | None = None
    existing: Existing = Existing.REFUSE
    engine: Engine = Engine.LOCAL
    ray_address: str | None = None

    def __post_init__(self) -> None:
        for name, value, most in (
            ("limit", self.limit, None),
            ("sample", self.sample, None),
            ("processes", self.processes, _MOST_PROCESSES),
            ("block_rows", self.block_rows, _MOST_BLOCK_ROWS),
        ):
            if value is not None and (value < 1 or (most is not None and value > most)):
                raise InputError(f"{name} is {value}.", fix=f"give 1 {f'to {most:,}' if most else 'or more'}")


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """What a batch did."""

    out: str
    rows: int
    bad_rows: int
    resumed_rows: int
    model: ModelInfo | None
    policy_hash: str
    bad_file: str | None
    already_complete: bool = False


Progress = Callable[[int, int, int], None]


def run_batch(
    source: str | Path,
    out: str | Path,
    options: BatchOptions | None = None,
    *,
    progress: Progress = lambda done, total, resumed: None,
) -> BatchSummary:
    """Check every row of a file; `progress` hears rows done, rows in all, and rows an earlier run had done."""
    options = options or BatchOptions()
    given, places = Path(source), Places(Path(out))
    check_places(places, given)
    _refuse_existing(places, options.existing)
    refuse_missing_columns(given, options.task.columns.wanted)
    total = count_records(given)
    worker = Worker(options.task)
    header = _header(given, total, options, worker.model)
    if options.existing is Existing.RESUME and places.out.exists() and not places.work.exists():
        return _complete_already(places, header, worker.model)
    journal = Journal(places.work, header, resume=options.existing is Existing.RESUME)
    try:
        resumed = sum(entry.rows + entry.bad for entry in journal.entries.values())
        _check_all(given, total, options, worker, journal, progress)
        entries = journal.entries.values()
        rows, bad = sum(entry.rows for entry in entries), sum(entry.bad for entry in entries)
        write_output(places, journal.blocks(), {**header, "rows": rows, "bad_rows": bad})
    except BaseException:
        if journal.entries:
            journal.close()
        else:
            journal.remove()  # nothing was lost, so nothing needs --resume
        raise
    journal.remove()
    bad_file = str(places.bad) if bad else None
    return BatchSummary(str(out), rows, bad, resumed, worker.model, options.task.policy.hash, bad_file)


def _check_all(
    given: Path, total: int, options: BatchOptions, worker: Worker, journal: Journal, progress: Progress
) -> None:
    chosen = choose_records(read_records(given), total, limit=options.limit, sample=options.sample, seed=options.seed)
    wanted = count_chosen(total, options.limit, options.sample)
    blocks = cut_blocks(chosen, wanted, options.block_rows)
    done = resumed = sum(entry.rows + entry.bad for entry in journal.entries.values())
    progress(done, wanted, resumed)
    if done >= wanted:
        return
    left = (block for block in blocks if block.number not in journal.entries)
    found = _engine(options, worker, left, -(-(wanted - done) // options.block_rows))
    for checked in keep_all(found, journal):
        done += checked.row_count + checked.bad_count
        progress(done, wanted, resumed)


def _engine(options: BatchOptions, worker: Worker, blocks: Iterable[Block], count: int) -> Iterator[Checked]:
    # For one block no second process is worth its start.
    processes = min(options.processes or usable_cores(), count)
    if options.engine is Engine.RAY:
        from groundwire.batch.cluster import check_with_ray  # the one door to ray

        return check_with_ray(options.task, worker.model, blocks, options.ray_address, options.processes)
    if processes == 1:
        return check_here(worker, blocks)
    return check_with_processes(options.task, blocks, processes)


def _header(given: Path, total: int, options: BatchOptions, model: ModelInfo | None) -> dict[str, Any]:
    """Collect everything the result depends on; a run goes on only where all of it is equal."""
    task = options.task
    return {
        "format": FORMAT,
        "version": __version__,
        "input": {"name": given.name, "sha256": hash_file(given), "records": total},
        "policy": task.policy.to_dict(),
        "policy_hash": task.policy.hash,
        "model": None if model is None else {"id": model.id, "hash": model.hash},
        "columns": dict(task.columns.named),
        "atomic": task.atomic,
        "top_k": task.top_k,
        "limit": options.limit,
        "sample": options.sample,
        "seed": None if options.sample is None else options.seed,
        "block_rows": options.block_rows,
    }


def _refuse_existing(places: Places, existing: Existing) -> None:
    if existing is Existing.OVERWRITE:
        if places.work.exists():
            shutil.rmtree(places.work)
        return
    if existing is Existing.RESUME:
        return
    for path in (places.out, *places.beside):
        if os.path.lexists(path):
            raise InputError(
                f"{str(path)!r} exists already.", fix="choose another name, or add --overwrite (or --resume)"
            )
    if os.path.lexists(places.work):
        raise InputError(
            f"{str(places.work)!r} holds an unfinished run.", fix="go on with --resume, or start anew with --overwrite"
        )


def _complete_already(places: Places, header: dict[str, Any], model: ModelInfo | None) -> BatchSummary:
    meta = read_meta(places.out)
    differing = [name for name in header if meta.get(name) != header[name]]
    if differing:
        differ = "differs" if len(differing) == 1 else "differ"
        raise InputError(
            f"{str(places.out)!r} is complete, and was made otherwise: {', '.join(differing)} {differ}.",
            fix="choose another output, or add --overwrite",
        )
    rows, bad = meta["rows"], meta["bad_rows"]
    bad_file = str(places.bad) if bad else None
    return BatchSummary(str(places.out), rows, bad, rows + bad, model, meta["policy_hash"], bad_file, True)
