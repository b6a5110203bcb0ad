"""Write the command line reference from the commands themselves: python docs/generate_cli.py."""

from pathlib import Path
from typing import Any

import typer

from groundwire.cli.app import build_app

PAGE = Path(__file__).parent / "reference" / "cli.md"

HEAD = """<!-- Made by docs/generate_cli.py. Change the command, not this page. -->

# Command line

{summary}

Errors are one line on standard error, never a traceback.

| exit status | meaning |
|---|---|
| 0 | approved (for `doctor`: everything works) |
| 1 | not approved (for `doctor`: a check failed) |
| 2 | usage or input error: nothing was checked |
| 130 | interrupted by Ctrl-C |
| 141 | the reader of the output went away |

`NO_COLOR` switches colours off, `FORCE_COLOR` switches them on without a terminal, `COLUMNS` sets the width.
"""


def page() -> str:
    """Return the reference page."""
    group: Any = typer.main.get_command(build_app())
    parts = [HEAD.format(summary=_sentences(group.help)[0])]
    parts.append(_table("Options of `groundwire` itself", group.params))
    for name, command in group.commands.items():
        parts += _command(f"groundwire {name}", command)
    return "\n".join(parts)


def _command(name: str, command: Any) -> list[str]:
    first, *rest = _sentences(command.help)
    parts = [f"## {name}\n\n{first}\n", *(f"{paragraph}\n" for paragraph in rest)]
    if hasattr(command, "commands"):
        return [
            *parts,
            *(part for own, inner in command.commands.items() for part in _command(f"{name} {own}", inner)),
        ]
    arguments = [item for item in command.params if item.param_type_name == "argument"]
    options = [item for item in command.params if item.param_type_name == "option"]
    usage = " ".join([name, "[OPTIONS]", *(item.metavar for item in arguments)])
    parts.append(f"```text\n{usage}\n```\n")
    if arguments:
        parts.append(_table("Arguments", arguments))
    parts.append(_table("Options", options))
    return parts


def _sentences(help_text: str) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in help_text.split("\n\n")]


def _table(title: str, params: list[Any]) -> str:
    rows = [f"| `{_spelling(item)}` | {_cell(item)} |" for item in params if item.name != "help"]
    return "\n".join([f"**{title}**", "", "| name | meaning |", "|---|---|", *rows, ""])


def _spelling(item: Any) -> str:
    if item.param_type_name == "argument":
        return str(item.metavar)
    return f"{item.opts[0]} {item.metavar}".replace("|", "\\|") if item.metavar else str(item.opts[0])


def _cell(item: Any) -> str:
    default = item.default
    shown = (
        ""
        if default is None or default is False or callable(default) or default in ((), [], "")
        else f" Default: {default}."
    )
    return (item.help or "").replace("|", "\\|") + shown


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
