"""Check blocks with the actors of a Ray cluster: the one door to ray."""

import os
from collections.abc import Iterable, Iterator
from typing import Any

from groundwire import __version__
from groundwire.batch.blocks import Block
from groundwire.batch.worker import Checked, Task, Worker, refused
from groundwire.errors import GroundwireError, InputError, MissingExtraError, ModelError
from groundwire.types import ModelInfo

_AHEAD = 2  # blocks an actor has waiting
_RESTARTS = -1  # an actor that dies is always started anew
_RETRIES = 2  # of one block whose actor died
_CONNECT_SECONDS = 20


def check_with_ray(
    task: Task, model: ModelInfo | None, blocks: Iterable[Block], address: str | None, actors: int | None
) -> Iterator[Checked]:
    """Check blocks with Ray actors, each of which loads the model once, and yield them as they are done."""
    ray = _ray()
    started = not ray.is_initialized()
    if started:
        _connect(ray, address)
    try:
        count = actors or max(1, int(ray.cluster_resources().get("CPU", 1)))
        yield from _drain(ray, task, _actors(ray, task, model, count), iter(blocks))
    finally:
        # A cluster that the caller had joined before stays joined.
        if started:
            ray.shutdown()


def _drain(ray: Any, task: Task, actors: list[Any], waiting: Iterator[Block]) -> Iterator[Checked]:
    running: dict[Any, tuple[Any, Block]] = {}
    idle = actors * (1 + _AHEAD)
    while True:
        while idle:
            block = next(waiting, None)
            if block is None:
                break
            actor = idle.pop()
            running[actor.check.remote(block)] = (actor, block)
        if not running:
            return
        done, _ = ray.wait(list(running), num_returns=1)
        for reference in done:
            actor, block = running.pop(reference)
            idle.append(actor)
            # An actor may have died of another block that waited with this one: alone it is told who is to blame.
            yield _result(ray, reference) or _check_alone(ray, task, block)


def _check_alone(ray: Any, task: Task, block: Block) -> Checked:
    actor = ray.remote(num_cpus=0)(_Actor).remote(task)
    try:
        why = "the actor that checked its block died again and again, most likely for lack of memory"
        return _result(ray, actor.check.remote(block)) or refused(block, why)
    finally:
        ray.kill(actor)


def _result(ray: Any, reference: Any) -> Checked | None:
    """Return a checked block, None when its actor died of it or beside it."""
    try:
        checked = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, GroundwireError):
            raise cause from None
        raise ModelError("A Ray actor failed.", why=_first_line(error), fix="see the log of the cluster") from error
    except ray.exceptions.RayActorError:
        return None
    assert isinstance(checked, Checked)  # noqa: S101 - tells mypy what an untyped library returns
    return checked


def _actors(ray: Any, task: Task, model: ModelInfo | None, count: int) -> list[Any]:
    remote = ray.remote(num_cpus=1, max_restarts=_RESTARTS, max_task_retries=_RETRIES)(_Actor)
    actors = [remote.remote(task) for _ in range(count)]
    for answer in ray.get([actor.about.remote() for actor in actors[:1]]):
        if answer != (__version__, model):
            raise ModelError(
                f"The cluster runs Groundwire {answer[0]} with model {answer[1]}, not {__version__} with {model}.",
                why="its result would differ from that of this machine",
                fix="install the same version of Groundwire on every node",
            )
    return actors


class _Actor:
    """A worker in a process of the cluster."""

    def __init__(self, task: Task) -> None:
        self._worker = Worker(task)

    def about(self) -> tuple[str, ModelInfo | None]:
        """Tell which version and model this actor checks with."""
        return __version__, self._worker.model

    def check(self, block: Block) -> Checked:
        """Check one block."""
        return self._worker.check(block)


def _connect(ray: Any, address: str | None) -> None:
    # Nothing is told to anybody, and no page is served: the variables are read when Ray starts.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray announces a change of behaviour with GPUs, which we do not use.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", str(_CONNECT_SECONDS))
    options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    if address is None:
        options |= {"include_dashboard": False, "address": "local"}
    else:
        _refuse_silent(address)
        options |= {"address": address}
    try:
        ray.init(**options)
    except (ConnectionError, TimeoutError, RuntimeError, ValueError, OSError) as error:
        raise _no_answer(address, _first_line(error)) from error


def _refuse_silent(address: str) -> None:
    """Knock before Ray does: it would wait for minutes at an address where nobody answers."""
    import socket

    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if address == "auto" or not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS / 4).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise _no_answer(address, getattr(error, "strerror", None) or str(error)) from error


def _no_answer(address: str | None, why: str) -> InputError:
    where = f"The Ray cluster at {address!r} does not answer." if address else "Ray cannot be started on this machine."
    return InputError(where, why=why, fix="check the address (host:6379, ray://host:10001 or auto), or leave it out")


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("--engine ray", "ray") from error
    return ray


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0][:200] or type(error).__name__
