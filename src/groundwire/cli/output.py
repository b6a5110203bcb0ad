"""Write what a command has to say."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from groundwire.errors import InputError
from groundwire.render.plain import visible, visible_lines

WIDEST = 110  # longer lines are hard to read


def write(text: str) -> None:
    """Write a text and its line end to standard output."""
    sys.stdout.write(text + "\n")


def write_part(text: str) -> None:
    """Write a part of a text at once; a terminal is not driven by it."""
    sys.stdout.write(visible_lines(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def write_line(value: Any) -> None:
    """Write a value as one line of JSON at once."""
    write(json.dumps(value, ensure_ascii=True, allow_nan=False))
    sys.stdout.flush()


def complain(text: str) -> None:
    """Write lines to standard error, beside a result that is under way."""
    sys.stderr.write(text + "\n")


def note(text: str) -> None:
    """Write one line to standard error, so that standard output stays the result alone."""
    # What was printed before comes before, also where standard output is a file or a pipe.
    sys.stdout.flush()
    sys.stderr.write(f"groundwire: {one_line(text)}\n")


def write_json(value: Any) -> None:
    """Write a value as JSON that any terminal and any parser can take."""
    # ASCII only: unpaired surrogates survive as escapes, and no terminal is driven by the text.
    write(json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False))


def progress(name: str) -> Callable[[int, int], None]:
    """Return what shows how far the work on a file has come, on a terminal alone."""
    if not sys.stderr.isatty():
        return lambda done, total: None

    def show(done: int, total: int) -> None:
        # A hundred steps are enough for the eye; the last one clears the line.
        if done == total:
            sys.stderr.write("\r\x1b[K")
        elif done % max(1, total // 100) == 0:
            sys.stderr.write(f"\r{one_line(name)}: {done:,} of {total:,} rows")
        sys.stderr.flush()

    return show


def write_file(path: str, text: str, inputs: Sequence[str]) -> None:
    """Write a file, never over one of the inputs."""
    if path == "-":
        raise InputError("A file that is written cannot be standard output.", fix="give a file name")
    target = Path(path)
    try:
        if any(os.path.exists(name) and os.path.exists(path) and os.path.samefile(name, path) for name in inputs):
            raise InputError(f"{path!r} is one of the inputs.", fix="choose another name for what is written")
        target.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"The file {path!r} cannot be written.", why=why, fix="choose another place") from error


def one_line(text: str) -> str:
    """Put a message on one line that cannot drive the terminal."""
    return visible(" ".join(text.split()))


def terminal_width() -> int:
    """Tell how wide the output may be."""
    return max(20, min(WIDEST, shutil.get_terminal_size((80, 24)).columns))


def wants_colour() -> bool:
    """Tell whether standard output shows colours and the user wants them."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def is_utf8() -> bool:
    """Tell whether standard output takes every character."""
    return (sys.stdout.encoding or "").lower().replace("-", "").replace("_", "") == "utf8"
