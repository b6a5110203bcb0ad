"""Jobs: many rows checked in the background by the batch runner, resumed after a restart."""

import asyncio
import json
import multiprocessing
import os
import secrets
import shutil
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from groundwire import __version__
from groundwire.batch import BatchOptions, Existing, ModelChoice, Task, run_batch
from groundwire.errors import GroundwireError
from groundwire.ledger import hash_file, hash_text
from groundwire.server import problems
from groundwire.server.bodies import JobBody
from groundwire.server.checks import policy_within
from groundwire.server.database import FolderLock, make_folder
from groundwire.server.decision import decision_record
from groundwire.server.desk import Answer, Desk, dump, read_body, where
from groundwire.server.edge import log
from groundwire.server.keys import Tenant
from groundwire.server.problems import Problem, ProblemError
from groundwire.server.routes import JOB
from groundwire.server.settings import Settings
from groundwire.server.writer import TrailWriter
from groundwire.types import Policy

FOLDER: Final = "jobs"
_ROWS, _OUT, _STATE, _PROGRESS = "rows.jsonl", "out.jsonl", "job.json", "progress.json"
_ATTEMPTS: Final = 3
_BLOCK_ROWS: Final = 50
_LOOK_S: Final = 0.5
_PUBLIC: Final = ("job_id", "state", "created_at", "rows", "bad_rows", "approved", "record", "why")
_FULL = Problem(
    507, "jobs-full", "The tenant has too many jobs", "The limit of kept jobs is reached.", "remove finished jobs first"
)


def create(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Keep the rows of a job and queue it."""
    body = read_body(raw, JobBody, desk.settings)
    policy = policy_within(desk, body.policy)
    folder = _tenant_folder(desk.settings, head["tenant"])
    if folder.is_dir() and len(os.listdir(folder)) >= desk.settings.max_jobs:
        raise ProblemError(_FULL)
    job_id = secrets.token_hex(16)
    place = folder / job_id
    make_folder(place)
    rows = [json.dumps(row.model_dump(exclude_none=True)) for row in body.rows]
    (place / _ROWS).write_text("\n".join(rows) + "\n", encoding="ascii")
    state = {
        "job_id": job_id,
        "state": "queued",
        "created_at": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "rows": len(rows),
        "tenant": head["tenant"],
        "key_id": head["key_id"],
        "policy": policy.to_dict(),
        "atomic": body.atomic,
        "attempts": 0,
    }
    # Last of all: a job without this file was never taken.
    _write(place / _STATE, state)
    return Answer(200, dump(_shown(place, state)))


def list_jobs(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """List the jobs of the tenant, oldest first."""
    folder = _tenant_folder(desk.settings, head["tenant"])
    found = [_shown(place, state) for place, state in _jobs(folder)]
    return Answer(200, dump({"jobs": sorted(found, key=lambda item: str(item["created_at"]))}))


def get_job(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Tell how far a job is."""
    place, state = _find(desk, head)
    return Answer(200, dump(_shown(place, state)))


def get_result(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Return the rows of a finished job."""
    place, state = _find(desk, head)
    if state["state"] != "done":
        raise ProblemError(
            Problem(
                409, "job-unfinished", "The job is not done", f"Its state is {state['state']!r}.", "ask again later", 2
            )
        )
    bad = place / f"{_OUT}.bad.jsonl"
    found = {"rows": _lines(place / _OUT), "bad": _lines(bad) if bad.is_file() else []}
    return Answer(200, dump(found))


def delete_job(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Remove a job and its rows; one that runs is stopped at its next step."""
    place, state = _find(desk, head)
    (place / _STATE).unlink(missing_ok=True)
    shutil.rmtree(place, ignore_errors=True)
    return Answer(200, dump({"job_id": state["job_id"], "state": "removed"}))


class JobRunner:
    """Run queued jobs one after the other, each in a process of its own."""

    def __init__(self, settings: Settings, writer: TrailWriter) -> None:
        self._settings, self._writer = settings, writer
        self._stop = threading.Event()
        self._lock = FolderLock(settings.data / FOLDER)
        self._thread = threading.Thread(target=self._run, name="groundwire-jobs", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop; a job that runs goes on where it was when the service starts again."""
        self._stop.set()
        self._thread.join()
        self._lock.release()

    def _run(self) -> None:
        while not self._stop.wait(_LOOK_S):
            try:
                # Several services may share the folder: the one that holds the lock runs the jobs of all.
                if not self._lock.held():
                    continue
                place = self._next()
                if place is not None:
                    self._do(place)
            except Exception as error:  # the edge: one broken job must not end the others
                log("fault", store="jobs", fault=where(error))

    def _next(self) -> Path | None:
        waiting: list[tuple[str, Path]] = []
        root = self._settings.data / FOLDER
        for tenant in sorted(root.iterdir()) if root.is_dir() else ():
            waiting += [
                (state["created_at"], place)
                for place, state in _jobs(tenant)
                if state["state"] in ("queued", "running", "checked")
            ]
        return min(waiting)[1] if waiting else None

    def _do(self, place: Path) -> None:
        state = _read(place)
        if state is None:
            return
        if state["state"] != "checked":
            state |= {"state": "running", "attempts": state["attempts"] + 1}
            if state["attempts"] > _ATTEMPTS:
                state |= {"state": "failed", "why": "The process that ran it ended several times."}
            _write(place / _STATE, state)
            if state["state"] == "failed" or not self._process(place):
                return
            state = _read(place)
        if state is not None and state["state"] == "checked":
            self._record(place, state)

    def _process(self, place: Path) -> bool:
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=run_job, args=(place, self._settings), name="groundwire-job", daemon=True)
        process.start()
        while process.is_alive():
            if self._stop.is_set() or not (place / _STATE).is_file():
                process.kill()
                process.join()
                _give_attempt_back(place)
                return False
            process.join(_LOOK_S / 5)
        return process.exitcode == 0

    def _record(self, place: Path, state: dict[str, Any]) -> None:
        tenant = Tenant(state["tenant"], state["key_id"], frozenset())
        record = {
            "version": __version__,
            "response_hash": hash_file(place / _ROWS),
            "source_hashes": [],
            "approved": state["approved"] == state["rows"],
            "score": None,
            "scores": {name: state[name] for name in ("rows", "bad_rows", "approved")},
            "result_hash": hash_file(place / _OUT),
            "status": "checked",
            "policy_hash": Policy.from_dict(state["policy"]).hash,
            "model": state["model"],
        }
        payload = decision_record(state["job_id"], JOB, tenant, record)
        receipt = asyncio.run(self._writer.append(payload))
        _write(place / _STATE, state | {"state": "done", "record": str(receipt)})


def run_job(place: Path, settings: Settings) -> None:
    """Run one job to its end, in a process of its own."""
    state = _read(place)
    if state is None:
        return
    model = ModelChoice(path=settings.model_path or None) if settings.model else None
    task = Task(policy=Policy.from_dict(state["policy"]), model=model, atomic=state["atomic"])
    options = BatchOptions(task=task, processes=1, block_rows=_BLOCK_ROWS, existing=Existing.RESUME)

    def progress(done: int, total: int, resumed: int) -> None:
        if not (place / _STATE).is_file():
            raise SystemExit(1)  # it was removed
        _write(place / _PROGRESS, {"done": done})

    try:
        summary = run_batch(place / _ROWS, place / _OUT, options, progress=progress)
    except GroundwireError as error:
        _write(place / _STATE, state | {"state": "failed", "why": error.what})
        return
    approved = sum(bool(row.get("approved")) for row in _lines(place / _OUT))
    found = {"bad_rows": summary.bad_rows, "approved": approved}
    info = None if summary.model is None else {"id": summary.model.id, "hash": summary.model.hash}
    _write(place / _STATE, state | found | {"state": "checked", "model": info})


def _give_attempt_back(place: Path) -> None:
    # The service ended, not the job: that is no fault of it.
    state = _read(place)
    if state is not None and state["state"] == "running":
        _write(place / _STATE, state | {"attempts": max(0, state["attempts"] - 1)})


def _tenant_folder(settings: Settings, tenant: str) -> Path:
    return settings.data / FOLDER / hash_text(tenant)[:32]


def _find(desk: Desk, head: dict[str, Any]) -> tuple[Path, dict[str, Any]]:
    job_id = str(head["params"]["job_id"])
    place = _tenant_folder(desk.settings, head["tenant"]) / job_id
    # Only what `create` could have made is looked for: no path leads out of the tenant's folder.
    known = len(job_id) == 32 and all(sign in "0123456789abcdef" for sign in job_id)
    state = _read(place) if known else None
    if state is None:
        raise ProblemError(problems.not_found())
    return place, state


def _jobs(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        state = _read(place)
        if state is not None:
            yield place, state


def _shown(place: Path, state: dict[str, Any]) -> dict[str, Any]:
    try:
        done = json.loads((place / _PROGRESS).read_bytes())["done"]
    except (OSError, ValueError, KeyError):
        done = 0
    shown = {name: state.get(name) for name in _PUBLIC}
    shown["state"] = "running" if shown["state"] == "checked" else shown["state"]
    return shown | {"done": state["rows"] if state["state"] in ("checked", "done") else done}


def _read(place: Path) -> dict[str, Any] | None:
    try:
        state: dict[str, Any] = json.loads((place / _STATE).read_bytes())
    except (OSError, ValueError):
        return None
    return state


def _write(path: Path, value: dict[str, Any]) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with part.open("wb") as file:
            file.write(dump(value))
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except FileNotFoundError:
        return  # the job was removed


def _lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
