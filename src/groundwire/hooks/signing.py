"""Sign and open small JSON objects with Ed25519: one text form, so that no changed byte goes unnoticed."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from groundwire.errors import GroundwireError, InputError
from groundwire.hooks.extras import load
from groundwire.ledger import canonical_json

_KEY_HEX = 64
_SIGNATURE_HEX = 128
_ED25519 = "cryptography.hazmat.primitives.asymmetric.ed25519"
_SERIAL = "cryptography.hazmat.primitives.serialization"
MAX_CHARS = 4_000_000


@dataclass(frozen=True, slots=True)
class Opened:
    """What a sealed text holds, or the rule it breaks."""

    payload: Mapping[str, Any]
    problem: str = ""
    detail: str = ""


def new_key() -> Any:
    """Make a private Ed25519 key."""
    return load(_ED25519, "Signing").Ed25519PrivateKey.generate()


def public_hex(key: Any) -> str:
    """Return the public half of a private key as hex, the form that policies list."""
    raw: bytes = key.public_key().public_bytes_raw()
    return raw.hex()


def key_to_pem(key: Any) -> bytes:
    """Write a private key as unencrypted PKCS #8 PEM."""
    serial = load(_SERIAL, "Signing")
    pem: bytes = key.private_bytes(serial.Encoding.PEM, serial.PrivateFormat.PKCS8, serial.NoEncryption())
    return pem


def key_from_pem(data: bytes) -> Any:
    """Read a private Ed25519 key from PEM."""
    serial, ed25519 = load(_SERIAL, "Signing"), load(_ED25519, "Signing")
    try:
        key = serial.load_pem_private_key(data, password=None)
    except (ValueError, TypeError) as error:
        why = " ".join(str(error).split())[:120]
        raise InputError("The private key cannot be read.", why=why, fix="give an unencrypted PEM key") from error
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise InputError("The private key is not an Ed25519 key.", fix="make one with 'groundwire passport key'")
    return key


def read_issuers(issuers: Mapping[str, str]) -> dict[str, Any]:
    """Read the public keys of issuers, given as hex."""
    ed25519 = load(_ED25519, "Checking signatures")
    keys = {}
    for name, text in issuers.items():
        try:
            if len(text) != _KEY_HEX:
                text = ""  # fromhex takes blanks between the digits
            keys[name] = ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(text))
        except ValueError as error:
            raise InputError(
                f"The public key of issuer {name!r} cannot be read.", why=str(error), fix="give 64 hexadecimal digits"
            ) from error
    return keys


def seal(payload: Mapping[str, Any], key: Any) -> str:
    """Sign a payload that names its schema and issuer; the text is canonical JSON and a line end."""
    signature: bytes = key.sign(_signed_bytes(payload))
    return canonical_json({"payload": dict(payload), "signature": signature.hex()}) + "\n"


def unseal(text: object, schema: str, issuers: Mapping[str, Any]) -> Opened:
    """Open a sealed text; anything but the very text that was signed is a problem."""
    from cryptography.exceptions import InvalidSignature

    payload, signature, problem = _parts(text)
    if problem:
        return problem
    if payload.get("schema") != schema:
        return Opened({}, "malformed", f"It does not say schema {schema!r}.")
    issuer = payload.get("issuer")
    if not isinstance(issuer, str) or issuer not in issuers:
        return Opened(payload, "unknown_issuer", "Its issuer is not among the known ones.")
    try:
        issuers[issuer].verify(bytes.fromhex(signature), _signed_bytes(payload))
    except (InvalidSignature, ValueError):
        return Opened(payload, "bad_signature", "The signature does not fit the content.")
    return Opened(payload)


def _parts(text: object) -> tuple[Mapping[str, Any], str, Opened | None]:
    if not isinstance(text, str) or not text or len(text) > MAX_CHARS:
        return {}, "", Opened({}, "malformed", "It is no sealed text.")
    try:
        outer = json.loads(text)
        same = canonical_json(outer) + "\n" == text
    except (ValueError, RecursionError, GroundwireError):
        return {}, "", Opened({}, "malformed", "It is no sealed text.")
    payload = outer.get("payload") if isinstance(outer, dict) else None
    if not isinstance(payload, dict):
        return {}, "", Opened({}, "malformed", "It has no payload.")
    signature = outer.get("signature")
    if not isinstance(signature, str) or not signature:
        return payload, "", Opened(payload, "unsigned", "It carries no signature.")
    lower = len(signature) == _SIGNATURE_HEX and set(signature) <= set("0123456789abcdef")
    if not same or not lower or set(outer) != {"payload", "signature"}:
        return payload, "", Opened(payload, "altered", "It is not byte for byte what was signed.")
    return payload, signature, None


def _signed_bytes(payload: Mapping[str, Any]) -> bytes:
    # The schema stands before the content, so that a signature for one kind of object never fits another.
    return f"{payload['schema']}\n{canonical_json(dict(payload))}".encode("ascii")


def write_private(path: str, data: bytes) -> None:
    """Write a new file that only its owner can read; never over an existing one."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
    except FileExistsError as error:
        raise InputError(f"The file {path!r} exists already.", fix="choose another name") from error
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(f"The file {path!r} cannot be written.", why=why, fix="choose another place") from error
