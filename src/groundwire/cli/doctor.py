"""groundwire doctor"""

import typer


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor() -> int:
    return 0
