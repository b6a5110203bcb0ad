"""Run the two halves of a review at the same time."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_WORKERS = 4

First = TypeVar("First")
Second = TypeVar("Second")


def side_by_side(first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second]:
    """Run the first half in a worker while the second, which may wait for a store, runs here."""
    future = _pool().submit(first)
    try:
        done = second()
    except BaseException:
        future.cancel()
        raise
    # A worker that has not begun by now, or never will in a forked child, would only make us wait.
    return (first() if future.cancel() else future.result()), done


@cache
def _pool() -> "ThreadPoolExecutor":
    from concurrent.futures import ThreadPoolExecutor  # heavy, and most scorers never need it

    return ThreadPoolExecutor(max_workers=_WORKERS, thread_name_prefix="groundwire-coherence")
