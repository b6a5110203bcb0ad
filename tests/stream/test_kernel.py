"""The checklist of the streaming kernels: S1 to S12."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire import AsyncStreamingKernel, StreamingKernel
from groundwire.errors import InputError, InputTypeError
from groundwire.stream.step import Limits, step
from groundwire.types import EvidenceChunk, ScoringEvidence, StreamSession

FACTS = [EvidenceChunk("The tower is 330 m high.", 0.1, "kb:7"), EvidenceChunk("It stands in Paris.", 0.4, "kb:9")]


def scored(scores: list[float]) -> Callable[[str], float]:
    left = iter(scores)
    return lambda text: next(left)


def run(scores: list[float], tokens: list[str] | None = None, **options: Any) -> StreamSession:
    tokens = tokens or [f"t{number} " for number in range(len(scores))]
    return StreamingKernel(**options).stream_tokens(tokens, scored(scores))


def outcome(session: StreamSession) -> dict[str, Any]:
    """Everything of a session but clocks and event ids."""
    return {
        "tokens": session.tokens,
        "events": [(item.token, item.index, item.coherence, item.halted, item.warning) for item in session.events],
        "history": session.coherence_history,
        "halt": (session.halted, session.halt_index, session.halt_reason, session.halt_evidence, session.soft_halted),
        "evidence": session.halt_evidence_structured,
        "decisions": [item.policy_decision for item in session.safety_events],
    }


@pytest.mark.parametrize("place", [0, 1, 6])
def test_s1_the_hard_limit_fires_at_the_exact_token(place: int) -> None:
    session = run([0.9] * place + [0.49] + [0.9] * 3)
    assert (session.halt_reason, session.halt_index, session.token_count) == ("hard_limit", place, place)


def test_s1_the_window_average_fires_at_the_exact_token() -> None:
    scores = [0.6] * 6 + [0.52] * 20  # the mean of ten falls below 0.55 with the seventh low score
    session = run(scores)
    assert (session.halt_reason, session.halt_index) == ("window_avg", 12)


def test_s1_the_trend_fires_at_the_exact_token() -> None:
    session = run([0.9, 0.9, 0.9, 0.88, 0.85, 0.8, 0.74])
    assert (session.halt_reason, session.halt_index) == ("downward_trend", 6)


@pytest.mark.parametrize(
    "scores",
    [[0.5] * 3, [0.55] * 30, [0.5, 0.6] * 15, [0.8] * 5 + [0.65] * 20, [0.7] * 5 + [0.55] * 30, [1.0, 0.9, 0.85]],
)
def test_s2_a_value_equal_to_its_limit_does_not_halt(scores: list[float]) -> None:
    options: dict[str, Any] = {"window_threshold": 0.5} if scores[-1] == 0.55 and scores[0] == 0.7 else {}
    assert not run(scores, **options).halted


def test_s3_window_and_trend_are_silent_until_they_are_full() -> None:
    assert not run([0.51] * 9, trend_threshold=1.0).halted
    assert run([0.51] * 10).halt_index == 9
    assert not run([0.9, 0.8, 0.75, 0.72, 0.7]).halted
    assert run([0.9, 0.8, 0.75, 0.72, 0.7, 0.7]).halt_index == 5


def test_s4_hard_mode_leaves_the_offending_token_out() -> None:
    session = run([0.9, 0.9, 0.1], ["a ", "b ", "c "])
    assert session.tokens == ["a ", "b "]
    assert session.events[-1].token == "c "
    assert session.events[-1].halted
    assert not session.soft_halted


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (["a ", "bad ", "one", ". ", "more"], ["a ", "bad ", "one", ". "]),
        (["a ", "bad. ", "more"], ["a ", "bad. "]),
        (["a ", "bad ", "is\n", "more"], ["a ", "bad ", "is\n"]),
        (["a ", "bad ", "3.14 ", 'so."', "more"], ["a ", "bad ", "3.14 ", 'so."']),
        (["a ", *["x "] * 80], ["a ", *["x "] * 51]),
        (["a ", "bad ", "end"], ["a ", "bad ", "end"]),
    ],
)
def test_s4_soft_mode_ends_at_the_sentence_end_or_after_fifty_tokens(tokens: list[str], shown: list[str]) -> None:
    session = StreamingKernel(halt_mode="soft").stream_tokens(tokens, scored([0.9, 0.1]))
    assert session.tokens == shown
    assert (session.soft_halted, session.halted, session.halt_index) == (True, True, 1)
    assert len(session.safety_events) == 1
    assert all(event.warning for event in session.events[2:])


def test_s5_the_tests_run_in_the_tabled_order() -> None:
    limits = Limits()
    falling = [0.9] * 9 + [0.1]
    assert step(falling, limits).reason == "hard_limit"  # type: ignore[union-attr]
    assert step([0.8] * 5 + [0.5] * 10, limits).reason == "window_avg"  # type: ignore[union-attr]
    assert step([0.9] * 5 + [0.6] * 5, limits).reason == "downward_trend"  # type: ignore[union-attr]
    assert step([0.9] * 5, limits) is None


@pytest.mark.parametrize("value", [float("nan"), None, "0.9", True, [0.9]])
@pytest.mark.parametrize("mode", ["hard", "soft"])
def test_s6_a_callback_that_returns_no_number_halts(value: object, mode: str) -> None:
    def callback(text: str) -> Any:
        return 0.9 if len(text) < 4 else value

    session = StreamingKernel(halt_mode=mode).stream_tokens(["a ", "b ", "c. ", "d"], callback)
    assert (session.halt_reason, session.tokens) == ("callback_error", ["a "])


@pytest.mark.parametrize("mode", ["hard", "soft"])
def test_s6_a_raising_callback_halts_and_nothing_is_emitted_after(mode: str) -> None:
    def callback(text: str) -> float:
        if "secret" in text:
            raise RuntimeError(text)
        return 1.0

    taken: list[str] = []

    def tokens() -> Iterator[str]:
        for token in ["one ", "two ", "secret ", "three "]:
            taken.append(token)
            yield token

    session = StreamingKernel(halt_mode=mode).stream_tokens(tokens(), callback)
    assert (session.halt_reason, session.tokens, taken[-1]) == ("callback_error", ["one ", "two "], "secret ")
    assert "secret" not in session.halt_evidence
    assert len(session.safety_events) == 1


def test_s6_a_callback_that_hangs_is_left_behind() -> None:
    stuck = threading.Event()
    try:
        session = StreamingKernel(callback_timeout=0.05).stream_tokens(["a"], lambda text: float(stuck.wait(20)))
        assert (session.halt_reason, session.tokens) == ("callback_timeout", [])
    finally:
        stuck.set()


def test_values_outside_the_range_are_clamped() -> None:
    assert run([7.0, float("inf"), 1]).coherence_history == [1.0, 1.0, 1.0]
    assert run([-3.0]).coherence_history == [0.0]


@pytest.mark.parametrize(
    ("scores", "observed"),
    [([0.9, 0.3], 0.3), ([0.52] * 10, 0.52), ([0.9] * 5 + [0.7], 0.2)],
)
def test_s7_offset_threshold_and_contribution_agree_with_the_session(scores: list[float], observed: float) -> None:
    session = run(scores)
    evidence = session.halt_evidence_structured
    assert evidence is not None
    trace = evidence.trace_attribution
    assert trace is not None
    assert trace.token_offset == session.halt_index == len(scores) - 1
    assert trace.threshold == {"hard_limit": 0.5, "window_avg": 0.55, "downward_trend": 0.15}[session.halt_reason]
    assert trace.causal_contribution == pytest.approx(abs(observed - trace.threshold))
    assert evidence.last_score == session.coherence_history[-1]


def test_s8_one_safety_event_per_halt_in_the_session_and_on_the_token() -> None:
    got: list[Any] = []
    kernel = StreamingKernel(sinks=[got.append])
    session = kernel.stream_tokens(["a", "b"], scored([0.9, 0.1]), lambda text: FACTS, "request", "tenant")
    assert session.safety_events == got == [session.events[-1].safety_event]
    event = session.safety_events[0]
    assert (event.request_id, event.tenant_id, event.hook_id) == ("request", "tenant", "streaming.kernel")
    assert event.evidence_refs == ("kb:7", "kb:9")
    assert run([0.9]).safety_events == []


@pytest.mark.parametrize(
    ("rescored", "best"),
    [({"kb:7": 0.9, "kb:9": 0.9}, "kb:7"), ({"kb:7": 0.2, "kb:9": 0.9}, "kb:9"), ({"kb:7": 0.2, "kb:9": 0.4}, None)],
)
def test_s9_the_best_change_is_the_first_that_prevents_the_halt(rescored: dict[str, float], best: str | None) -> None:
    def rescore(text: str, chunks: list[EvidenceChunk]) -> float:
        changed = next(new for new, old in zip(chunks, FACTS, strict=True) if new.text != old.text)
        assert changed.text == "It is 400 m high."
        return rescored[changed.source]

    session = StreamingKernel().stream_tokens(
        ["Hello. ", "It is 400 m high."], scored([0.9, 0.3]), lambda text: FACTS, rescore_callback=rescore
    )
    evidence = session.halt_evidence_structured
    assert evidence is not None
    diagnostic = evidence.counterfactual_diagnostic
    assert diagnostic is not None
    assert (diagnostic.best_change.fact_source if diagnostic.best_change else None) == best
    assert [change.original_fact for change in diagnostic.candidates] == [chunk.text for chunk in FACTS]
    assert diagnostic.candidates[0].required_score_delta == pytest.approx(0.2)
    assert evidence.suggested_action == "retry with KB context"


def test_s9_without_rescoring_the_chunk_that_alone_contradicts_is_named() -> None:
    scored_evidence = ScoringEvidence(FACTS, "", "", 0.9, chunk_scores=[0.2, 0.9])
    session = StreamingKernel().stream_tokens(["x"], scored([0.1]), lambda text: scored_evidence)
    diagnostic = session.halt_evidence_structured.counterfactual_diagnostic  # type: ignore[union-attr]
    assert diagnostic is not None
    assert diagnostic.best_change is not None
    assert diagnostic.best_change.fact_source == "kb:9"
    session = StreamingKernel().stream_tokens(["x"], scored([0.1]), lambda text: FACTS)
    assert session.halt_evidence_structured.counterfactual_diagnostic.best_change is None  # type: ignore[union-attr]
    session = StreamingKernel().stream_tokens(["x"], scored([0.1]))
    assert session.halt_evidence_structured.suggested_action == "lower temperature or rephrase"  # type: ignore[union-attr]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=8), max_size=60))
def test_s10_a_stream_that_never_halts_is_unchanged(tokens: list[str]) -> None:
    session = StreamingKernel().stream_tokens(tokens, lambda text: 0.8)
    assert session.tokens == tokens
    assert (session.halted, session.halt_index, session.halt_reason) == (False, -1, "")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.floats(0.3, 1.0), min_size=1, max_size=40),
    st.sampled_from(["hard", "soft"]),
    st.integers(1, 4),
    st.booleans(),
)
def test_s11_async_and_sync_kernels_give_equal_sessions(
    scores: list[float], mode: str, every: int, is_async: bool
) -> None:
    tokens = [f"w{number}" + (". " if number % 7 == 6 else " ") for number in range(len(scores))]
    options: dict[str, Any] = {"halt_mode": mode, "score_every_n": every, "soft_halt_cap": 5}

    async def slow(callback: Callable[[str], float], text: str) -> float:
        return callback(text)

    async def stream() -> AsyncIterator[str]:
        for token in tokens:
            yield token

    def both(callback: Callable[[str], float]) -> Any:
        return (lambda text: slow(callback, text)) if is_async else callback

    sync = StreamingKernel(**options).stream_tokens(tokens, scored(scores), lambda text: FACTS)
    twin = asyncio.run(
        AsyncStreamingKernel(**options).stream_tokens(
            stream() if is_async else tokens, both(scored(scores)), lambda text: FACTS
        )
    )
    assert outcome(sync) == outcome(twin)


def test_s11_failures_are_equal_too() -> None:
    def fails(text: str) -> float:
        raise OSError

    async def hangs(text: str) -> float:
        await asyncio.sleep(30)
        return 1.0

    twin = asyncio.run(AsyncStreamingKernel().stream_tokens(["a"], fails))
    assert outcome(twin) == outcome(StreamingKernel().stream_tokens(["a"], fails))
    session = asyncio.run(AsyncStreamingKernel(callback_timeout=0.05).stream_tokens(["a"], hangs))
    assert session.halt_reason == "callback_timeout"


def test_s12_overhead_is_below_ten_microseconds_a_token() -> None:
    tokens = ["word "] * 4_000
    kernel = StreamingKernel()

    def once() -> float:
        started = time.process_time()
        kernel.stream_tokens(tokens, lambda text: 0.9)
        return (time.process_time() - started) / len(tokens)

    assert min(once() for _ in range(5)) < 10e-6


def test_only_every_nth_token_is_scored() -> None:
    seen: list[str] = []
    StreamingKernel(score_every_n=3).stream_tokens(list("abcdefg"), lambda text: seen.append(text) or 0.9)  # type: ignore[func-returns-value]
    assert seen == ["abc", "abcdef"]


@pytest.mark.parametrize("token", [None, b"x", 3])
def test_a_token_that_is_no_string_halts(token: Any) -> None:
    session = StreamingKernel().stream_tokens(["a", token, "b"], lambda text: 0.9)
    assert (session.halt_reason, session.tokens) == ("bad_token", ["a"])


def test_a_stream_that_never_ends_is_stopped() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield ""

    session = StreamingKernel(max_tokens=500).stream_tokens(endless(), lambda text: 0.9)
    assert (session.halt_reason, session.token_count) == ("stream_limit", 500)


def test_an_upstream_that_breaks_loses_nothing_that_was_emitted() -> None:
    def breaks() -> Iterator[str]:
        yield "a"
        raise ConnectionError

    session = StreamingKernel().stream_tokens(breaks(), lambda text: 0.9)
    assert (session.halt_reason, session.tokens) == ("stream_error", ["a"])


def test_a_failing_halt_callback_changes_nothing() -> None:
    def fails(session: StreamSession) -> None:
        raise RuntimeError

    seen: list[StreamSession] = []
    kernel = StreamingKernel(on_halt=fails, sinks=[fails])  # type: ignore[list-item]
    assert kernel.stream_tokens(["a"], lambda text: 0.1, lambda text: 1 / 0).halt_reason == "hard_limit"  # type: ignore[arg-type,return-value]
    session = StreamingKernel(on_halt=seen.append).stream_tokens(["a"], lambda text: 0.1)
    assert seen == [session]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hard_limit": 2}, "hard_limit is 2"),
        ({"halt_mode": "medium"}, "use 'hard' or 'soft'"),
        ({"window_size": 0}, "window_size is 0"),
        ({"callback_timeout": -1}, "callback_timeout is -1"),
        ({"score_every_n": 1.5}, "score_every_n is 1.5"),
    ],
)
def test_wrong_settings_say_what_to_do(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        StreamingKernel(**options)


def test_a_callback_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(InputTypeError, match="coherence_callback is a float"):
        StreamingKernel().stream_tokens(["a"], 0.9)  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match="A sink is a str"):
        StreamingKernel(sinks=["log"])  # type: ignore[list-item]


def test_f2_f3_f4_the_event_of_a_halt_carries_no_text_and_round_trips() -> None:
    from groundwire import SafetyEvent

    session = StreamingKernel().stream_tokens(["Mars is ", "purple."], scored([0.9, 0.2]), lambda text: FACTS)
    event = session.safety_events[0]
    evidence = session.halt_evidence_structured
    assert evidence is not None
    assert (event.policy_decision, event.halt_reason, event.observed_score) == ("halt", evidence.reason, 0.2)
    assert event.trace_attribution == evidence.trace_attribution
    assert event.threshold == 0.5
    plain = json.dumps(event.to_dict())
    for text in ("Mars", "purple", "tower", "Paris"):
        assert text not in plain
    assert SafetyEvent.from_dict(json.loads(plain)) == event
