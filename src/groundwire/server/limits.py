"""Rate and concurrency of each tenant, shared by every process of the service."""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from groundwire.server.database import Layout, make_folder, open_database, transaction

FILE: Final = "limits.db"
_LAYOUT = Layout(
    "file of limits",
    0x47574C4D,  # "GWLM"
    1,
    (
        "CREATE TABLE buckets (tenant TEXT PRIMARY KEY, tokens REAL NOT NULL, seen REAL NOT NULL) STRICT",
        "CREATE TABLE leases (lease TEXT PRIMARY KEY, tenant TEXT NOT NULL, taken REAL NOT NULL) STRICT",
        "CREATE INDEX leases_tenant ON leases (tenant)",
    ),
    durable=False,
)


@dataclass(frozen=True, slots=True)
class Allowance:
    """How much a tenant may ask for."""

    requests_per_minute: int
    concurrency: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Which limit stands in the way, and when to come back."""

    limit: str
    retry_after: int


class Limits(Protocol):
    """Where the counts of the tenants are kept."""

    def admit(self, tenant: str, allowance: Allowance) -> str | Refusal:
        """Take one request of a tenant in and return its lease, or say why not."""
        ...

    def release(self, lease: str) -> None:
        """Give a lease back."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class SQLiteLimits:
    """Counts in one file that all processes on a machine share."""

    def __init__(self, folder: Path, *, lease_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        make_folder(folder)
        self._connection = open_database(folder / FILE, _LAYOUT)
        self._lock = threading.Lock()
        self._lease_s = lease_s
        # One clock for all processes of a machine that nobody can set back; a restart of the machine starts it anew.
        self._clock = clock

    def admit(self, tenant: str, allowance: Allowance) -> str | Refusal:
        """Take one request of a tenant in and return its lease, or say why not."""
        now = self._clock()
        with self._lock, transaction(self._connection):
            execute = self._connection.execute
            row = execute("SELECT tokens, seen FROM buckets WHERE tenant = ?", (tenant,)).fetchone()
            tokens = refill(row, now, allowance.requests_per_minute)
            # A process that was killed never gives its leases back; a clock that jumped back must not keep them.
            execute("DELETE FROM leases WHERE taken < ? OR taken > ?", (now - self._lease_s, now))
            (held,) = execute("SELECT count(*) FROM leases WHERE tenant = ?", (tenant,)).fetchone()
            refused = refusal(tokens, held, allowance)
            left = tokens if refused else tokens - 1.0
            execute(
                "INSERT INTO buckets VALUES (?, ?, ?) ON CONFLICT (tenant) DO UPDATE SET tokens = ?, seen = ?",
                (tenant, left, now, left, now),
            )
            if refused:
                return refused
            lease = secrets.token_hex(16)
            execute("INSERT INTO leases VALUES (?, ?, ?)", (lease, tenant, now))
        return lease

    def release(self, lease: str) -> None:
        """Give a lease back."""
        with self._lock:
            self._connection.execute("DELETE FROM leases WHERE lease = ?", (lease,))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def refill(row: tuple[float, float] | None, now: float, per_minute: int) -> float:
    """Return the tokens of a bucket now; time that ran backwards adds nothing."""
    burst = burst_of(per_minute)
    if row is None:
        return burst
    tokens, seen = row
    return min(burst, tokens + max(0.0, now - seen) * per_minute / 60.0)


def burst_of(per_minute: int) -> float:
    """Return how many requests may come at once: those of ten seconds, at least one."""
    return max(1.0, per_minute / 6.0)


def refusal(tokens: float, held: int, allowance: Allowance) -> Refusal | None:
    """Decide on one request from the counts."""
    if tokens < 1.0:
        wait = (1.0 - tokens) * 60.0 / allowance.requests_per_minute
        return Refusal(f"{allowance.requests_per_minute} requests a minute", max(1, -int(-wait // 1)))
    if held >= allowance.concurrency:
        return Refusal(f"{allowance.concurrency} requests at a time", 1)
    return None
