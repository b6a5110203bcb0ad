"""Open the stores, start the workers, listen, and end gracefully."""

import asyncio
import logging
import signal
import socket
import sys
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from groundwire.errors import InputError
from groundwire.server.app import build_app
from groundwire.server.database import make_folder
from groundwire.server.edge import LOG, log
from groundwire.server.jobs import JobRunner
from groundwire.server.keys import KeyStore
from groundwire.server.limits import Limits, SQLiteLimits
from groundwire.server.pool import Pool
from groundwire.server.postgres_trail import PostgresTrail
from groundwire.server.redis_limits import RedisLimits
from groundwire.server.service import Service
from groundwire.server.settings import Settings
from groundwire.server.tracing import no_spans, start_tracing
from groundwire.server.trail import SQLiteTrail, Trail
from groundwire.server.writer import TrailWriter


def serve(settings: Settings) -> None:
    """Serve until a signal ends it; what was accepted is answered first."""
    make_folder(settings.data)
    keys = KeyStore(settings.data)
    if not settings.loopback and keys.is_empty():
        raise InputError(
            f"{settings.host!r} can be reached from other machines, and there is no key.",
            why="anybody could use the service",
            fix="make a key with 'groundwire keys create TENANT', or listen on 127.0.0.1",
        )
    listener = _listen(settings)
    limits, trail = open_limits(settings), open_trail(settings)
    _log_to_stderr()
    _raise_file_limit()
    pool = Pool(settings)
    writer = TrailWriter(trail)
    runner = JobRunner(settings, writer)
    service = Service(settings, keys, limits, pool, writer)
    server = uvicorn.Server(
        uvicorn.Config(
            build_app(service, start_tracing() if settings.trace else no_spans),
            http=_protocol(settings),
            ws="websockets-sansio",
            ws_max_size=settings.max_body_bytes,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=True,
            proxy_headers=False,
            lifespan="off",
            limit_concurrency=settings.max_connections,
            timeout_keep_alive=int(settings.idle_limit_s) or 1,
            timeout_graceful_shutdown=int(settings.shutdown_limit_s) or 1,
            h11_max_incomplete_event_size=64 << 10,
        )
    )

    def stop(*_: object) -> None:
        server.should_exit = True

    # Ours serve before uvicorn sets its own, and when it raises the signal once more after it is done: the default
    # would end the process before the stores are closed.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    host, port = listener.getsockname()[:2]
    log("listening", host=host, port=port, workers=settings.workers, keys=not keys.is_empty(), model=settings.model)
    try:
        server.run(sockets=[listener])
    finally:
        runner.close()
        pool.close()
        writer.close()
        limits.close()
        keys.close()
        log("ended")


def open_limits(settings: Settings) -> Limits:
    """Open the counts of the tenants: Redis when it is given, SQLite otherwise."""
    # Long enough for any request that still lives: its body, its turn in the queue, its work.
    lease_s = max(settings.time_limit_s * (settings.queue + 2), settings.stream_limit_s) + settings.read_limit_s
    if settings.redis_url:
        return RedisLimits(settings.redis_url, lease_s=lease_s)
    return SQLiteLimits(settings.data, lease_s=lease_s)


def open_trail(settings: Settings) -> Trail:
    """Open the audit trail: PostgreSQL when it is given, SQLite otherwise."""
    return PostgresTrail(settings.postgres_dsn) if settings.postgres_dsn else SQLiteTrail(settings.data)


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host.strip("[]"), settings.port))
        listener.listen(4_096)
    except OSError as error:
        listener.close()
        raise InputError(
            f"{settings.host}:{settings.port} cannot be listened on.",
            why=error.strerror or str(error),
            fix="choose another --host or --port",
        ) from error
    listener.setblocking(False)
    return listener


def _protocol(settings: Settings) -> type[asyncio.Protocol]:
    class Patient(H11Protocol):
        """Close a connection whose request head does not arrive; uvicorn itself would wait for ever."""

        _head_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._unwatch()
            else:
                self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._unwatch()
            super().connection_lost(exc)

        def _watch(self) -> None:
            if self._head_timer is None:
                self._head_timer = self.loop.call_later(settings.idle_limit_s, self._give_up)

        def _unwatch(self) -> None:
            if self._head_timer is not None:
                self._head_timer.cancel()
                self._head_timer = None

        def _give_up(self) -> None:
            self._head_timer = None
            if not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete):
                self.transport.close()

    return Patient


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    # What uvicorn says of a malformed request names no content; its tracebacks might.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)


def _raise_file_limit() -> None:
    try:
        import resource  # not on every system
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
