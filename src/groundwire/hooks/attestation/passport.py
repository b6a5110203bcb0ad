"""Issue passports and revocation lists: signed texts that no changed byte survives."""

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any

from groundwire.errors import InputError
from groundwire.hooks.attestation.evidence import EvidencePacket, count_claim, read_claim
from groundwire.hooks.signing import seal

SCHEMA = "groundwire.passport.v1"
REVOCATIONS = "groundwire.revocations.v1"
SUBJECTS = ("model", "agent")
_LONGEST_NAME = 200


def issue_passport(
    packet: EvidencePacket,
    claims: Sequence[Mapping[str, Any]],
    key: Any,
    *,
    issuer: str,
    subject: str,
    kind: str = "model",
    lifetime: float = 30 * 86_400.0,
    now: float | None = None,
    serial: str = "",
) -> str:
    """Count the claims from the rows, and sign them with the root of all rows."""
    if kind not in SUBJECTS:
        raise InputError(f"The subject is a {kind!r}.", fix=f"choose from {', '.join(SUBJECTS)}")
    for name, text in (("issuer", issuer), ("subject", subject)):
        if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST_NAME:
            raise InputError(f"The {name} is empty or too long.", fix=f"give 1 to {_LONGEST_NAME} characters")
    if not lifetime > 0:
        raise InputError(f"The lifetime is {lifetime!r}.", fix="give a number of seconds above 0")
    if not claims:
        raise InputError("The passport would claim nothing.", fix="give at least one claim")
    counted = []
    for claim in map(read_claim, claims):
        value, rows = count_claim(claim, packet.rows)
        if value is None:
            raise InputError(
                f"The claim {claim['name']!r} rests on no row.",
                why="none fits its 'where'",
                fix="bring the rows, or drop the claim",
            )
        counted.append({**claim, "value": value, "rows": rows})
    issued = time.time() if now is None else now
    return seal(
        {
            "schema": SCHEMA,
            "issuer": issuer,
            "serial": serial or secrets.token_hex(8),
            "subject": subject,
            "kind": kind,
            "issued_at": issued,
            "expires_at": issued + lifetime,
            "claims": counted,
            "root": packet.root,
            "rows": len(packet.rows),
        },
        key,
    )


def revoke(serials: Sequence[str], key: Any, *, issuer: str, now: float | None = None) -> str:
    """Sign the list of all passports of an issuer that no longer hold."""
    if not all(isinstance(item, str) and item for item in serials):
        raise InputError("A serial is empty.", fix="give the serials that 'passport verify' shows")
    listed = sorted(set(serials))
    issued = time.time() if now is None else now
    return seal({"schema": REVOCATIONS, "issuer": issuer, "issued_at": issued, "serials": listed}, key)
