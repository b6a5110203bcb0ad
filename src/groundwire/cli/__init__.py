"""The command line: every error is one line on stderr, never a traceback."""

import os
import sys
from collections.abc import Sequence
from typing import cast

import typer

from groundwire.cli.app import build_app
from groundwire.cli.output import one_line
from groundwire.errors import GroundwireError

USAGE = 2
INTERRUPTED = 130  # what a shell reports for a process ended by Ctrl-C
CLOSED_PIPE = 141  # and for one whose reader went away

# Typer carries click inside itself in newer versions and beside itself in
# older ones; the parent of its public BadParameter is UsageError in both.
_UsageError = cast(type[Exception], typer.BadParameter.__base__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    _survive_any_encoding()
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except GroundwireError as error:
        return _complain(str(error), USAGE)
    except _UsageError as error:
        text = cast(typer.BadParameter, error).format_message()
        return _complain(f"{text} Do this: see groundwire --help", USAGE)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("Interrupted.", INTERRUPTED)
    except BrokenPipeError:
        # Python flushes stdout once more at exit; give it a place to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _complain("The reader closed the output before everything was written.", CLOSED_PIPE)
    return status


def _run(arguments: list[str]) -> int:
    command = typer.main.get_command(build_app())
    # Without a command there is nothing to do: show the help, yet fail, so
    # that a gate whose arguments got lost does not pass.
    status = 0 if arguments else USAGE
    try:
        with command.make_context("groundwire", arguments or ["--help"]) as context:
            result = command.invoke(context)
    except typer.Exit as stop:
        return stop.exit_code or status
    return result if isinstance(result, int) else 0


def _survive_any_encoding() -> None:
    # Text may hold characters the terminal cannot show, even unpaired surrogates.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _complain(text: str, status: int) -> int:
    sys.stderr.write(f"groundwire: {one_line(text)}\n")
    return status
