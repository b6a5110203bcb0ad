"""Build the command line out of its commands."""

from typing import Annotated

import typer

from groundwire import __version__
from groundwire.cli import doctor, verify

COMMANDS = (verify, doctor)


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

    Exit status: 0 approved, 1 not approved, 2 usage or input error.
    """
