"""Worker processes behind one bounded queue; a worker that hangs or dies is replaced."""

import asyncio
import json
import multiprocessing
import threading
import time
from collections import deque
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final

from groundwire.errors import GroundwireError, ModelError
from groundwire.server import problems
from groundwire.server.desk import Answer
from groundwire.server.problems import ProblemError
from groundwire.server.settings import Settings
from groundwire.server.worker import run_worker

_START_LIMIT_S: Final = 120.0


class Job:
    """One piece of work on its way to a worker."""

    __slots__ = ("body", "future", "head", "loop", "worker")

    def __init__(
        self, head: dict[str, Any], body: bytes, loop: asyncio.AbstractEventLoop, worker: int | None = None
    ) -> None:
        self.head, self.body, self.loop, self.worker = head, body, loop, worker
        self.future: asyncio.Future[Answer] = loop.create_future()

    def settle(self, answer: Answer | Exception) -> None:
        """Hand the outcome to the event loop."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._set, answer)

    def _set(self, answer: Answer | Exception) -> None:
        if self.future.done():
            return
        if isinstance(answer, Exception):
            self.future.set_exception(answer)
        else:
            self.future.set_result(answer)


class Pool:
    """Worker processes, each with a thread that hands it one job at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._busy = 0
        self._turn = 0
        self.restarts = 0
        workers = [_start(settings) for _ in range(settings.workers)]
        for worker in workers:
            worker.await_ready()
        self._workers = workers
        self._threads = [
            threading.Thread(target=self._serve, args=(place,), name=f"groundwire-worker-{place}", daemon=True)
            for place in range(settings.workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """Return how many jobs wait for a worker."""
        return len(self._waiting)

    @property
    def busy(self) -> int:
        """Return how many workers are at work."""
        return self._busy

    @property
    def has_room(self) -> bool:
        """Tell whether one more job would be taken."""
        return not self._closing and len(self._waiting) < self._settings.queue + max(0, len(self._workers) - self._busy)

    def choose(self) -> int:
        """Return the worker that keeps the next stream: each in turn."""
        self._turn = (self._turn + 1) % len(self._workers)
        return self._turn

    def submit(self, head: dict[str, Any], body: bytes, *, first: bool = False, worker: int | None = None) -> Job:
        """Queue a job, for a certain worker where it must be; refuse it at once when the queue is full."""
        job = Job(head, body, asyncio.get_running_loop(), worker)
        with self._changed:
            if self._closing:
                raise ProblemError(problems.closing())
            if first:
                self._waiting.appendleft(job)
            elif self.has_room:
                self._waiting.append(job)
            else:
                raise ProblemError(problems.busy())
            # All of them: the one that wakes first may not be the one a job is meant for.
            self._changed.notify_all()
        return job

    def withdraw(self, job: Job) -> None:
        """Drop a job whose caller went away; one at work is left to end."""
        with self._changed:
            if job in self._waiting:
                self._waiting.remove(job)
        job.future.cancel()

    def close(self) -> None:
        """Finish what is queued and end the workers."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        for worker in self._workers:
            worker.end()

    def _serve(self, place: int) -> None:
        while (job := self._next(place)) is not None:
            try:
                job.settle(self._do(place, job))
            finally:
                with self._changed:
                    self._busy -= 1

    def _next(self, place: int) -> Job | None:
        with self._changed:
            while True:
                for job in self._waiting:
                    if job.worker in (None, place):
                        self._waiting.remove(job)
                        self._busy += 1
                        return job
                if self._closing:
                    return None
                self._changed.wait()

    def _do(self, place: int, job: Job) -> Answer | Exception:
        worker = self._workers[place]
        try:
            answer = worker.ask(job.head, job.body, self._settings.time_limit_s)
        except (EOFError, OSError):
            return self._replace(place, ProblemError(problems.worker_died()))
        if answer is None:
            return self._replace(place, ProblemError(problems.too_slow(self._settings.time_limit_s)))
        return answer

    def _replace(self, place: int, outcome: Exception) -> Exception:
        self._workers[place].end()
        self.restarts += 1
        # A worker that cannot start now may start later; until then requests are refused, not lost.
        for attempt in range(3):
            worker = _start(self._settings)
            try:
                worker.await_ready()
            except GroundwireError:
                worker.end()
                time.sleep(attempt)
                continue
            break
        self._workers[place] = worker
        return outcome


class _Worker:
    """One process and our end of its pipe."""

    def __init__(self, process: BaseProcess, connection: Connection) -> None:
        self.process, self._connection = process, connection

    def await_ready(self) -> None:
        """Return when the worker judged its examples rightly."""
        try:
            said = (
                json.loads(self._connection.recv_bytes()) if self._connection.poll(_START_LIMIT_S) else {"failed": ""}
            )
        except (EOFError, OSError):
            said = {"failed": "it ended"}
        if "failed" in said:
            self.end()
            raise ModelError(
                "A worker of the service does not start.",
                why=str(said["failed"]) or "it said nothing",
                fix="run 'groundwire doctor'",
            )

    def ask(self, head: dict[str, Any], body: bytes, limit_s: float) -> Answer | None:
        """Return the answer, None when the time is over."""
        self._connection.send_bytes(json.dumps(head).encode())
        self._connection.send_bytes(body)
        if not self._connection.poll(limit_s):
            return None
        said = json.loads(self._connection.recv_bytes())
        return Answer(said["status"], self._connection.recv_bytes(), said["record"], said["headers"])

    def end(self) -> None:
        """End the process, however it feels about it."""
        self._connection.close()
        self.process.join(0.2)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _start(settings: Settings) -> _Worker:
    # Spawned, not forked: the service has threads, and a fork would copy their locks as they are.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=run_worker, args=(theirs, settings), name="groundwire-worker", daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)
