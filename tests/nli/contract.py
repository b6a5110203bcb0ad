"""What every backend must do, as checks that any of them can be put through."""

import math
from collections.abc import Callable

from groundwire.nli import NLIScorer

Make = Callable[[], NLIScorer]

PREMISE = "Paris is the capital of France. Berlin is the capital of Germany."
LONG = "The capital of France is the city of Paris, not Berlin. " * 400
PAIRS = [
    (PREMISE, "Paris is the capital of France."),
    (PREMISE, "Berlin is not a city in France."),
    (PREMISE, "Zebras graze quietly."),
    (LONG, "Paris is in France."),
    (PREMISE, LONG),
    ("日本の首都は東京です。", "東京は日本の首都です。"),
    ("Το Παρίσι είναι η πρωτεύουσα.", "👩‍👩‍👧 Ça coûte 5 € — naïve!"),
    ("half a pair \ud800", "\udfff of surrogates"),
    ("null \x00 byte and \u202e override", "tab\tand\nnewline"),
    ("{hypothesis} {premise} %s", "{premise} {0} {end}"),
    ("x" * 5_000, "y" * 5_000),
    ("[SEP] [CLS] [PAD]", "[SEP] </s> <s>"),
]
BLANK = [("", ""), (PREMISE, ""), ("", "Paris is old."), ("  \n", "\t")]


def probabilities_are_sound(scorer: NLIScorer) -> None:
    for pair, found in zip(PAIRS, scorer.probabilities(PAIRS), strict=True):
        assert all(math.isfinite(value) and 0.0 <= value <= 1.0 for value in found), pair
        assert math.isclose(sum(found), 1.0, abs_tol=1e-9), pair
        assert 0.0 <= found.divergence <= 1.0


def answers_keep_the_order(scorer: NLIScorer) -> None:
    forwards = scorer.probabilities(PAIRS)
    backwards = scorer.probabilities(PAIRS[::-1])[::-1]
    alone = [scorer.probabilities([pair])[0] for pair in PAIRS]
    for one, two, three in zip(forwards, backwards, alone, strict=True):
        for values in zip(one, two, three, strict=True):
            assert max(values) - min(values) < 1e-5


def answers_repeat(scorer: NLIScorer, again: NLIScorer) -> None:
    assert scorer.probabilities(PAIRS) == scorer.probabilities(PAIRS) == again.probabilities(PAIRS)


def nothing_gives_nothing(scorer: NLIScorer) -> None:
    assert scorer.probabilities([]) == []
    assert scorer.score_batch([]) == []


def blank_sides_are_neutral(scorer: NLIScorer) -> None:
    assert scorer.score_batch(BLANK) == [0.5] * len(BLANK)


def divergences_agree(scorer: NLIScorer) -> None:
    divergences = scorer.score_batch(PAIRS)
    assert divergences == [found.divergence for found in scorer.probabilities(PAIRS)]
    assert abs(scorer.score(*PAIRS[0]) - divergences[0]) < 1e-5


def support_scores_lower_than_no_relation(scorer: NLIScorer) -> None:
    assert scorer.score(*PAIRS[0]) < scorer.score(*PAIRS[2])


SOUND = [
    probabilities_are_sound,
    answers_keep_the_order,
    nothing_gives_nothing,
    blank_sides_are_neutral,
    divergences_agree,
]
