"""The commands over policy files: check, schema."""

from typing import Annotated

import typer

from groundwire.cli import output
from groundwire.cli.options import AsJson
from groundwire.errors import InputError, MissingExtraError, PolicyError

SOUND, MISTAKE = 0, 1


def register(app: typer.Typer) -> None:
    """Add the group of commands to the app."""
    policy = typer.Typer(help="Check policy files.", no_args_is_help=True, rich_markup_mode=None)
    policy.command("check")(check)
    policy.command("schema")(schema)
    app.add_typer(policy, name="policy")


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Policies as YAML files.")],
    as_json: AsJson = False,
) -> int:
    """Check policies, and say line and column of the first mistake of each.

    Exit status: 0 all are sound, 1 a mistake was found, 2 usage or input error.
    """
    from groundwire.hooks.inspect_policy import inspect_policy  # here: `--help` need not wait for it

    rows: list[dict[str, object]] = []
    for name in files:
        try:
            found = inspect_policy(name)
            rows.append({"file": name, "sound": True, "kind": found.kind, "hash": found.hash})
        except PolicyError as error:
            if isinstance(error.__cause__, OSError):
                raise  # a file that is not there was not checked
            rows.append({"file": name, "sound": False, "mistake": str(error)})
        except MissingExtraError:
            raise
        except InputError as error:
            rows.append({"file": name, "sound": False, "mistake": str(error)})
    if as_json:
        output.write_json(rows)
    else:
        for row in rows:
            _show(row)
    return SOUND if all(row["sound"] for row in rows) else MISTAKE


def schema(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="The kind of policy, such as containment.")],
) -> int:
    """Print the JSON schema of one kind of policy, for editors and other checkers."""
    from groundwire.hooks.schema import KINDS, schema_of

    if kind not in KINDS:
        raise InputError(f"There is no policy of the kind {kind!r}.", fix=f"choose from {', '.join(KINDS)}")
    output.write_json(schema_of(kind))
    return SOUND


def _show(row: dict[str, object]) -> None:
    good, bad = ("✓", "✗") if output.is_utf8() else ("+", "x")
    name = output.one_line(str(row["file"]))
    if row["sound"]:
        output.write(f"{good} {name}: a sound {row['kind']} policy, hash {str(row['hash'])[:16]}")
    else:
        output.write(f"{bad} {output.one_line(str(row['mistake']))}")
