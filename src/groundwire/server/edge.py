"""The outer ring of the service: request ids, security headers, the log, and an answer for every fault."""

import json
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from groundwire.server import problems
from groundwire.server.desk import dump, where
from groundwire.server.metrics import Metrics
from groundwire.server.tracing import StartSpan, describe, no_spans

LOG = logging.getLogger("groundwire.server")
HEADERS: Final = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
_METHODS: Final = ("WEBSOCKET", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Edge:
    """Wrap the whole application; nothing passes it unlogged, and nothing of the inside leaks through it."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, is_full: Callable[[], bool], start_span: StartSpan = no_spans
    ) -> None:
        self._app = app
        self._is_full = is_full
        self._metrics = metrics
        self._start_span = start_span

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        with self._start_span() as span:
            await self._answer(scope, receive, send, span)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, span: Any) -> None:
        state = scope.setdefault("state", {})
        state["request_id"] = request_id = secrets.token_hex(16)
        status, started = 0, time.perf_counter()

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "websocket.accept":
                status = 101
            elif message["type"] in ("http.response.start", "websocket.http.response.start"):
                status = message["status"]
                kept = [pair for pair in message.get("headers", ()) if pair[0].lower() != b"server"]
                message["headers"] = [*kept, *HEADERS, (b"x-request-id", request_id.encode())]
            await send(message)

        try:
            if scope["type"] == "http" and scope["path"].startswith("/v1/") and self._is_full():
                # Before anything else is done for it: refusing must cost less than what it protects.
                await _refuse(answer, problems.busy(), request_id)
            else:
                await self._app(scope, receive, answer)
        except Exception as error:  # the edge: fail closed, say so, tell nothing of the inside
            log("fault", request_id=request_id, fault=where(error))
            if not status and scope["type"] == "http":
                await _refuse(answer, problems.broken(), request_id)
        finally:
            # Never the address as it came: a key in a query string would end up in the log.
            route = state.get("route", "other")
            method = scope.get("method", "WEBSOCKET")
            method = method if method in _METHODS else "other"
            seconds = time.perf_counter() - started
            self._metrics.request(method, route, status, seconds)
            describe(span, method, route, status, request_id)
            log(
                "request",
                request_id=request_id,
                tenant=state.get("tenant", ""),
                key_id=state.get("key_id", ""),
                method=method,
                route=route,
                status=status,
                ms=round(1000 * seconds, 2),
            )


async def _refuse(send: Callable[[Message], Awaitable[None]], problem: problems.Problem, request_id: str) -> None:
    body = dump(problem.document(request_id))
    headers = [(b"content-type", problems.MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in problem.headers().items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def log(event: str, **fields: Any) -> None:
    """Write one line of JSON; callers pass ids, counts and names of our own, never a text of a request."""
    if LOG.isEnabledFor(logging.INFO):
        moment = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        LOG.info("%s", json.dumps({"time": moment, "event": event, **fields}))
