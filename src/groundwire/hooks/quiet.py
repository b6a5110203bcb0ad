"""Keep other libraries from writing what they are given to read into a log."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_judging: ContextVar[bool] = ContextVar("groundwire_judging", default=False)


class _Quiet(logging.Filter):
    """Drop what a library says while one of our checks runs in this thread or task."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let a record through unless a check is running."""
        return not _judging.get()


_QUIET = _Quiet()


@contextmanager
def quiet(*loggers: str) -> Iterator[None]:
    """Silence some loggers for the length of a check; they stay as they are for everyone else."""
    for name in loggers:
        logging.getLogger(name).addFilter(_QUIET)  # adding it again changes nothing
    token = _judging.set(True)
    try:
        yield
    finally:
        _judging.reset(token)
