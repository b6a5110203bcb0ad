"""Build the command line out of its commands."""

from collections.abc import Sequence
from typing import Annotated, cast

import typer

from groundwire import __version__
from groundwire.cli import (
    audit,
    batch,
    cite,
    compare,
    doctor,
    evaluate,
    kb,
    keys,
    log,
    passport,
    policy,
    report,
    review,
    runs,
    scan,
    serve,
    stream,
    tune,
    verify,
)
from groundwire.errors import InputError

COMMANDS = (
    verify,
    stream,
    review,
    audit,
    cite,
    kb,
    runs,
    scan,
    evaluate,
    tune,
    batch,
    report,
    compare,
    policy,
    passport,
    serve,
    keys,
    log,
    doctor,
)

# Typer carries click inside itself in newer versions and beside itself in
# older ones; the parent of its public BadParameter is UsageError in both.
_UsageError = cast(type[typer.BadParameter], typer.BadParameter.__base__)


def build_app() -> typer.Typer:
    """Build the app with every command registered."""
    app = typer.Typer(
        name="groundwire",
        help="Check every claim of a response against its sources.",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_groundwire)
    for command in COMMANDS:
        command.register(app)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status; wrong usage is an InputError."""
    command = typer.main.get_command(build_app())
    # Not typer's own main: it would end the process on errors that are ours to word.
    try:
        with command.make_context("groundwire", list(arguments)) as context:
            result = command.invoke(context)
    except typer.Exit as stop:
        return stop.exit_code
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except _UsageError as error:
        raise InputError(error.format_message(), fix="see groundwire --help") from error
    return result if isinstance(result, int) else 0


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"groundwire {__version__}")
        raise typer.Exit


def _groundwire(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """Check every claim of a response against its sources.

    Exit status: 0 approved, 1 not approved, 2 usage or input error, 3 halted.
    """
