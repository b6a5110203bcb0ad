"""Session anchors: who opened a session, in which scope, until when, and only once."""

import secrets
import sqlite3
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from groundwire.errors import InputError
from groundwire.hooks.signing import seal, unseal

SCHEMA = "groundwire.anchor.v1"
MAX_CHARS = 4_096
_MANY = 10_000
_DAY = 86_400.0


class Scope(StrEnum):
    """Where a session runs."""

    SANDBOX = "sandbox"
    SIMULATOR = "simulator"
    SHADOW = "shadow"
    PRODUCTION = "production"


@dataclass(frozen=True, slots=True)
class Anchor:
    """An opened anchor, or the rule it breaks."""

    scope: str = ""
    not_before: float = 0.0
    expires_at: float = 0.0
    problem: str = ""
    detail: str = ""


class NonceLog:
    """Remember which anchors were used; with a path also across processes and restarts."""

    def __init__(self, path: str | None = None) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._seen: dict[str, float] = {}
        if path is not None:
            self._write("create table if not exists nonce (value text primary key, expires real not null)")

    def use(self, nonce: str, expires_at: float) -> bool:
        """Note a nonce; False when it was used before."""
        if self.path is None:
            with self._lock:
                if len(self._seen) >= _MANY:
                    # What expired a day ago is refused for that reason.
                    alive = time.time() - _DAY
                    self._seen = {name: until for name, until in self._seen.items() if until > alive}
                fresh = nonce not in self._seen
                self._seen[nonce] = expires_at
                return fresh
        return self._write("insert or ignore into nonce values (?, ?)", nonce, expires_at) == 1

    def _write(self, statement: str, *values: str | float) -> int:
        try:
            with closing(sqlite3.connect(self.path or ":memory:", timeout=5.0)) as base, base:
                return base.execute(statement, values).rowcount
        except sqlite3.Error as error:
            raise InputError(
                f"The nonce log {self.path!r} cannot be opened.", why=str(error), fix="choose a writable place"
            ) from error


# A guard that is given no log of its own must still notice a replay within its process.
PROCESS_LOG = NonceLog()


def issue_anchor(
    key: Any, *, issuer: str, scope: str, lifetime: float = 3_600.0, now: float | None = None, nonce: str = ""
) -> str:
    """Sign an anchor that opens one session in one scope."""
    known = [str(item) for item in Scope]
    if scope not in known:
        raise InputError(f"There is no scope {scope!r}.", fix=f"choose from {', '.join(known)}")
    if not lifetime > 0:
        raise InputError(f"The lifetime is {lifetime!r}.", fix="give a number of seconds above 0")
    issued = time.time() if now is None else now
    return seal(
        {
            "schema": SCHEMA,
            "issuer": issuer,
            "scope": str(scope),
            "nonce": nonce or secrets.token_hex(16),
            "issued_at": issued,
            "expires_at": issued + lifetime,
        },
        key,
    )


def open_anchor(text: object, issuers: Mapping[str, Any], log: NonceLog) -> Anchor:
    """Check signature and content of an anchor and use up its nonce."""
    if text is None:
        return Anchor(problem="anchor_missing", detail="No session anchor was given.")
    if not isinstance(text, str) or len(text) > MAX_CHARS:
        return Anchor(problem="anchor_malformed", detail="It is no sealed text.")
    opened = unseal(text, SCHEMA, issuers)
    if opened.problem:
        return Anchor(problem=f"anchor_{opened.problem}", detail=opened.detail)
    payload = opened.payload
    scope, nonce = payload.get("scope"), payload.get("nonce")
    issued, expires = payload.get("issued_at"), payload.get("expires_at")
    numbers = all(isinstance(item, int | float) and not isinstance(item, bool) for item in (issued, expires))
    if not numbers or not isinstance(nonce, str) or not nonce:
        return Anchor(problem="anchor_malformed", detail="Nonce or times are missing.")
    if scope not in [str(item) for item in Scope]:
        return Anchor(problem="anchor_unknown_scope", detail="Its scope is not one of the four.")
    if not log.use(nonce, float(expires or 0)):
        return Anchor(problem="anchor_replayed", detail="Its nonce was used before.")
    return Anchor(str(scope), float(issued or 0), float(expires or 0))
