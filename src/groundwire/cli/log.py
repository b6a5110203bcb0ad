"""The commands over the audit trail of the service: verify, export, proof."""

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundwire.cli import inputs, output
from groundwire.cli.options import AsJson, DataFolder, Postgres
from groundwire.errors import InputError, IntegrityError

if TYPE_CHECKING:
    from groundwire.server.trail import Receipt, Trail

INTACT, ALTERED = 0, 1


def register(app: typer.Typer) -> None:
    """Add the group of commands to the app."""
    log = typer.Typer(help="Check and export the audit trail.", no_args_is_help=True, rich_markup_mode=None)
    log.command("verify")(verify_log)
    log.command("export")(export)
    log.command("proof")(proof)
    app.add_typer(log, name="log")


def verify_log(
    data: DataFolder = Path("groundwire-data"),
    postgres: Postgres = "",
    receipt: Annotated[
        str | None,
        typer.Option("--receipt", metavar="N:HASH", help="The Groundwire-Record header of an answer you got."),
    ] = None,
    proof_file: Annotated[
        str | None, typer.Option("--proof", metavar="FILE", help="Check a proof instead; needs no trail.")
    ] = None,
    root: Annotated[str | None, typer.Option("--root", metavar="HASH", help="The root you kept; with --proof.")] = None,
    as_json: AsJson = False,
) -> int:
    """Check every record; the first that was changed, dropped or reordered is named.

    Exit status: 0 intact, 1 altered, 2 usage or input error.
    """
    from groundwire.server.trail import check_proof, check_trail

    try:
        if proof_file is not None:
            index = check_proof(_read_json(proof_file), root=root)
            return _say({"intact": True, "record": index}, f"The proof of record {index} holds.", as_json)
        with closing(_open(data, postgres)) as trail:
            head = check_trail(trail, known=_receipt(receipt))
    except IntegrityError as error:
        _say({"intact": False, "why": str(error)}, f"ALTERED: {error}", as_json)
        return ALTERED
    found = {"intact": True, "records": head.count, "head": head.hash}
    return _say(found, f"Intact: {head.count} records, head {head.hash}", as_json)


def export(
    data: DataFolder = Path("groundwire-data"),
    postgres: Postgres = "",
    tenant: Annotated[str | None, typer.Option("--tenant", metavar="NAME", help="The records of one tenant.")] = None,
) -> int:
    """Write the records as JSON lines, oldest first."""
    with closing(_open(data, postgres)) as trail:
        for record in trail.records():
            if tenant is None or record.payload.get("tenant") == tenant:
                plain = {"index": record.index, "payload": record.payload, "previous": record.previous}
                output.write(json.dumps({**plain, "hash": record.hash}, ensure_ascii=True))
    return INTACT


def proof(
    index: Annotated[int, typer.Argument(metavar="N", help="The number of the record, counted from 0.")],
    data: DataFolder = Path("groundwire-data"),
    postgres: Postgres = "",
) -> int:
    """Write one record with what proves it, as JSON; others can check it without the trail."""
    from groundwire.server.trail import prove

    with closing(_open(data, postgres)) as trail:
        output.write_json(prove(trail, index))
    return INTACT


def _open(data: Path, postgres: str) -> "Trail":
    from groundwire.server.postgres_trail import PostgresTrail
    from groundwire.server.trail import SQLiteTrail

    if postgres:
        return PostgresTrail(postgres)

    return SQLiteTrail(data, create=False)


def _read_json(path: str) -> object:
    try:
        return json.loads(inputs.read_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path!r} is no JSON.", fix="give the file written by 'groundwire log proof'") from error


def _receipt(text: str | None) -> "Receipt | None":
    from groundwire.server.trail import Receipt

    if text is None:
        return None
    index, _, digest = text.partition(":")
    if not index.isdecimal() or len(index) > 15 or len(digest) != 64:
        raise InputError("The receipt cannot be read.", fix="give it as N:HASH, as the header Groundwire-Record has it")
    return Receipt(int(index), digest)


def _say(found: dict[str, object], words: str, as_json: bool) -> int:
    if as_json:
        output.write_json(found)
    else:
        output.write(words)
    return INTACT
