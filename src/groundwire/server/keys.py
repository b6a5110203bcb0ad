"""Keys and tenants: a key is shown once, and only its hash is kept."""

import hmac
import re
import secrets
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final

from groundwire.errors import InputError
from groundwire.ledger import sha256_hex
from groundwire.server.database import Layout, make_folder, open_database, transaction

FILE: Final = "keys.db"
LOCAL_TENANT: Final = "local"
_TENANT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
_KEY = re.compile(r"gw_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
# 32 random bytes: nobody can try them out, so one fast hash protects them as well as a slow one would.
_SECRET_BYTES: Final = 32
_NOBODY: Final = sha256_hex(b"no such key")
_LAYOUT = Layout(
    "key store",
    0x47574B59,  # "GWKY"
    1,
    (
        """CREATE TABLE tenants (
            tenant TEXT PRIMARY KEY, requests_per_minute INTEGER, concurrency INTEGER, keep_text INTEGER NOT NULL
        ) STRICT""",
        """CREATE TABLE keys (
            key_id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES tenants (tenant), label TEXT NOT NULL,
            hash TEXT NOT NULL, scopes TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT
        ) STRICT""",
    ),
)


class Scope(StrEnum):
    """What a key may do."""

    VERIFY = "verify"
    AUDIT = "audit"
    CITE = "cite"
    INJECTION = "injection"
    REVIEW = "review"
    KNOWLEDGE = "knowledge"
    STREAM = "stream"
    JOBS = "jobs"
    METRICS = "metrics"


DEFAULT_SCOPES: Final = tuple(scope for scope in Scope if scope is not Scope.METRICS)


@dataclass(frozen=True, slots=True)
class Tenant:
    """Who asks, under which key, and within which limits; None means the default of the service."""

    tenant: str
    key_id: str
    scopes: frozenset[str]
    requests_per_minute: int | None = None
    concurrency: int | None = None
    keep_text: bool = False


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """What may be shown of a key."""

    key_id: str
    tenant: str
    label: str
    scopes: tuple[str, ...]
    created_at: str
    expires_at: str | None
    revoked_at: str | None


class KeyStore:
    """The file of keys; safe to share between threads and processes."""

    def __init__(self, folder: Path) -> None:
        make_folder(folder)
        self.path = folder / FILE
        self._connection = open_database(self.path, _LAYOUT)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def is_empty(self) -> bool:
        """Tell whether no key was ever made; a revoked key still counts, so that revoking never opens a door."""
        with self._lock:
            return self._connection.execute("SELECT 1 FROM keys LIMIT 1").fetchone() is None

    def create(
        self,
        tenant: str,
        *,
        label: str = "",
        scopes: tuple[str, ...] = DEFAULT_SCOPES,
        days: int | None = None,
        requests_per_minute: int | None = None,
        concurrency: int | None = None,
        keep_text: bool | None = None,
    ) -> tuple[str, KeyInfo]:
        """Make a key and return it with its public part; limits that are given change those of the tenant."""
        check_tenant(tenant)
        if tenant == LOCAL_TENANT:
            raise InputError(f"{LOCAL_TENANT!r} is the tenant of a service without keys.", fix="choose another name")
        known = [str(scope) for scope in Scope]
        unknown = [scope for scope in scopes if scope not in known]
        if unknown or not scopes:
            raise InputError(
                f"There is no scope {unknown[0]!r}." if unknown else "A key without a scope can do nothing.",
                fix=f"choose from {', '.join(known)}",
            )
        if len(label) > 100 or not label.isprintable():
            raise InputError("The label cannot be used.", fix="give up to 100 printable characters")
        if days is not None and not 1 <= days <= 36_500:
            raise InputError(f"The key would expire in {days} days.", fix="give 1 to 36500 days")
        for name, value in (("rate", requests_per_minute), ("concurrency", concurrency)):
            if value is not None and not 1 <= value <= 1_000_000:
                raise InputError(f"The {name} is {value}.", fix="give a number from 1 to 1000000")
        key_id, secret = secrets.token_hex(8), secrets.token_urlsafe(_SECRET_BYTES)
        now = datetime.now(UTC)
        expires = None if days is None else _stamp(now + timedelta(days=days))
        info = KeyInfo(key_id, tenant, label, tuple(sorted(set(scopes))), _stamp(now), expires, None)
        with self._lock, transaction(self._connection):
            self._connection.execute(
                "INSERT INTO tenants VALUES (?, ?, ?, ?) ON CONFLICT (tenant) DO UPDATE SET"
                " requests_per_minute = coalesce(?, requests_per_minute), concurrency = coalesce(?, concurrency),"
                " keep_text = coalesce(?, keep_text)",
                (tenant, requests_per_minute, concurrency, int(bool(keep_text)),
                 requests_per_minute, concurrency, None if keep_text is None else int(keep_text)),
            )  # fmt: skip
            self._insert(info, secret)
        return f"gw_{key_id}_{secret}", info

    def listed(self, tenant: str | None = None) -> list[KeyInfo]:
        """List the keys, oldest first."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT key_id, tenant, label, scopes, created_at, expires_at, revoked_at FROM keys"
                " WHERE tenant = coalesce(?, tenant) ORDER BY created_at, key_id",
                (tenant,),
            ).fetchall()
        return [KeyInfo(row[0], row[1], row[2], tuple(row[3].split()), row[4], row[5], row[6]) for row in rows]

    def revoke(self, key_id: str) -> None:
        """End a key at once."""
        with self._lock, transaction(self._connection):
            self._revoke(key_id)

    def rotate(self, key_id: str) -> tuple[str, KeyInfo]:
        """Make a new key with the rights of an old one, and end the old one in the same step."""
        old = next((info for info in self.listed() if info.key_id == key_id), None)
        if old is None or old.revoked_at is not None:
            raise _no_such_key(key_id)
        new_id, secret = secrets.token_hex(8), secrets.token_urlsafe(_SECRET_BYTES)
        info = KeyInfo(new_id, old.tenant, old.label, old.scopes, _stamp(datetime.now(UTC)), old.expires_at, None)
        with self._lock, transaction(self._connection):
            self._revoke(key_id)
            self._insert(info, secret)
        return f"gw_{new_id}_{secret}", info

    def check(self, key: str) -> Tenant | None:
        """Return whose key this is, None when it opens nothing; the time tells nothing about the reason."""
        match = _KEY.fullmatch(key)
        key_id, secret = (match[1], match[2]) if match else ("", "")
        with self._lock:
            row = self._connection.execute(
                "SELECT k.hash, k.tenant, k.scopes, k.expires_at, k.revoked_at, t.requests_per_minute, t.concurrency,"
                " t.keep_text FROM keys k JOIN tenants t USING (tenant) WHERE k.key_id = ?",
                (key_id,),
            ).fetchone()
        found = _NOBODY if row is None else row[0]
        same = hmac.compare_digest(sha256_hex(secret.encode("ascii")), found)
        if row is None or not same or row[4] is not None:
            return None
        if row[3] is not None and row[3] <= _stamp(datetime.now(UTC)):
            return None
        return Tenant(row[1], key_id, frozenset(row[2].split()), row[5], row[6], bool(row[7]))

    def _insert(self, info: KeyInfo, secret: str) -> None:
        self._connection.execute(
            "INSERT INTO keys (key_id, tenant, label, hash, scopes, created_at, expires_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (info.key_id, info.tenant, info.label, sha256_hex(secret.encode("ascii")), " ".join(info.scopes),
             info.created_at, info.expires_at),
        )  # fmt: skip

    def _revoke(self, key_id: str) -> None:
        done = self._connection.execute(
            "UPDATE keys SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL",
            (_stamp(datetime.now(UTC)), key_id),
        )
        if done.rowcount != 1:
            raise _no_such_key(key_id)


def check_tenant(tenant: str) -> str:
    """Refuse a tenant name that could be read as something else."""
    if not _TENANT.fullmatch(tenant):
        raise InputError(
            f"The tenant name {tenant!r} cannot be used.", fix="use up to 64 letters, digits, dots, dashes, underscores"
        )
    return tenant


def local_tenant() -> Tenant:
    """Return who asks a service on this machine that has no keys."""
    return Tenant(LOCAL_TENANT, "", frozenset(str(scope) for scope in Scope))


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _no_such_key(key_id: str) -> InputError:
    # A whole key given by mistake must not end up on a screen or in a log.
    shown = key_id if re.fullmatch(r"[0-9a-f]{1,16}", key_id) else "of that name"
    return InputError(f"There is no active key {shown}.", fix="list the keys with 'groundwire keys list'")
