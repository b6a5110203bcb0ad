"""The model that ships, as users meet it."""

import pytest

from groundwire import NLIScorer, VerifiedScorer

SOURCE = "The bridge has been shut since a barge struck its eastern pier last October. Work starts on 8 April."
PAIRS = [
    (SOURCE, "A ship hit the bridge."),
    (SOURCE, "The bridge was never closed."),
    (SOURCE, "The bridge has been closed since October."),
    ("Rice is grown in the valley. " * 12, "The valley grows rice, and has done so for as long as anybody remembers."),
]


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
    assert (result.model.id, len(result.model.hash)) == ("groundwire-embedded-v1", 64)
    without = VerifiedScorer().verify("The bridge was never closed.", SOURCE)
    assert result.support_probability != without.support_probability


def test_one_pair_a_claim_goes_to_the_model_in_one_call(scorer: NLIScorer) -> None:
    calls: list[int] = []

    class Counting(NLIScorer):
        def read(self, pairs):  # type: ignore[no-untyped-def]
            calls.append(len(pairs))
            return super().read(pairs)

    VerifiedScorer(nli_scorer=Counting()).verify("The bridge is shut. Work starts in April.", SOURCE * 20)
    assert calls == [2]


def test_spans_without_support_lie_in_the_response(scorer: NLIScorer) -> None:
    response = "The bridge has been shut since October, and the mayor has resigned over the costs."
    claim = VerifiedScorer(nli_scorer=scorer).verify(response, SOURCE).claims[0]
    assert all(0 <= start < end <= len(response) for start, end in claim.unsupported_spans)
