"""The agent keeps the best answer that passes, and fails closed."""

from collections.abc import Iterator
from typing import Any

import pytest

from groundwire import CoherenceAgent, SafetyEvent
from groundwire.errors import InputError, InputTypeError
from groundwire.types import CoherenceScore, ContainmentVerdict, EvidenceChunk, ScoringEvidence


class Scorer:
    """Score an answer by the number it ends with."""

    def __init__(self) -> None:
        self.tenants: list[str] = []

    def review(self, prompt: str, response: str, tenant_id: str = "") -> tuple[bool, CoherenceScore]:
        self.tenants.append(tenant_id)
        value = float(response.split()[-1])
        evidence = ScoringEvidence([EvidenceChunk("The sky is blue.", 0.1, "kb:1")], "", "", 0.2, chunk_scores=[0.8])
        return value >= 0.5, CoherenceScore(value, value >= 0.5, 0.1, 0.1, evidence)


class Fence:
    """A containment hook that allows what does not name the moon."""

    def check(self, response: str) -> ContainmentVerdict:
        allowed = "moon" not in response
        event = SafetyEvent(
            hook_id="containment.guard", hook_scope="containment", policy_decision="allow" if allowed else "block"
        )
        return ContainmentVerdict(allowed=allowed, zone="earth", safety_event=event)


def writes(*answers: Any) -> Any:
    left: Iterator[Any] = iter(answers)
    return lambda prompt: next(left)


def test_the_best_approved_candidate_wins() -> None:
    result = CoherenceAgent(writes("a 0.6", "b 0.9", "c 0.7"), Scorer()).process("?")
    assert (result.output, result.halted, result.candidates_evaluated, result.fallback_used) == (
        "b 0.9",
        False,
        3,
        False,
    )
    assert result.coherence is not None
    assert result.coherence.score == 0.9
    assert result.safety_events == ()


def test_none_approved_halts_with_evidence() -> None:
    got: list[SafetyEvent] = []
    agent = CoherenceAgent(writes("blue 0.1", "blue 0.4", "blue 0.2"), Scorer(), sinks=[got.append])
    result = agent.process("Is the sky blue?", "tenant-1", request_id="r1")
    assert (result.output, result.halted, result.candidates_evaluated) == ("", True, 3)
    assert result.halt_evidence is not None
    assert result.halt_evidence.reason == "no_candidate_approved"
    assert result.halt_evidence.last_score == 0.4
    (event,) = result.safety_events
    assert got == [event]
    assert (event.policy_decision, event.tenant_id, event.request_id) == ("halt", "tenant-1", "r1")
    assert "sky" not in str(event.to_dict())


def test_the_fallback_is_used_and_said() -> None:
    result = CoherenceAgent(writes("a 0.1"), Scorer(), fallback="I do not know.", candidates=1).process("?")
    assert (result.output, result.fallback_used, result.halted) == ("I do not know.", True, False)
    assert result.halt_evidence is not None


def test_f6_containment_events_are_collected() -> None:
    agent = CoherenceAgent(writes("moon 0.9", "earth 0.6", "moon 0.8"), Scorer(), hooks=[Fence()])
    result = agent.process("?")
    assert result.output == "earth 0.6"
    assert [event.policy_decision for event in result.safety_events] == ["block", "allow", "block"]
    assert {event.hook_scope for event in result.safety_events} == {"containment"}


def test_the_tenant_reaches_the_scorer() -> None:
    scorer = Scorer()
    CoherenceAgent(writes("a 0.6"), scorer, candidates=1).process("?", "acme")
    assert scorer.tenants == ["acme"]


def test_a_generator_may_stream_or_fail() -> None:
    def generator(prompt: str) -> Any:
        if not seen:
            seen.append(1)
            raise ConnectionError(prompt)
        return iter(["a ", "0.", "7"])

    seen: list[int] = []
    result = CoherenceAgent(generator, Scorer(), candidates=2).process("?")
    assert (result.output, result.candidates_evaluated) == ("a 0.7", 1)
    assert CoherenceAgent(writes(), Scorer()).process("?").halt_evidence.reason == "no_candidate"  # type: ignore[union-attr]


def test_a_failing_scorer_or_hook_lets_nothing_pass() -> None:
    class Broken:
        def check(self, response: str) -> Any:
            raise RuntimeError(response)

    class Silent:
        def check(self, response: str) -> Any:
            return None

    assert CoherenceAgent(writes("no number", "x y"), Scorer(), candidates=2).process("?").halted
    for hook in (Broken(), Silent()):
        assert CoherenceAgent(writes("a 0.9"), Scorer(), hooks=[hook], candidates=1).process("?").halted


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"candidates": 0}, InputError, "candidates is 0"),
        ({"hooks": ["x"]}, InputTypeError, "A hook is a str"),
        ({"fallback": 3}, InputTypeError, "fallback is a int"),
        ({"scorer": "x"}, InputTypeError, "scorer is a str"),
        ({"generator": "x"}, InputTypeError, "generator is a str"),
    ],
)
def test_wrong_settings_say_what_to_do(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        CoherenceAgent(**{"generator": writes(), "scorer": Scorer(), **options})
    with pytest.raises(InputTypeError, match="prompt is a int"):
        CoherenceAgent(writes(), Scorer()).process(3)  # type: ignore[arg-type]
