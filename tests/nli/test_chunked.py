"""C8: `score_chunked` finds the worst hypothesis sentence at its best premise chunk."""

from pathlib import Path

import pytest

from groundwire import NLIScorer
from groundwire.errors import InputError, InputTypeError
from groundwire.nli import FakeNLI
from tests.nli.tiny import write_embedded

PREMISE = "Paris is the capital of France. It lies on the Seine."
GOOD = "Paris is the capital of France."
MIXED = "Paris is the capital of France. Berlin is the capital of France."


@pytest.mark.parametrize("backend", ["rules", "embedded"])
def test_c8_one_bad_sentence_dominates(backend: str, tmp_path: Path) -> None:
    path = write_embedded(tmp_path) if backend == "embedded" else None
    scorer = NLIScorer(backend, path)
    good, mixed = scorer.score_chunked(PREMISE, GOOD), scorer.score_chunked(PREMISE, MIXED)
    assert good.divergence < 0.2
    assert mixed.divergence == max(mixed.chunk_scores)
    assert mixed.divergence > good.divergence
    assert mixed.chunk_scores[0] < mixed.chunk_scores[1]


def test_c8_the_paris_and_berlin_example_is_high() -> None:
    score = NLIScorer("rules").score_chunked(PREMISE, MIXED)
    assert score.divergence >= 0.9
    assert (score.premise_chunk_count, score.hypothesis_chunk_count) == (2, 2)
    assert float(score) == score.divergence


def test_c8_counts_minimum_and_maximum_are_those_of_a_table() -> None:
    table: dict[tuple[str, str] | str, float] = {
        ("One.", "Three."): 0.9,
        ("Two.", "Three."): 0.2,
        ("One.", "Four."): 0.6,
        ("Two.", "Four."): 0.7,
    }
    fake = FakeNLI(table)
    score = NLIScorer(fake).score_chunked("One.\nTwo.", "Three.\nFour.")
    assert score.chunk_scores == pytest.approx((0.2, 0.6))
    assert score.divergence == pytest.approx(0.6)
    assert len(fake.pairs) == 4


def test_a_single_chunk_scores_as_the_pair_alone() -> None:
    scorer = NLIScorer("lite")
    assert scorer.score_chunked("Paris is old.", "Paris is new.").divergence == scorer.score(
        "Paris is old.", "Paris is new."
    )


@pytest.mark.parametrize(("premise", "hypothesis"), [("", "A cat."), ("A cat.", ""), ("", ""), ("...", "!!!")])
def test_nothing_to_compare_is_neutral(premise: str, hypothesis: str) -> None:
    score = NLIScorer("lite").score_chunked(premise, hypothesis)
    assert score.divergence == 0.5
    assert score.chunk_scores == ()


def test_too_many_chunks_are_refused_before_they_cost_anything() -> None:
    fake = FakeNLI()
    with pytest.raises(InputError, match="VerifiedScorer"):
        NLIScorer(fake).score_chunked("A cat sat.\n" * 1_000, "A dog ran.\n" * 1_000)
    assert fake.pairs == []


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(InputTypeError):
        NLIScorer("lite").score_chunked(b"bytes", "text")  # type: ignore[arg-type]
