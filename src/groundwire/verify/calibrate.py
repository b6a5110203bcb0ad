"""The probability that a claim or response is supported, calibrated for a balanced prior."""

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from groundwire.verify.features import NAMES, ClaimFacts, describe


class Blend(NamedTuple):
    """How a model's entailment is added to the word features: the mean claim, the worst claim, and a new scale."""

    model: str  # the only model whose answers these numbers fit
    mean: float
    worst: float
    scale: float
    intercept: float


def support_probability(facts: Sequence[ClaimFacts], unchecked: int = 0) -> float | None:
    """Combine the features of a response, or of one claim, into one probability; None without claims."""
    if not facts:
        return None
    logit = word_logit(facts, unchecked)
    entailments = [fact.entailment for fact in facts if fact.entailment is not None]
    if len(entailments) == len(facts):
        blend = model_blend()
        logit += blend.mean * sum(entailments) / len(entailments) + blend.worst * min(entailments)
        logit = blend.scale * logit + blend.intercept
    return 1.0 / (1.0 + math.exp(-logit))


def word_logit(facts: Sequence[ClaimFacts], unchecked: int = 0) -> float:
    """Weigh the features that need no model."""
    intercept, weights = _combiner()
    values = describe(facts, unchecked)
    return intercept + sum(weights[name] * values[name] for name in NAMES)


def is_grounded(probability: float | None, threshold: float) -> bool | None:
    """Compare a probability with the policy's threshold."""
    return None if probability is None else probability >= threshold


@cache
def model_blend() -> Blend:
    """Return the numbers that were chosen for the embedded model."""
    return Blend(**_card()["with_model"])


@cache
def _combiner() -> tuple[float, dict[str, float]]:
    card = _card()
    return card["intercept"], card["weights"]


@cache
def _card() -> dict[str, Any]:
    card: dict[str, Any] = json.loads(files(__package__).joinpath("combiner.json").read_text(encoding="utf-8"))
    return card
