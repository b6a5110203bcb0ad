"""Call other people's code with a limit on its time."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def call(function: Callable[[], T], seconds: float | None) -> T:
    """Call a function; past the limit raise TimeoutError and leave it to its thread."""
    return function() if seconds is None else _start(function).result(seconds)


async def call_async(function: Callable[[], T], seconds: float | None) -> T:
    """Call a function beside the event loop, with the same limit."""
    return await asyncio.wait_for(asyncio.wrap_future(_start(function)), seconds)


def _start(function: Callable[[], T]) -> Future[T]:
    future: Future[T] = Future()

    def run() -> None:
        try:
            result = function()
        except BaseException as error:  # noqa: BLE001, RUF100 - handed to the caller
            if not future.cancelled():
                future.set_exception(error)
        else:
            if not future.cancelled():
                future.set_result(result)

    # A daemon: code that hangs for ever must not keep the process from ending.
    threading.Thread(target=run, name="groundwire-timed", daemon=True).start()
    return future
