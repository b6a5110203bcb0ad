"""A local server that speaks the OpenAI chat completions and the Anthropic messages API.

Tests talk to it through the real SDKs. It answers with the scripted replies in
order, the last one for ever, and remembers every request.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

OPENAI = "/v1/chat/completions"
ANTHROPIC = "/v1/messages"


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted answer."""

    text: str = ""
    arguments: dict[str, Any] | None = None  # Anthropic: the input of a tool call; OpenAI: sent as JSON text
    status: int = 200
    finish: str = "stop"  # "length" when the model was cut off
    delay: float = 0.0  # seconds before the first byte
    drip: float = 0.0  # seconds between single bytes of the body
    cut: bool = False  # close the connection in the middle of the body
    raw: bytes | None = None  # the body as it is, for nonsense that is no JSON
    input_tokens: int = 100
    output_tokens: int = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class LLMServer:
    """The running server: where it listens and what it was asked."""

    def __init__(self, replies: list[Reply]) -> None:
        self._replies = replies
        self._lock = threading.Lock()
        self.asked: list[Asked] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False

    @property
    def url(self) -> str:
        """Return the address without a path; the Anthropic SDK wants this one."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def openai_url(self) -> str:
        """Return the address that the OpenAI SDK wants."""
        return f"{self.url}/v1"

    def take(self, asked: Asked) -> Reply:
        """Remember a request and pick its reply."""
        with self._lock:
            self.asked.append(asked)
            return self._replies[min(len(self.asked), len(self._replies)) - 1]

    def start(self) -> None:
        """Serve in a thread of its own."""
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        """Stop serving and free the port."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def llm_server(*replies: Reply) -> Iterator[LLMServer]:
    """Run a server with these replies."""
    server = LLMServer(list(replies) or [Reply()])
    server.start()
    try:
        yield server
    finally:
        server.stop()


def openai_body(reply: Reply, model: str) -> dict[str, Any]:
    """Return a chat completion as OpenAI writes it."""
    content = json.dumps(reply.arguments) if reply.arguments is not None else reply.text
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {"index": 0, "finish_reason": reply.finish, "message": {"role": "assistant", "content": content}}
        ],
        "usage": {
            "prompt_tokens": reply.input_tokens,
            "completion_tokens": reply.output_tokens,
            "total_tokens": reply.input_tokens + reply.output_tokens,
        },
    }  # fmt: skip


def anthropic_body(reply: Reply, model: str) -> dict[str, Any]:
    """Return a message as Anthropic writes it; arguments become a call of the tool that was offered."""
    content: dict[str, Any] = {"type": "text", "text": reply.text}
    if reply.arguments is not None:
        content = {"type": "tool_use", "id": "toolu_1", "name": "verdict", "input": reply.arguments}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [content],
        "stop_reason": {"stop": "end_turn", "length": "max_tokens"}.get(reply.finish, reply.finish),
        "stop_sequence": None,
        "usage": {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens},
    }


BODIES = {OPENAI: openai_body, ANTHROPIC: anthropic_body}


def _handler(server: LLMServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            reply = server.take(Asked(self.path, dict(self.headers), body))
            time.sleep(reply.delay)
            make = BODIES.get(self.path)
            if make is None:
                self._send(404, json.dumps({"error": {"message": f"no such path: {self.path}"}}).encode(), reply)
                return
            if reply.status != 200:
                error = {"error": {"type": "error", "message": reply.text or "scripted failure"}}
                self._send(reply.status, json.dumps(error).encode(), reply)
                return
            made = reply.raw if reply.raw is not None else json.dumps(make(reply, body.get("model", ""))).encode()
            self._send(200, made, reply)

        def _send(self, status: int, data: bytes, reply: Reply) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            try:
                if reply.cut:
                    self.wfile.write(data[: len(data) // 2])
                    self.close_connection = True
                elif reply.drip:
                    for byte in data:
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                        time.sleep(reply.drip)
                else:
                    self.wfile.write(data)
            except OSError:
                self.close_connection = True  # the client gave up waiting

        def log_message(self, format: str, *arguments: Any) -> None:
            """Keep the test output clean."""

    return Handler
