"""The commands over the keys of the service: create, list, revoke, rotate."""

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundwire.cli import output
from groundwire.cli.options import AsJson, DataFolder

if TYPE_CHECKING:
    from groundwire.server.keys import KeyInfo

_KeyId = Annotated[str, typer.Argument(metavar="KEY_ID", help="The id that 'keys list' shows.")]


def register(app: typer.Typer) -> None:
    """Add the group of commands to the app."""
    keys = typer.Typer(help="Make and end the keys of the service.", no_args_is_help=True, rich_markup_mode=None)
    keys.command("create")(create)
    keys.command("list")(list_keys)
    keys.command("revoke")(revoke)
    keys.command("rotate")(rotate)
    app.add_typer(keys, name="keys")


def create(
    tenant: Annotated[str, typer.Argument(metavar="TENANT", help="Whose key it is.")],
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", metavar="NAME", help="What it may do; may be repeated. All but metrics without it."),
    ] = None,
    label: Annotated[str, typer.Option("--label", metavar="TEXT", help="What it is for.")] = "",
    days: Annotated[int | None, typer.Option("--days", metavar="N", help="Days until it expires.")] = None,
    rate: Annotated[int | None, typer.Option("--rate", metavar="N", help="The tenant's requests a minute.")] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", metavar="N", help="The tenant's requests at a time.")
    ] = None,
    keep_text: Annotated[
        bool | None,
        typer.Option("--keep-text/--drop-text", help="Keep the tenant's texts in the audit trail; dropped by default."),
    ] = None,
    data: DataFolder = Path("groundwire-data"),
    as_json: AsJson = False,
) -> int:
    """Make a key and show it, this once."""
    from groundwire.server.keys import DEFAULT_SCOPES, KeyStore

    with closing(KeyStore(data)) as store:
        key, info = store.create(
            tenant,
            label=label,
            scopes=tuple(scope) if scope else DEFAULT_SCOPES,
            days=days,
            requests_per_minute=rate,
            concurrency=concurrency,
            keep_text=keep_text,
        )
    return _show_new(key, info, as_json)


def list_keys(
    tenant: Annotated[str | None, typer.Option("--tenant", metavar="NAME", help="The keys of one tenant.")] = None,
    data: DataFolder = Path("groundwire-data"),
    as_json: AsJson = False,
) -> int:
    """List the keys; the keys themselves are not kept and cannot be shown."""
    from groundwire.server.keys import KeyStore

    with closing(KeyStore(data)) as store:
        found = store.listed(tenant)
    if as_json:
        output.write_json([asdict(info) for info in found])
        return 0
    for info in found:
        state = "revoked" if info.revoked_at else f"until {info.expires_at}" if info.expires_at else "active"
        label = f"  {info.label}" if info.label else ""
        output.write(f"{info.key_id}  {info.tenant}  {','.join(info.scopes)}  {info.created_at}  {state}{label}")
    return 0


def revoke(key_id: _KeyId, data: DataFolder = Path("groundwire-data")) -> int:
    """End a key at once."""
    from groundwire.server.keys import KeyStore

    with closing(KeyStore(data)) as store:
        store.revoke(key_id)
    output.write(f"{key_id} is revoked.")
    return 0


def rotate(key_id: _KeyId, data: DataFolder = Path("groundwire-data"), as_json: AsJson = False) -> int:
    """Make a new key with the same rights and end the old one."""
    from groundwire.server.keys import KeyStore

    with closing(KeyStore(data)) as store:
        key, info = store.rotate(key_id)
    return _show_new(key, info, as_json)


def _show_new(key: str, info: "KeyInfo", as_json: bool) -> int:
    if as_json:
        output.write_json({"key": key, **asdict(info)})
    else:
        output.write(key)
        output.note(f"Key {info.key_id} of {info.tenant}: keep it now, it cannot be shown again.")
    return 0
