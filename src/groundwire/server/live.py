"""Streams over HTTP: server-sent events for an answer that is there, a WebSocket for one that is being written."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from groundwire.server import problems
from groundwire.server.desk import Answer, dump
from groundwire.server.keys import Scope, Tenant
from groundwire.server.problems import ProblemError
from groundwire.server.routes import STREAM
from groundwire.server.service import Service, check_media, job_head, problem_response
from groundwire.types import HaltReason

_AT_ONCE: Final = 32  # tokens of one step of an answer that is there already
_REFUSED: Final = 1008
_DONE: Final = 1000


class Live:
    """One stream: its worker keeps the state, this side carries messages to it."""

    def __init__(self, service: Service, request_id: str, tenant: Tenant) -> None:
        self._service, self._request_id, self._tenant = service, request_id, tenant
        self._worker = service.pool.choose()

    async def open(self, body: bytes) -> Answer:
        """Start the stream in its worker; the answer may be a problem."""
        return await self._ask("stream_open", body, first=False)

    async def feed(self, body: bytes) -> tuple[list[dict[str, Any]], bool]:
        """Return the events of the next pieces and whether the stream is over; the end comes after its record."""
        answer = await self._ask("stream_feed", body, first=True)
        said = json.loads(answer.body)
        if answer.status != 200:
            return [{"type": "problem", **said}], True
        events: list[dict[str, Any]] = said["events"]
        if answer.record is not None:
            receipt = await self._service.record(self._request_id, STREAM, self._tenant, answer.record)
            events[-1] = events[-1] | {"record": receipt}
        return events, bool(said["ended"])

    def forget(self) -> None:
        """Let the worker drop the stream, whatever becomes of the caller."""
        head = job_head("stream_close", self._request_id, self._tenant)
        try:
            job = self._service.pool.submit(head, b"", first=True, worker=self._worker)
        except ProblemError:
            return  # the service is closing, and its workers with it
        job.future.add_done_callback(lambda future: future.cancelled() or future.exception())

    async def _ask(self, job: str, body: bytes, *, first: bool) -> Answer:
        head = job_head(job, self._request_id, self._tenant)
        # What was let in goes before what waits at the door.
        return await self._service.pool.submit(head, body, first=first, worker=self._worker).future


def broken_off(error: ProblemError, request_id: str) -> dict[str, Any]:
    """Say that a stream ended before its end: nothing more may be shown."""
    return {
        "type": "halt",
        "reason": str(HaltReason.STREAM_ERROR),
        "evidence": "",
        "problem": error.problem.document(request_id),
    }


async def serve_events(service: Service, request: Request) -> Response:
    """Check an answer that is there and send its events as they come."""
    tenant = service.authenticate(request, Scope.STREAM)
    check_media(request)
    lease = await service.admit(tenant)
    live = Live(service, request.state.request_id, tenant)
    try:
        body = await service.read(request)
        answer = await live.open(body)
    except BaseException:
        service.release(lease)
        raise
    if answer.status != 200:
        service.release(lease)
        return Response(answer.body, answer.status, dict(answer.headers or {}), problems.MEDIA_TYPE)
    count = json.loads(answer.body)["tokens"]
    return StreamingResponse(
        _events(service, live, request.state.request_id, count, lease), media_type="text/event-stream"
    )


async def _events(service: Service, live: Live, request_id: str, count: int, lease: str) -> AsyncIterator[bytes]:
    try:
        for start in range(0, max(1, count), _AT_ONCE):
            upto = start + _AT_ONCE
            try:
                events, ended = await live.feed(dump({"start": start, "upto": upto, "end": upto >= count}))
            except ProblemError as error:
                events, ended = [broken_off(error, request_id)], True
            for event in events:
                yield b"event: " + event["type"].encode() + b"\ndata: " + dump(event) + b"\n\n"
            if ended:
                return
    finally:
        live.forget()
        service.release(lease)


async def serve_socket(service: Service, socket: WebSocket) -> None:
    """Check an answer while it is written."""
    request_id = socket.state.request_id
    socket.state.route = STREAM.path
    try:
        tenant = service.authenticate(socket, Scope.STREAM)
        lease = await service.admit(tenant)
    except ProblemError as error:
        await socket.send_denial_response(problem_response(error.problem, request_id))
        return
    live = Live(service, request_id, tenant)
    try:
        await socket.accept()
        async with asyncio.timeout(service.settings.stream_limit_s):
            await _talk(service, socket, live)
    except ProblemError as error:
        await _say_last(socket, broken_off(error, request_id), _REFUSED)
    except TimeoutError:
        late = ProblemError(problems.slow_body(service.settings.stream_limit_s))
        await _say_last(socket, broken_off(late, request_id), _REFUSED)
    except WebSocketDisconnect:
        pass  # the caller went away; nothing was decided
    finally:
        live.forget()
        service.release(lease)


async def _talk(service: Service, socket: WebSocket, live: Live) -> None:
    answer = await live.open(await _hear(service, socket))
    if answer.status != 200:
        await _say_last(socket, {"type": "problem", **json.loads(answer.body)}, _REFUSED)
        return
    await socket.send_text(dump({"type": "ready"}).decode())
    ended = False
    while not ended:
        events, ended = await live.feed(await _hear(service, socket))
        for event in events:
            await socket.send_text(dump(event).decode())
    await socket.close(_DONE)


async def _hear(service: Service, socket: WebSocket) -> bytes:
    try:
        async with asyncio.timeout(service.settings.stream_idle_s):
            message = await socket.receive()
    except TimeoutError as error:
        raise ProblemError(problems.slow_body(service.settings.stream_idle_s)) from error
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", _DONE))
    text = message.get("text")
    return text.encode("utf-8", "surrogatepass") if text is not None else message.get("bytes") or b""


async def _say_last(socket: WebSocket, event: dict[str, Any], code: int) -> None:
    try:
        await socket.send_text(dump(event).decode())
        await socket.close(code)
    except (WebSocketDisconnect, RuntimeError):
        pass  # already gone
