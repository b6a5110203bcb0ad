"""Check blocks with several processes of this machine."""

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, get_context, parent_process

from groundwire.batch.blocks import Block
from groundwire.batch.worker import Checked, Task, Worker, refused
from groundwire.errors import GroundwireError, ModelError

_AHEAD = 2  # blocks a process has waiting, so that it never waits for one
_worker: Worker | GroundwireError | None = None


def usable_cores() -> int:
    """Count the cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_here(worker: Worker, blocks: Iterable[Block]) -> Iterator[Checked]:
    """Check blocks in this process, one after the other."""
    return map(worker.check, blocks)


def check_with_processes(task: Task, blocks: Iterable[Block], processes: int) -> Iterator[Checked]:
    """Check blocks with several processes and yield them as they are done, in any order.

    A process that dies takes no block with it: the blocks it may have had are checked again, each alone.
    """
    waiting = iter(blocks)
    while True:
        lost: list[Block] = []
        with _pool(task, processes) as pool:
            yield from _drain(pool, waiting, processes, lost)
        if not lost:
            return
        for block in lost:
            yield _check_alone(task, block)


def _drain(pool: ProcessPoolExecutor, waiting: Iterator[Block], processes: int, lost: list[Block]) -> Iterator[Checked]:
    running: dict[Future[Checked], Block] = {}
    try:
        while True:
            while len(running) < processes * (1 + _AHEAD) and not lost:
                block = next(waiting, None)
                if block is None:
                    break
                try:
                    running[pool.submit(_check, block)] = block
                except BrokenProcessPool:
                    lost.append(block)
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                block = running.pop(future)
                try:
                    checked = future.result()
                except BrokenProcessPool:
                    lost.append(block)
                    continue
                yield checked
    finally:
        # After an error or Ctrl-C nobody wants what is still waiting.
        pool.shutdown(wait=False, cancel_futures=True)


def _check_alone(task: Task, block: Block) -> Checked:
    """Check a block that may kill its process; if it does, row by row, and the guilty row is bad."""
    with _pool(task, 1) as pool:
        try:
            return pool.submit(_check, block).result()
        except BrokenProcessPool:
            pass
    parts: list[Checked] = []
    rows = [Block(block.number, (record,)) for record in block.records]
    while len(parts) < len(rows):
        with _pool(task, 1) as pool:
            try:
                for row in rows[len(parts) :]:
                    parts.append(pool.submit(_check, row).result())  # noqa: PERF401 - what came before a death counts
            except BrokenProcessPool:
                parts.append(refused(rows[len(parts)], "the process that checked it died, likely for lack of memory"))
    return Checked(
        block.number,
        b"".join(part.rows for part in parts),
        b"".join(part.bad for part in parts),
        sum(part.row_count for part in parts),
        sum(part.bad_count for part in parts),
    )


def _pool(task: Task, processes: int) -> ProcessPoolExecutor:
    # Not forked: a forked child has the parent's locks without its threads.
    return ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_start, initargs=(task,))


def _start(task: Task) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _worker = Worker(task)
    except GroundwireError as error:
        _worker = error  # raised here it would only tell the parent that a process died


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        # A killed parent says no goodbye, and its children would wait for work for ever.
        connection.wait([parent.sentinel])
        os._exit(1)


def _check(block: Block) -> Checked:
    if isinstance(_worker, Worker):
        return _worker.check(block)
    raise _worker or ModelError("The process was started without its worker.", fix="run the batch again", retry=True)
