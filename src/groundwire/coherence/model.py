"""Ask a model about all pairs at once and fold its answers."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from groundwire.nli import NLI, DivergenceScorer, Entailment
from groundwire.signals.entailment import unit_range

Pair = tuple[str, str]


class Answer(NamedTuple):
    """What a model says of one pair; a scorer of the user's own may know the divergence alone."""

    divergence: float
    contradiction: float
    classes: Entailment | None = None


UNKNOWN = Answer(0.5, 0.0)


def ask(nli: NLI | DivergenceScorer, pairs: Sequence[Pair]) -> list[Answer]:
    """Score all pairs with one call."""
    if not pairs:
        return []
    if isinstance(nli, NLI):
        found = nli.probabilities(pairs)
        return [_answer(entry) for _, entry in zip(pairs, found, strict=True)]
    return [_plain(nli.score(premise, hypothesis)) for premise, hypothesis in pairs]


def nearest(answers: Sequence[Answer]) -> Answer:
    """Let the premise that fits a sentence best speak for it."""
    return min(answers, key=lambda answer: answer.divergence, default=UNKNOWN)


def certainty(classes: Entailment) -> float:
    """Tell how sure a model is: 1 minus the normalised entropy of its classes."""
    entropy = -sum(share * math.log(share) for share in classes if share > 0.0)
    return min(1.0, max(0.0, 1.0 - entropy / math.log(len(classes))))


def _answer(entry: Entailment) -> Answer:
    if any(math.isnan(share) for share in entry):
        return UNKNOWN  # a model that answers NaN has said nothing
    return Answer(unit_range(entry.divergence), unit_range(entry.contradiction), entry)


def _plain(value: float) -> Answer:
    return UNKNOWN if math.isnan(value) else Answer(unit_range(value), unit_range(value))
