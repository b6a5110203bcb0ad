"""The command line: every error is one line on stderr, never a traceback."""

import os
import sys
from collections.abc import Sequence

from groundwire.cli.output import one_line
from groundwire.errors import GroundwireError

USAGE = 2
INTERRUPTED = 130  # what a shell reports for a process ended by Ctrl-C
CLOSED_PIPE = 141  # and for one whose reader went away


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    _survive_any_encoding()
    try:
        # Loaded here, so that Ctrl-C while it loads ends in one line too.
        from groundwire.cli.app import run

        # Without a command there is nothing to do: show the help, yet fail, so
        # that a gate whose arguments got lost does not pass.
        status = run(arguments) if arguments else run(["--help"]) or USAGE
        sys.stdout.flush()
    except GroundwireError as error:
        return _complain(str(error), USAGE)
    except KeyboardInterrupt:
        return _complain("Interrupted.", INTERRUPTED)
    except BrokenPipeError:
        # Python flushes stdout once more at exit; give it a place to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _complain("The reader closed the output before everything was written.", CLOSED_PIPE)
    return status


def _survive_any_encoding() -> None:
    # Text may hold characters the terminal cannot show, even unpaired surrogates.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _complain(text: str, status: int) -> int:
    sys.stderr.write(f"groundwire: {one_line(text)}\n")
    return status
