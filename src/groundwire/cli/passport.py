"""The commands over passports: key, issue, verify, revoke."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundwire.cli import inputs, output
from groundwire.cli.options import AsJson
from groundwire.errors import InputError

if TYPE_CHECKING:
    from groundwire.hooks.attestation import EvidencePacket
    from groundwire.types import PassportVerdict

VALID, REFUSED = 0, 1
_DAY = 86_400.0
_HEX = 64

_Key = Annotated[str, typer.Option("--key", metavar="FILE", help="The issuer's private key, as PEM.")]
_Issuer = Annotated[str, typer.Option("--issuer", metavar="NAME", help="The issuer's name.")]


def register(app: typer.Typer) -> None:
    """Add the group of commands to the app."""
    passport = typer.Typer(
        help="Issue and verify passports of models and agents.", no_args_is_help=True, rich_markup_mode=None
    )
    passport.command("key")(key)
    passport.command("issue")(issue)
    passport.command("verify")(verify)
    passport.command("revoke")(revoke)
    app.add_typer(passport, name="passport")


def key(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where the new private key goes; must not exist.")],
) -> int:
    """Make a key for an issuer: the private half as a file for its owner only, the public half on the screen."""
    from groundwire.hooks.signing import key_to_pem, new_key, public_hex, write_private

    made = new_key()
    write_private(file, key_to_pem(made))
    output.write(public_hex(made))
    return VALID


def issue(
    packet: Annotated[str, typer.Argument(metavar="PACKET", help="The evidence: JSON with 'claims' and 'rows'.")],
    key_file: _Key,
    issuer: _Issuer,
    subject: Annotated[str, typer.Option("--subject", metavar="TEXT", help="Name and version of model or agent.")],
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Where the passport goes.")],
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help="model or agent.")] = "model",
    days: Annotated[float, typer.Option("--days", metavar="N", help="How long it is valid.")] = 30.0,
    serial: Annotated[str, typer.Option("--serial", metavar="TEXT", help="Its number; a random one without it.")] = "",
) -> int:
    """Count the claims from the rows of an evidence packet and sign them.

    Exit status: 0 issued, 2 usage or input error, such as a claim without rows.
    """
    from groundwire.hooks.attestation import issue_passport

    claims, evidence = _read_packet(packet)
    text = issue_passport(
        evidence,
        claims,
        _private(key_file),
        issuer=issuer,
        subject=subject,
        kind=kind,
        lifetime=days * _DAY,
        serial=serial,
    )
    output.write_file(out, text, [packet, key_file])
    payload = json.loads(text)["payload"]
    output.write(f"passport {payload['serial']} for {output.one_line(subject)}: {payload['rows']} rows")
    _show_claims(payload)
    return VALID


def verify(
    passport: Annotated[str, typer.Argument(metavar="PASSPORT", help="The passport, '-' for standard input.")],
    evidence: Annotated[
        str | None,
        typer.Option("--evidence", metavar="PACKET", help="The rows behind it; every claim is counted anew."),
    ] = None,
    issuer: Annotated[
        list[str] | None,
        typer.Option("--issuer", metavar="NAME=KEY", help="A known issuer with its public key; may be repeated."),
    ] = None,
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="FILE", help="An attestation policy as a YAML file.")
    ] = None,
    revocations: Annotated[
        list[str] | None, typer.Option("--revocations", metavar="FILE", help="A revocation list; may be repeated.")
    ] = None,
    subject: Annotated[str | None, typer.Option("--subject", metavar="TEXT", help="Whose passport it must be.")] = None,
    as_json: AsJson = False,
) -> int:
    """Verify a passport: signature, validity, revocation, and that its rows give its claims.

    Exit status: 0 valid, 1 refused, 2 usage or input error.
    """
    from groundwire.hooks.attestation import PassportVerifier

    text = _exact(passport)
    verifier = PassportVerifier(
        policy,
        issuers=_issuers(issuer or ()),
        revocations=[_exact(path) for path in revocations or ()],
    )
    packet = None if evidence is None else _read_packet(evidence)[1]
    verdict = verifier.check(text, packet, subject=subject, full=packet is not None)
    _show(verdict, text, as_json)
    return VALID if verdict.allowed else REFUSED


def revoke(
    serials: Annotated[list[str], typer.Argument(metavar="SERIAL...", help="The passports to take back.")],
    key_file: _Key,
    issuer: _Issuer,
    file: Annotated[str, typer.Option("--list", metavar="FILE", help="The revocation list; made if it is not there.")],
) -> int:
    """Take passports back: add their serials to the signed revocation list."""
    from groundwire.hooks import attestation
    from groundwire.hooks.attestation.passport import REVOCATIONS
    from groundwire.hooks.signing import public_hex, read_issuers, unseal

    private = _private(key_file)
    listed = list(serials)
    if os.path.exists(file):
        opened = unseal(_exact(file), REVOCATIONS, read_issuers({issuer: public_hex(private)}))
        if opened.problem:
            raise InputError(
                f"The list {file!r} cannot be extended.",
                why=opened.detail,
                fix="use the key and the name it was signed with, or start another list",
            )
        listed += opened.payload["serials"]
    _replace(file, attestation.revoke(listed, private, issuer=issuer))
    count = len(set(listed))
    output.write(f"{count} {'passport is' if count == 1 else 'passports are'} on the list {output.one_line(file)}")
    return VALID


def _show(verdict: "PassportVerdict", text: str, as_json: bool) -> None:
    # Nothing of a passport whose signature does not hold is worth showing.
    payload: Mapping[str, Any] = json.loads(text)["payload"] if verdict.signature_valid else {}
    finding = verdict.findings[0] if verdict.findings else None
    if as_json:
        output.write_json(
            {
                "allowed": verdict.allowed,
                "reason": verdict.reason,
                "where": finding.where if finding else "",
                "detail": finding.detail if finding else "",
                "subject": verdict.subject if verdict.signature_valid else "",
                "expired": verdict.expired,
                "signature_valid": verdict.signature_valid,
                "serial": payload.get("serial", ""),
                "claims": payload.get("claims", []),
                "safety_event": verdict.safety_event.to_dict() if verdict.safety_event else None,
            }
        )
        return
    good, bad = ("✓", "✗") if output.is_utf8() else ("+", "x")
    name = f"passport {payload['serial']} for {output.one_line(verdict.subject)}" if payload else "the passport"
    if finding is None:
        output.write(f"{good} {name}: valid")
    else:
        output.write(f"{bad} {name}: {verdict.reason} ({finding.where}). {output.one_line(finding.detail)}")
    _show_claims(payload)


def _show_claims(payload: Mapping[str, Any]) -> None:
    for claim in payload.get("claims", ()):
        name = output.one_line(str(claim["name"]))
        output.write(f"  {name} = {claim['value']:.6g} ({claim['metric']} of {claim['rows']} rows)")


def _read_packet(path: str) -> "tuple[Sequence[Mapping[str, Any]], EvidencePacket]":
    from groundwire.hooks.attestation import EvidencePacket

    try:
        packet = json.loads(inputs.read_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"The packet {path!r} is not JSON.", why=str(error)[:120], fix="correct it") from error
    wanted = {"claims": list, "rows": list}
    if not isinstance(packet, dict) or any(not isinstance(packet.get(name), kind) for name, kind in wanted.items()):
        raise InputError(
            f"The packet {path!r} is no evidence.", fix="give an object with the lists 'claims' and 'rows'"
        )
    return packet["claims"], EvidencePacket(packet["rows"])


def _private(path: str) -> Any:
    from groundwire.hooks.signing import key_from_pem

    return key_from_pem(inputs.read_bytes(path))


def _exact(path: str) -> str:
    # Latin-1 keeps every byte apart: what was not ASCII when signed is refused by the signature.
    return inputs.read_bytes(path).decode("latin-1")


def _issuers(given: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in given:
        name, _, value = text.partition("=")
        if not name or not value:
            raise InputError(f"--issuer is {text!r}.", fix="write NAME=KEY, the key as 64 hexadecimal digits or a file")
        plain = len(value) == _HEX and not os.path.exists(value)
        found[name] = value if plain else inputs.read_text(value).strip()
    return found


def _replace(path: str, text: str) -> None:
    """Write a file whole or not at all: half a revocation list revokes nothing."""
    place = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=".revocations-")
        with os.fdopen(handle, "w", encoding="ascii", newline="\n") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(f"The file {path!r} cannot be written.", why=why, fix="choose another place") from error
