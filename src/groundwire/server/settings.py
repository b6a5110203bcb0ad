"""Every limit and place of the service in one frozen value."""

import ipaddress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from groundwire.errors import InputError

LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")
_WHOLE: Final = {
    "port": (0, 65_535),
    "workers": (1, 256),
    "queue": (1, 100_000),
    "max_body_bytes": (1_024, 1 << 30),
    "max_depth": (2, 200),
    "max_items": (1, 100_000),
    "max_connections": (1, 1_000_000),
    "max_documents": (1, 1_000_000),
    "max_jobs": (1, 100_000),
}
_SECONDS: Final = (
    "time_limit_s",
    "read_limit_s",
    "idle_limit_s",
    "stream_limit_s",
    "stream_idle_s",
    "shutdown_limit_s",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the service listens, what it keeps, and how much it takes."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 8080
    model: bool = False
    model_path: str = ""
    workers: int = 1
    # Waiting requests of all workers together: a short queue keeps the latency of what is accepted.
    queue: int = 8
    max_body_bytes: int = 8 << 20
    max_response_chars: int = 200_000
    max_source_chars: int = 5_000_000
    max_depth: int = 16
    max_items: int = 10_000
    max_connections: int = 10_000
    max_documents: int = 10_000
    max_jobs: int = 100
    time_limit_s: float = 30.0
    read_limit_s: float = 20.0
    idle_limit_s: float = 15.0
    stream_limit_s: float = 300.0
    stream_idle_s: float = 60.0
    shutdown_limit_s: float = 30.0
    requests_per_minute: int = 600
    concurrency: int = 16
    redis_url: str = ""
    postgres_dsn: str = ""
    trace: bool = False

    def __post_init__(self) -> None:
        for name, (low, high) in _WHOLE.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise InputError(f"{name} is {value!r}.", fix=f"give a whole number from {low} to {high}")
        for name in ("requests_per_minute", "concurrency", "max_response_chars", "max_source_chars"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is {value!r}.", fix="give a whole number of at least 1")
        for name in _SECONDS:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.05 <= value <= 3_600:
                raise InputError(f"{name} is {value!r}.", fix="give seconds from 0.05 to 3600")
        if not self.host or not isinstance(self.host, str):
            raise InputError("The host is empty.", fix="give an address such as 127.0.0.1")

    @property
    def loopback(self) -> bool:
        """Tell whether only this machine can reach the address."""
        return is_loopback(self.host)

    def __repr__(self) -> str:
        # Addresses of databases carry passwords; a settings object may end up in a traceback.
        hidden = ("redis_url", "postgres_dsn")
        shown = {
            item.name: ("set" if getattr(self, item.name) else "") if item.name in hidden else getattr(self, item.name)
            for item in fields(self)
        }
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


def is_loopback(host: str) -> bool:
    """Tell whether a host name or address leads to this machine alone."""
    name = host.strip("[]").lower()
    if name in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
