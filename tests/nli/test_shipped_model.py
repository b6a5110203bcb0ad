"""The model that ships, as users meet it."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire import NLIScorer, Policy, VerifiedScorer
from groundwire.nli.base import Entailment, Reading
from groundwire.signals.entailment import joined

SOURCE = "The bridge has been shut since a barge struck its eastern pier last October. Work starts on 8 April."
PAIRS = [
    (SOURCE, "A ship hit the bridge."),
    (SOURCE, "The bridge was never closed."),
    (SOURCE, "The bridge has been closed since October."),
    ("Rice is grown in the valley. " * 12, "The valley grows rice, and has done so for as long as anybody remembers."),
]


@st.composite
def entailments(draw: st.DrawFn) -> Entailment:
    shares = [draw(st.floats(0.001, 1.0)) for _ in range(3)]
    return Entailment(*(share / sum(shares) for share in shares))


@pytest.fixture(scope="module")
def scorer() -> NLIScorer:
    return NLIScorer()


def test_it_knows_paraphrase_and_denial(scorer: NLIScorer) -> None:
    hit, never, since, _ = scorer.probabilities(PAIRS)
    assert hit.entailment > 0.5
    assert since.entailment > 0.5
    assert never.contradiction > 0.5


def test_a_pair_scores_the_same_alone_and_in_company(scorer: NLIScorer) -> None:
    alone = [scorer.probabilities([pair])[0] for pair in PAIRS]
    assert scorer.probabilities(PAIRS) == alone
    assert scorer.probabilities(PAIRS[::-1]) == alone[::-1]


def test_verdict_probability_and_model_are_in_the_result(scorer: NLIScorer) -> None:
    result = VerifiedScorer(nli_scorer=scorer).verify("The bridge was never closed.", SOURCE)
    assert result.model is not None
    assert (result.model.id, len(result.model.hash)) == ("groundwire-embedded-v2", 64)
    without = VerifiedScorer().verify("The bridge was never closed.", SOURCE)
    assert result.support_probability != without.support_probability


class Counting(NLIScorer):
    """Remembers the pairs of every call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[tuple[str, str]]] = []

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        self.calls.append(list(pairs))
        return super().read(pairs)


def test_two_looks_a_claim_go_to_the_model_in_one_call() -> None:
    counting = Counting()
    VerifiedScorer(nli_scorer=counting).verify("The bridge is shut. Work starts in April.", SOURCE * 20)
    (pairs,) = counting.calls
    assert [claim for _, claim in pairs] == ["The bridge is shut."] * 2 + ["Work starts in April."] * 2
    wide, near = (len(window) for window, _ in pairs[:2])
    assert near < wide


def test_a_short_source_is_looked_at_once() -> None:
    counting = Counting()
    VerifiedScorer(nli_scorer=counting).verify("The bridge is shut. Work starts in April.", SOURCE)
    assert [len(pairs) for pairs in counting.calls] == [2]


def test_a_policy_can_do_without_the_near_look() -> None:
    counting = Counting()
    policy = Policy(near_tokens=0)
    VerifiedScorer(nli_scorer=counting).verify("The bridge is shut.", SOURCE * 20, policy=policy)
    assert [len(pairs) for pairs in counting.calls] == [1]


@given(entailments(), entailments())
def test_joined_looks_lie_between_the_two(first: Entailment, second: Entailment) -> None:
    both = joined(Reading(first, ((0, 3, 0.9),)), Reading(second))
    assert sum(both.entailment) == pytest.approx(1.0)
    assert both.spans == ((0, 3, 0.9),)
    assert joined(Reading(second), Reading(first)).entailment == pytest.approx(both.entailment)
    low, high = sorted(_odds(item) for item in (first, second))
    assert low - 1e-6 <= _odds(both.entailment) <= high + 1e-6


def _odds(entailment: Entailment) -> float:
    return entailment.entailment / max(entailment.contradiction, 1e-4)


def test_spans_without_support_lie_in_the_response(scorer: NLIScorer) -> None:
    response = "The bridge has been shut since October, and the mayor has resigned over the costs."
    claim = VerifiedScorer(nli_scorer=scorer).verify(response, SOURCE).claims[0]
    assert all(0 <= start < end <= len(response) for start, end in claim.unsupported_spans)
