"""Events reach their sinks without any text, and a failing sink stops nothing."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from groundwire import SafetyEvent
from groundwire.errors import InputError, InputTypeError
from groundwire.events import CallbackSink, JsonlSink, LoggingSink, emit, span_attributes
from groundwire.stream import ClaimStream


def event(decision: str = "halt", **more: Any) -> SafetyEvent:
    return SafetyEvent(hook_id="test", hook_scope="streaming", policy_decision=decision, **more)


def test_a_json_lines_file_holds_one_event_a_line(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    sink = JsonlSink(path)
    events = [event(), event("warn", attributes={"mode": "x"})]
    for item in events:
        sink(item)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [SafetyEvent.from_dict(json.loads(line)) for line in lines] == events


def test_a_file_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        JsonlSink(tmp_path)


@pytest.mark.parametrize(
    ("decision", "level"), [("allow", "INFO"), ("warn", "WARNING"), ("halt", "ERROR"), ("block", "ERROR")]
)
def test_the_log_level_follows_the_decision(decision: str, level: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="groundwire.safety"):
        LoggingSink()(event(decision))
    assert [record.levelname for record in caplog.records] == [level]
    assert json.loads(caplog.records[0].getMessage())["policy_decision"] == decision


def test_a_callback_gets_a_plain_dictionary() -> None:
    got: list[dict[str, Any]] = []
    CallbackSink(got.append)(event())
    assert got[0]["hook_id"] == "test"
    with pytest.raises(InputTypeError, match="callback is a str"):
        CallbackSink("x")  # type: ignore[arg-type]


def test_a_failing_sink_stops_neither_the_others_nor_the_stream(caplog: pytest.LogCaptureFixture) -> None:
    got: list[SafetyEvent] = []

    def fails(item: SafetyEvent) -> None:
        raise RuntimeError("secret text")

    emit(event(), [fails, got.append])
    assert len(got) == 1
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


def test_what_is_no_event_is_refused() -> None:
    with pytest.raises(InputTypeError, match="The event is a dict"):
        LoggingSink()({"text": "secret"})  # type: ignore[arg-type]


def test_f2_no_sink_writes_any_text_of_a_halted_stream(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "events.jsonl"
    stream = ClaimStream(
        "Refunds are accepted within 30 days of purchase.",
        sinks=[JsonlSink(path), LoggingSink()],
        question="Zebra question?",
    )
    list(stream.guard("Refunds are accepted within 60 days of purchase."))
    assert stream.session.halted
    attributes = span_attributes(stream.session.safety_events[0])
    for written in (path.read_text(encoding="utf-8"), caplog.text, str(attributes)):
        assert "contradicted" in written
        for word in ("Refunds", "30 days", "60 days", "purchase", "Zebra"):
            assert word not in written
    assert attributes["groundwire.trace.token_offset"] == 0


@pytest.mark.parametrize("field", ["hook_scope", "policy_decision"])
def test_f1_an_unknown_scope_or_decision_is_a_value_error(field: str) -> None:
    values = {"hook_id": "x", "hook_scope": "streaming", "policy_decision": "halt", field: "nonsense"}
    with pytest.raises(ValueError, match="nonsense"):
        SafetyEvent(**values)  # type: ignore[arg-type]
