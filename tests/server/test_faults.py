"""What breaks is told, what was acknowledged stays, and the next request is answered."""

import json
import os
import signal
import socket
import threading
import time
from pathlib import Path

from groundwire.server.trail import SQLiteTrail, check_trail
from tests.server.running import Running
from tests.server.test_routes import EXAMPLES, problem

BODY = json.dumps(EXAMPLES["verify"]).encode()


def raw(running: Running, data: bytes, *, wait: float = 20) -> bytes:
    with socket.create_connection(("127.0.0.1", running.port), timeout=wait) as connection:
        connection.sendall(data)
        parts = []
        try:
            while part := connection.recv(65_536):
                parts.append(part)
        except (TimeoutError, ConnectionResetError):
            pass
        return b"".join(parts)


def head(key: str, *lines: str) -> bytes:
    fixed = ["POST /v1/verify HTTP/1.1", "Host: x", f"Authorization: Bearer {key}", "Content-Type: application/json"]
    return ("\r\n".join([*fixed, *lines]) + "\r\n\r\n").encode()


def answers(running: Running, key: str) -> bool:
    return running.post("/v1/verify", EXAMPLES["verify"], key).status_code == 200


def workers(running: Running) -> list[int]:
    pid = running.process.pid
    children = Path(f"/proc/{pid}/task").glob("*/children")
    found = [int(child) for path in children for child in path.read_text().split()]
    return [child for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def test_a_trail_that_is_gone_stops_decisions_until_it_is_back(keyed: Running, acme: str) -> None:
    files = [path for path in keyed.folder.iterdir() if path.name.startswith("trail.db")]
    for path in files:
        path.rename(path.with_name("away-" + path.name))
    problem(keyed.post("/v1/verify", EXAMPLES["verify"], acme), 503, "store-unavailable")
    for path in files:
        path.with_name("away-" + path.name).rename(path)
    assert answers(keyed, acme)
    trail = SQLiteTrail(keyed.folder, create=False)
    check_trail(trail)
    trail.close()


def test_a_worker_that_dies_is_replaced(keyed: Running, acme: str) -> None:
    (worker,) = workers(keyed)
    os.kill(worker, signal.SIGKILL)
    answer = keyed.post("/v1/verify", EXAMPLES["verify"], acme)
    problem(answer, 503, "worker-died")
    assert answer.headers["retry-after"] == "1"
    assert answers(keyed, acme)
    assert worker not in workers(keyed)


def test_a_worker_that_dies_in_the_middle_of_a_request_is_replaced(keyed: Running, acme: str) -> None:
    long = {"response": "The plan costs $99. " * 400, "source": "The price is $49 for plan A. " * 3_000}
    status: list[int] = []
    caller = threading.Thread(target=lambda: status.append(keyed.post("/v1/verify", long, acme).status_code))
    caller.start()
    time.sleep(0.3)
    for worker in workers(keyed):
        os.kill(worker, signal.SIGKILL)
    caller.join(60)
    assert status in ([503], [200])  # a fast machine may have been done
    assert answers(keyed, acme)


def test_a_body_that_does_not_arrive_is_given_up(keyed: Running, acme: str) -> None:
    started = time.monotonic()
    said = raw(keyed, head(acme, "Content-Length: 1000", "Connection: close") + b'{"resp')
    assert b" 408 " in said.split(b"\r\n")[0]
    assert b"body-late" in said
    assert time.monotonic() - started < 15
    assert answers(keyed, acme)


def test_callers_who_vanish_leave_the_service_working(keyed: Running, acme: str) -> None:
    for data in (head(acme, "Content-Length: 1000") + b"{", head(acme, f"Content-Length: {len(BODY)}") + BODY):
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", keyed.port)) as connection:
                connection.sendall(data)
    assert answers(keyed, acme)


def test_a_huge_body_is_refused_before_it_is_read(keyed: Running, acme: str) -> None:
    said = raw(keyed, head(acme, f"Content-Length: {100 << 20}", "Connection: close") + b"{", wait=10)
    assert b" 413 " in said.split(b"\r\n")[0]
    assert b"body-too-large" in said
    # Without a length it is read up to the limit, and no further.
    with socket.create_connection(("127.0.0.1", keyed.port), timeout=20) as connection:
        connection.sendall(head(acme, "Transfer-Encoding: chunked", "Connection: close"))
        sent = 0
        try:
            for _ in range(1_600):
                connection.sendall(b"10000\r\n" + b" " * 65_536 + b"\r\n")
                sent += 65_536
        except OSError:
            pass
    assert answers(keyed, acme)


def test_what_is_no_http_is_refused(keyed: Running, acme: str) -> None:
    for data in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
    ):
        said = raw(keyed, data, wait=3)
        assert said == b"" or b" 4" in said.split(b"\r\n")[0]
        assert b"Traceback" not in said
    assert answers(keyed, acme)
