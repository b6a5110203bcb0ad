"""Run the service as an operator does: another process, a real socket."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx

from groundwire.server.keys import DEFAULT_SCOPES, KeyStore


@dataclass
class Running:
    """A service with its address, its folder and what it wrote."""

    process: "subprocess.Popen[bytes]"
    folder: Path
    port: int = 0
    lines: list[str] = field(default_factory=list)
    # One client for all calls: each new one would read the certificates of the system.
    client: httpx.Client = field(default_factory=lambda: httpx.Client(verify=False, timeout=60))

    @property
    def out(self) -> Path:
        return self.folder.parent / "stdout.txt"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def key(self, tenant: str, scopes: tuple[str, ...] = DEFAULT_SCOPES, **limits: Any) -> str:
        limits = {"requests_per_minute": 1_000_000, "concurrency": 1_000} | limits
        with closing(KeyStore(self.folder)) as store:
            return store.create(tenant, scopes=scopes, **limits)[0]

    def post(self, path: str, body: Any = None, key: str | None = None, **options: Any) -> httpx.Response:
        if body is not None:
            options["json"] = body
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        headers |= options.pop("headers", {})
        return self.client.post(self.url + path, headers=headers, **options)

    def get(self, path: str, key: str | None = None) -> httpx.Response:
        return self._call("GET", path, key)

    def delete(self, path: str, key: str | None = None) -> httpx.Response:
        return self._call("DELETE", path, key)

    def put(self, path: str, body: Any, key: str | None = None) -> httpx.Response:
        return self._call("PUT", path, key, json=body)

    def _call(self, method: str, path: str, key: str | None, **options: Any) -> httpx.Response:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return self.client.request(method, self.url + path, headers=headers, **options)

    def wait_for_log(self, part: str, seconds: float = 20) -> None:
        moment = threading.Event()
        for _ in range(int(seconds / 0.05)):
            if any(part in line for line in self.lines):
                return
            moment.wait(0.05)
        raise AssertionError(f"{part!r} is not in the log: {self.lines[-5:]}")


def _start(
    folder: Path, options: tuple[str, ...], variables: dict[str, str], out: IO[bytes]
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "groundwire", "serve", "--port", "0", "--data", str(folder), "--no-model", *options],
        stderr=subprocess.PIPE,
        stdout=out,
        env={**os.environ, "PYTHONUTF8": "1", **variables},
    )


@contextmanager
def service(folder: Path, *options: str, **variables: str) -> Iterator[Running]:
    folder.parent.mkdir(exist_ok=True)
    with (folder.parent / "stdout.txt").open("wb") as out:
        process = _start(folder, options, variables, out)
    running = Running(process, folder)
    assert process.stderr is not None
    for raw in process.stderr:
        running.lines.append(raw.decode())
        if '"listening"' in running.lines[-1]:
            running.port = json.loads(running.lines[-1])["port"]
            break
    else:
        process.wait(10)
        process.stderr.close()
        running.client.close()
        raise AssertionError(f"the service did not start: {running.lines}")

    def read() -> None:
        assert process.stderr is not None
        for raw in process.stderr:
            running.lines.append(raw.decode())

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield running
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        finally:
            process.kill()
            process.wait()
            running.client.close()
            reader.join(5)
            process.stderr.close()
