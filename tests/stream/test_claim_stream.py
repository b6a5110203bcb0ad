"""Claims are checked while the answer is written, however it is cut."""

import asyncio
import itertools
import random
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire import Policy, Source, VerifiedScorer
from groundwire.errors import InputError, InputTypeError
from groundwire.nli import FakeNLI
from groundwire.stream import AsyncClaimStream, ClaimStream, StreamMode, certainty
from groundwire.types import StreamSession

SOURCE = (
    "Acme Ltd. was founded in 1998 by Dr. Maria Lopez in Oslo. The Pro plan costs $20.50 per month and includes "
    "5 seats. Refunds are accepted within 30 days of purchase. Support answers within 24 hours. "
    "The head office opens at 9 a.m. on weekdays. Data is stored in Norway and is not shared with third parties."
)
RIGHT = (
    "Hello! Acme Ltd. was founded in 1998 by Dr. Maria Lopez. The Pro plan costs $20.50 per month.\n"
    "- Refunds are accepted within 30 days.\n- Support answers within 24 hours.\n\n"
    "Data is stored in Norway. Is that all? The head office opens at 9 a.m. on weekdays."
)
WRONG = RIGHT.replace("30 days", "60 days")
MODES = [str(mode) for mode in StreamMode]


def cut_at(text: str, places: list[int]) -> list[str]:
    return [text[a:b] for a, b in itertools.pairwise([0, *sorted(min(p, len(text)) for p in places), len(text)])]


def outcome(stream: ClaimStream | AsyncClaimStream, shown: list[str]) -> dict[str, Any]:
    session = stream.session
    return {
        "output": "".join(shown),
        "verdicts": stream.verdicts,
        "halt": (session.halted, session.halt_reason, session.halt_evidence),
        "scores": session.coherence_history,
    }


def run(text: str, pieces: list[str], mode: str, **options: Any) -> dict[str, Any]:
    assert "".join(pieces) == text
    stream = ClaimStream(SOURCE, mode=mode, **options)
    shown = list(stream.guard(pieces))
    assert stream.session.output == "".join(shown)
    return outcome(stream, shown)


@pytest.mark.parametrize("mode", MODES)
def test_a_right_answer_comes_through_unchanged(mode: str) -> None:
    found = run(RIGHT, list(RIGHT), mode)
    assert found["output"] == RIGHT
    assert not found["halt"][0]


@pytest.mark.parametrize(
    ("mode", "shown"),
    [
        ("hold_sentence", WRONG[: WRONG.index("\n- Refunds")]),
        ("immediate", WRONG[: WRONG.index("\n- Support")]),
        ("buffered", ""),
    ],
)
def test_a_wrong_claim_stops_the_stream(mode: str, shown: str) -> None:
    stream = ClaimStream(SOURCE, mode=mode)
    assert "".join(stream.guard(WRONG)) == shown
    session = stream.session
    assert (session.halted, session.halt_reason) == (True, "contradicted")
    assert session.events[session.halt_index].halted
    assert session.events[session.halt_index].safety_event == session.safety_events[0]
    assert stream.rejected[0].claim == "Refunds are accepted within 60 days."
    assert WRONG[stream.rejected[0].start : stream.rejected[0].end] == stream.rejected[0].claim
    evidence = session.halt_evidence_structured
    assert evidence is not None
    assert evidence.trace_attribution is not None
    assert evidence.trace_attribution.token_offset == session.halt_index
    assert evidence.counterfactual_diagnostic is not None
    best = evidence.counterfactual_diagnostic.best_change
    assert best is not None
    assert "30 days" in best.original_fact


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", [RIGHT, WRONG], ids=["right", "wrong"])
def test_200_random_cuts_give_the_same_verdicts_halts_and_output(mode: str, text: str) -> None:
    whole = run(text, [text], mode)
    for seed in range(12):
        chance = random.Random(seed)
        places = [chance.randrange(len(text)) for _ in range(200)]
        assert run(text, cut_at(text, places), mode) == whole
    assert run(text, list(text), mode) == whole


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["The Pro plan costs $20.50 per month. ", "The Pro plan costs $25 per month. ", "Dr. Lopez ", "\n",
             "| a | b |", "Refunds within 30 days", ". ", "日本語です。", "😀", "1. ", "a.m. ", "It works! "]
        ),
        max_size=8,
    ),
    st.lists(st.integers(0, 200), max_size=40),
    st.sampled_from(MODES),
)  # fmt: skip
def test_any_cutting_gives_the_same(words: list[str], places: list[int], mode: str) -> None:
    text = "".join(words)
    assert run(text, cut_at(text, places), mode) == run(text, [text], mode)


def test_the_verdicts_are_those_of_verify() -> None:
    stream = ClaimStream(SOURCE, halt=False)
    list(stream.guard(list(WRONG)))
    whole = VerifiedScorer().verify(WRONG, SOURCE)
    assert [(item.claim, item.verdict, item.start, item.end) for item in stream.verdicts] == [
        (item.claim, item.verdict, item.start, item.end) for item in whole.claims
    ]
    assert stream.result.approved == whole.approved
    assert stream.result.contradicted_count == whole.contradicted_count


def test_a_sentence_is_shown_as_soon_as_it_is_over() -> None:
    stream = ClaimStream(SOURCE)
    taken = 0

    def tokens() -> Iterator[str]:
        nonlocal taken
        for character in "Support answers within 24 hours. Data is stored in Norway. Done.":
            taken += 1
            yield character

    seen_at = [taken for _ in stream.guard(tokens())]
    assert seen_at[0] == len("Support answers within 24 hours. D")


def test_each_claim_is_verified_once_and_the_source_is_indexed_once() -> None:
    nli = FakeNLI(default=0.1)
    prepared = VerifiedScorer(nli).prepare(SOURCE)
    stream = ClaimStream(prepared, nli_scorer=nli)
    text = "Support answers within 24 hours. Data is stored in Norway. "
    list(stream.guard(list(text)))
    hypotheses = [hypothesis for _, hypothesis in nli.pairs]
    assert len(hypotheses) == len(set(zip([p for p, _ in nli.pairs], hypotheses, strict=True)))
    first = [verdict.verdict for verdict in stream.verdicts]
    list(stream.guard([text]))
    assert [verdict.verdict for verdict in stream.verdicts] == first


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", [RIGHT, WRONG], ids=["right", "wrong"])
def test_s11_async_and_sync_claim_streams_agree(mode: str, text: str) -> None:
    async def tokens() -> AsyncIterator[str]:
        for character in text:
            yield character

    async def drive(given: Any) -> dict[str, Any]:
        stream = AsyncClaimStream(SOURCE, mode=mode)
        shown = [piece async for piece in stream.guard(given)]
        return outcome(stream, shown)

    whole = run(text, [text], mode)
    assert asyncio.run(drive(tokens())) == whole
    assert asyncio.run(drive([text])) == whole


def test_characters_that_json_spells_in_two_halves_are_put_together() -> None:
    stream = ClaimStream(SOURCE, mode="immediate")
    shown = list(stream.guard(["Hi \ud83d", "\ude00 there", " \ud83d"]))
    assert "".join(shown) == "Hi 😀 there \ud83d"


def test_marking_instead_of_halting_lets_everything_through() -> None:
    stream = ClaimStream(SOURCE, halt=False)
    assert "".join(stream.guard(list(WRONG))) == WRONG
    assert not stream.session.halted
    assert [event.policy_decision for event in stream.session.safety_events] == ["warn"]
    assert [event.warning for event in stream.session.events].count(True) == 1
    assert len(stream.rejected) == 1


class Failing:
    def __init__(self, how: str) -> None:
        self.how = how
        self.free = threading.Event()

    def score(self, premise: str, hypothesis: str) -> float:
        if "Data" not in hypothesis:
            return 0.0
        if self.how == "hang":
            self.free.wait(20)
        if self.how == "nan":
            return float("nan")
        raise RuntimeError(premise)


@pytest.mark.parametrize("how", ["raise", "hang"])
def test_a_model_that_fails_or_hangs_halts_the_stream(how: str) -> None:
    nli = Failing(how)
    text = "Support answers within 24 hours. Data is stored in Norway. More text follows."
    try:
        stream = ClaimStream(SOURCE, nli_scorer=nli, check_timeout_s=0.3)
        assert "".join(stream.guard(list(text))) == "Support answers within 24 hours."
        reason = "callback_timeout" if how == "hang" else "callback_error"
        assert (stream.session.halted, stream.session.halt_reason) == (True, reason)
        assert "Norway" not in stream.session.halt_evidence

        async def drive() -> tuple[str, str]:
            twin = AsyncClaimStream(SOURCE, nli_scorer=nli, check_timeout_s=0.3)
            return "".join([piece async for piece in twin.guard(text)]), twin.session.halt_reason

        assert asyncio.run(drive()) == ("Support answers within 24 hours.", reason)
    finally:
        nli.free.set()


def test_a_model_that_returns_nan_lets_nothing_wrong_through() -> None:
    stream = ClaimStream(SOURCE, nli_scorer=Failing("nan"))
    shown = "".join(stream.guard(["Data is stored in Sweden. ", "More."]))
    assert shown == ""
    assert stream.session.halt_reason == "callback_error"


@pytest.mark.parametrize("token", [None, b"bytes", 7])
@pytest.mark.parametrize("mode", MODES)
def test_a_token_that_is_no_string_halts(token: Any, mode: str) -> None:
    stream = ClaimStream(SOURCE, mode=mode)
    shown = "".join(stream.guard(["Support answers within 24 hours. Data ", token, "is stored in Norway."]))
    assert stream.session.halt_reason == "bad_token"
    assert shown in ("Support answers within 24 hours.", "Support answers within 24 hours. Data ", "")


@pytest.mark.parametrize("unit", ["", "x", "Support answers within 24 hours. "])
def test_a_stream_that_never_ends_is_stopped(unit: str) -> None:
    stream = ClaimStream(SOURCE, policy=Policy(max_response_chars=2_000))
    shown = "".join(stream.guard(itertools.repeat(unit)))
    assert stream.session.halt_reason == "stream_limit"
    assert len(shown) <= 2_000
    assert stream.result.status == "truncated"


def test_an_upstream_error_reaches_the_reader_and_the_session() -> None:
    def breaks() -> Iterator[str]:
        yield "Support answers within 24 hours. Data is st"
        raise ConnectionError("gone")

    stream = ClaimStream(SOURCE)
    shown: list[str] = []
    with pytest.raises(ConnectionError, match="gone"):
        shown.extend(stream.guard(breaks()))
    assert stream.session.tokens == ["Support answers within 24 hours."]
    assert stream.session.halt_reason == "stream_error"
    assert stream.withheld == " Data is st"


@pytest.mark.parametrize("text", [WRONG, RIGHT])
def test_the_writer_is_told_when_the_reader_stops(text: str) -> None:
    closed: list[bool] = []

    def tokens() -> Iterator[str]:
        try:
            yield from text * 2
        finally:
            closed.append(True)

    stream = ClaimStream(SOURCE)
    reader = stream.guard(tokens())
    next(reader)
    reader.close()  # type: ignore[attr-defined]
    assert closed == [True]
    assert stream.session.end_time > 0.0
    list(ClaimStream(SOURCE).guard(tokens()))
    assert closed == [True, True]


def test_on_halt_and_sinks_are_told_once() -> None:
    sessions: list[StreamSession] = []
    events: list[Any] = []
    stream = ClaimStream(SOURCE, on_halt=sessions.append, sinks=[events.append], request_id="r", tenant_id="t")
    list(stream.guard(WRONG))
    assert sessions == [stream.session]
    assert [(event.request_id, event.tenant_id, event.hook_id) for event in events] == [("r", "t", "streaming.claims")]


def test_f2_no_event_of_a_stream_carries_text() -> None:
    for halt in (True, False):
        stream = ClaimStream([Source("handbook", SOURCE)], halt=halt, question="How long for refunds?")
        list(stream.guard(WRONG))
        for event in stream.session.safety_events:
            written = str(event.to_dict())
            for word in ("Refunds", "60 days", "30 days", "purchase", "Norway", "How long"):
                assert word not in written
            assert event.evidence_refs[0].startswith("handbook:")


def test_the_policy_decides_what_stops_a_stream() -> None:
    text = "The canteen serves waffles. Data is stored in Norway."
    assert "".join(ClaimStream(SOURCE, policy=Policy(fail_on=())).guard(WRONG)) == WRONG
    strict = ClaimStream(SOURCE, policy=Policy(fail_on=("contradicted", "fabricated", "unverifiable")))
    assert "".join(strict.guard("Hello! " + text)) == "Hello!"


def test_without_a_source_every_claim_is_stopped() -> None:
    stream = ClaimStream("")
    assert list(stream.guard("Data is stored in Norway.")) == []
    assert stream.session.halt_reason == "fabricated"


def test_overhead_is_below_20_microseconds_a_token() -> None:
    # Headings need no verification: what is left is the cost of the stream itself.
    tokens = ("# the quick brown fox, Dr. Smith and 3.5 others run on and on\n" * 400).replace(" ", " |").split("|")

    def once() -> float:
        stream = ClaimStream(SOURCE)
        started = time.process_time()
        for _ in stream.guard(tokens):
            pass
        return (time.process_time() - started) / len(tokens)

    assert min(once() for _ in range(3)) < 20e-6


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mode": "fast"}, InputError, "choose from immediate, hold_sentence, buffered"),
        ({"min_certainty": 2}, InputError, "min_certainty is 2"),
        ({"check_timeout_s": 0}, InputError, "check_timeout_s is 0"),
        ({"question": 5}, InputTypeError, "question is a int"),
        ({"nli_scorer": "model"}, InputTypeError, "nli_scorer is a str"),
        ({"sinks": [1]}, InputTypeError, "A sink is a int"),
    ],
)
def test_wrong_settings_say_what_to_do(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ClaimStream(SOURCE, **options)
    with pytest.raises(InputTypeError, match="source is a int"):
        ClaimStream(5)  # type: ignore[arg-type]


def test_a_floor_of_certainty_lets_doubtful_clashes_pass() -> None:
    source = "In the last evaluation 27 of 31 participants said that the workload was appropriate."
    doubtful = "Four people found it too much work."
    sure = "In the last evaluation 29 of 31 participants said that the workload was appropriate."
    for text in (doubtful, sure):
        assert not "".join(ClaimStream(source).guard(text))
    assert "".join(ClaimStream(source, min_certainty=0.6).guard(doubtful)) == doubtful
    stream = ClaimStream(source, min_certainty=0.6)
    assert not "".join(stream.guard(sure))
    assert certainty(stream.rejected[0]) > 0.9
    assert not "".join(ClaimStream("", min_certainty=1.0).guard(sure))
