"""A local server that streams as OpenAI and Anthropic do; tests talk to it through the real SDKs."""

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One scripted answer, streamed when the request asks for it."""

    text: str
    size: int = 5  # characters a chunk
    delay: float = 0.0  # seconds between chunks
    cut_after: int | None = None  # chunks before the connection breaks
    error_after: int | None = None  # chunks before an error event
    quiet_cut: bool = False  # the broken stream looks like a complete HTTP body
    choices: int = 1

    @property
    def pieces(self) -> list[str]:
        return [self.text[place : place + self.size] for place in range(0, len(self.text), self.size)]


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a reader that hung up."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class StreamServer:
    """The running server: where it listens, what it was asked, and whether a reader hung up."""

    def __init__(self, answers: list[Answer]) -> None:
        self._answers = answers
        self._lock = threading.Lock()
        self.asked: list[dict[str, Any]] = []
        self.hung_up = threading.Event()
        self._server = _Quiet(("127.0.0.1", 0), _handler(self))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def take(self, body: dict[str, Any]) -> Answer:
        with self._lock:
            self.asked.append(body)
            return self._answers[min(len(self.asked), len(self._answers)) - 1]

    def run(self) -> None:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def stream_server(*answers: Answer | str) -> Iterator[StreamServer]:
    """Run a server that gives these answers in order, the last one for ever."""
    server = StreamServer([Answer(item) if isinstance(item, str) else item for item in answers])
    server.run()
    try:
        yield server
    finally:
        server.stop()


def openai_chunk(choices: list[dict[str, Any]]) -> bytes:
    body = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}
    return f"data: {json.dumps(body)}\n\n".encode()


def openai_events(answer: Answer) -> Iterator[bytes]:
    numbers = range(answer.choices)
    for number in numbers:
        yield openai_chunk([{"index": number, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}])
    for piece in answer.pieces:
        for number in numbers:
            logprobs = {"content": [{"token": piece, "logprob": -0.1, "top_logprobs": []}], "refusal": None}
            choice = {"index": number, "delta": {"content": piece}, "finish_reason": None, "logprobs": logprobs}
            yield openai_chunk([choice])
    for number in numbers:
        yield openai_chunk([{"index": number, "delta": {}, "finish_reason": "stop"}])
    yield b"data: [DONE]\n\n"


def openai_error() -> bytes:
    return b'data: {"error": {"message": "overloaded", "type": "server_error"}}\n\n'


def anthropic_event(kind: str, **body: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **body})}\n\n".encode()


def anthropic_message(content: list[dict[str, Any]], stop: str | None) -> dict[str, Any]:
    return {
        "id": "m1", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": stop,
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip


def anthropic_events(answer: Answer) -> Iterator[bytes]:
    yield anthropic_event("message_start", message=anthropic_message([], None))
    yield anthropic_event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for piece in answer.pieces:
        yield anthropic_event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
    yield anthropic_event("content_block_stop", index=0)
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    yield anthropic_event("message_delta", delta=delta, usage={"output_tokens": 9})
    yield anthropic_event("message_stop")


def anthropic_error() -> bytes:
    return anthropic_event("error", error={"type": "overloaded_error", "message": "overloaded"})


def whole(answer: Answer, path: str) -> dict[str, Any]:
    if path.endswith("/messages"):
        return anthropic_message([{"type": "text", "text": answer.text}], "end_turn")
    message = {"role": "assistant", "content": answer.text}
    logprobs = {"content": [{"token": answer.text, "logprob": -0.1, "top_logprobs": []}], "refusal": None}
    choices = [
        {"index": number, "message": message, "finish_reason": "stop", "logprobs": logprobs}
        for number in range(answer.choices)
    ]
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}


def _handler(server: StreamServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            answer = server.take(body)
            if not body.get("stream"):
                self._send_whole(json.dumps(whole(answer, self.path)).encode())
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                self._stream(answer)
            except OSError:
                server.hung_up.set()
                self.close_connection = True

        def _stream(self, answer: Answer) -> None:
            is_openai = not self.path.endswith("/messages")
            events = openai_events(answer) if is_openai else anthropic_events(answer)
            for number, event in enumerate(events):
                if number == answer.error_after:
                    self._chunk(openai_error() if is_openai else anthropic_error())
                    break
                if number == answer.cut_after:
                    if answer.quiet_cut:
                        break
                    self.close_connection = True
                    self.wfile.flush()
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self._chunk(event)
                time.sleep(answer.delay)
            self._chunk(b"")

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()

        def _send_whole(self, data: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Keep the test output clean."""

    return Handler
