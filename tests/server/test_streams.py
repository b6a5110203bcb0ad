"""Streams over server-sent events and over a WebSocket."""

import json
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from groundwire.server.routes import STREAM
from tests.server.running import Running
from tests.server.test_routes import problem, records

SOURCE = "The warranty lasts 24 months. Returns take 30 days."


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]


def open_socket(running: Running, key: str | None) -> ClientConnection:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return connect(f"ws://127.0.0.1:{running.port}/v1/stream", additional_headers=headers)


def test_a_wrong_claim_stops_the_events_before_it_is_shown(keyed: Running, acme: str) -> None:
    before = records(keyed)
    answer = keyed.post("/v1/stream", STREAM.example, acme)
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = events(answer.text)
    assert "".join(event["text"] for event in found if event["type"] == "text").strip() == "Returns take 30 days."
    assert found[-1]["type"] == "halt"
    assert found[-1]["reason"] == "contradicted"
    assert records(keyed) == before + 1
    assert int(found[-1]["record"].partition(":")[0]) >= before
    assert "36" not in "".join(event["text"] for event in found if event["type"] == "text")


def test_a_right_answer_passes_whole(keyed: Running, acme: str) -> None:
    body = {"source": SOURCE, "tokens": ["Returns ", "take ", "30 ", "days."] * 40}
    found = events(keyed.post("/v1/stream", body, acme).text)
    assert "".join(event["text"] for event in found if event["type"] == "text") == "".join(body["tokens"])
    assert found[-1]["type"] == "end"


def test_a_stream_of_nothing_ends(keyed: Running, acme: str) -> None:
    found = events(keyed.post("/v1/stream", {"source": SOURCE, "tokens": []}, acme).text)
    assert [event["type"] for event in found] == ["end"]


def test_a_bad_stream_is_refused(keyed: Running, acme: str) -> None:
    problem(keyed.post("/v1/stream", {"tokens": []}, acme), 422, "body-invalid")
    problem(keyed.post("/v1/stream", {"source": "x", "tokens": [5]}, acme), 422, "body-invalid")
    problem(keyed.post("/v1/stream", {"source": "x", "mode": "no"}, acme), 422, "input-refused")
    problem(keyed.post("/v1/stream", {"source": "x"}), 401, "key-refused")


def test_a_socket_lets_claims_through_as_they_come(keyed: Running, acme: str) -> None:
    with open_socket(keyed, acme) as socket:
        socket.send(json.dumps({"source": SOURCE}))
        assert json.loads(socket.recv()) == {"type": "ready"}
        socket.send(json.dumps({"tokens": ["Returns take 30 days. The"]}))
        first = json.loads(socket.recv())
        assert first["type"] == "text"
        assert first["text"].strip() == "Returns take 30 days."
        assert json.loads(socket.recv())["verdict"] == "supported"
        socket.send(json.dumps({"tokens": [" warranty lasts 36 months. More."]}))
        found = [json.loads(message) for message in socket]
        assert found[-1]["type"] == "halt"
        assert found[-1]["record"]
        assert not any("36" in event.get("text", "") for event in found)


def test_a_socket_ends_when_the_answer_does(keyed: Running, acme: str) -> None:
    with open_socket(keyed, acme) as socket:
        socket.send(json.dumps({"source": SOURCE, "mode": "buffered"}))
        socket.recv()
        socket.send(json.dumps({"tokens": ["Returns take 30 days."], "end": True}))
        found = [json.loads(socket.recv()) for _ in range(3)]
        assert [event["type"] for event in found] == ["text", "claim", "end"]


@pytest.mark.parametrize("first", ["{", "[]", '{"source": 5}', '{"mode": "no", "source": "x"}'])
def test_a_socket_says_what_is_wrong_with_its_first_message(keyed: Running, acme: str, first: str) -> None:
    with open_socket(keyed, acme) as socket:
        socket.send(first)
        said = json.loads(socket.recv())
        assert said["type"].startswith("urn:groundwire:problem:")
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=20)


def test_a_socket_without_a_key_is_refused_before_it_opens(keyed: Running) -> None:
    for key in (None, "gw_0000000000000000_" + "A" * 43):
        with pytest.raises(InvalidStatus) as refused:
            open_socket(keyed, key)
        assert refused.value.response.status_code == 401


def test_a_caller_who_hangs_up_leaves_no_record(keyed: Running, acme: str) -> None:
    before = records(keyed)
    with open_socket(keyed, acme) as socket:
        socket.send(json.dumps({"source": SOURCE}))
        socket.recv()
        socket.send(json.dumps({"tokens": ["Returns take"]}))
    assert records(keyed) == before
