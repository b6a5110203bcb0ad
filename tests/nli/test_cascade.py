"""The cheap tier decides the clear pairs, the model the rest."""

import pytest

from groundwire import NLIScorer
from groundwire.errors import InputError
from groundwire.nli import Cascade, FakeNLI, TierCounts

FACTS = "The warranty lasts 24 months. Refunds are not available."
VERBATIM = (FACTS, "The warranty lasts 24 months")
REFUTED = (FACTS, "The warranty lasts 36 months.")
UNCLEAR = (FACTS, "Buyers are covered for two years.")


def test_only_unclear_pairs_reach_the_model() -> None:
    fake = FakeNLI(default=0.4)
    scorer = NLIScorer(fake, cascade=True)
    assert scorer.score_batch([VERBATIM, REFUTED, UNCLEAR]) == pytest.approx([0.0, 1.0, 0.4])
    assert fake.pairs == [UNCLEAR]


def test_each_tier_reports_how_many_pairs_it_decided() -> None:
    scorer = NLIScorer(FakeNLI(), cascade=True)
    assert scorer.tier_counts == TierCounts(cheap=0, model=0)
    scorer.score_batch([VERBATIM, REFUTED, UNCLEAR, ("", "")])
    scorer.score(*UNCLEAR)
    assert scorer.tier_counts == TierCounts(cheap=2, model=2)
    assert NLIScorer("lite").tier_counts is None


def test_words_in_common_do_not_make_a_pair_clear() -> None:
    fake = FakeNLI(default=0.9)
    swapped = ("Anna hired Bruno in the spring.", "Bruno hired Anna in the spring.")
    assert NLIScorer(fake, cascade=True).score(*swapped) == pytest.approx(0.9)


def test_a_sentence_inside_another_is_not_word_for_word() -> None:
    fake = FakeNLI(default=0.7)
    inside = ("Nobody believes that the warranty lasts 24 months.", "The warranty lasts 24 months.")
    cascade = Cascade(fake, FakeNLI(default=0.5))
    assert cascade.probabilities([inside])[0].divergence == pytest.approx(0.7)
    assert NLIScorer(fake, cascade=True).score(*inside) >= 0.7


def test_both_tiers_can_be_your_own() -> None:
    cheap, model = FakeNLI({"a": 0.05, "b": 0.95, "c": 0.5}), FakeNLI(default=0.3)
    cascade = Cascade(model, cheap, entailed_at=0.1, contradicted_at=0.9)
    found = cascade.probabilities([("x", "a"), ("x", "b"), ("x", "c")])
    assert [entry.divergence for entry in found] == pytest.approx([0.05, 0.95, 0.3])
    assert cascade.counts == TierCounts(2, 1)
    assert cascade.model_info.id == "FakeNLI+FakeNLI"


@pytest.mark.parametrize(("low", "high"), [(0.5, 0.5), (0.9, 0.1), (-0.1, 0.5), (0.1, 1.5), (float("nan"), 1.0)])
def test_limits_that_make_no_sense_are_refused(low: float, high: float) -> None:
    with pytest.raises(InputError, match="limits"):
        Cascade(FakeNLI(), entailed_at=low, contradicted_at=high)
