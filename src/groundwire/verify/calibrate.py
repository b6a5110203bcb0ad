"""The probability that a claim or response is supported, calibrated for a balanced prior."""

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from groundwire.verify.features import NAMES, ClaimFacts, describe


def support_probability(facts: Sequence[ClaimFacts], unchecked: int = 0) -> float | None:
    """Combine the features of a response, or of one claim, into one probability; None without claims."""
    if not facts:
        return None
    intercept, weights = _combiner()
    values = describe(facts, unchecked)
    return 1.0 / (1.0 + math.exp(-(intercept + sum(weights[name] * values[name] for name in NAMES))))


def is_grounded(probability: float | None, threshold: float) -> bool | None:
    """Compare a probability with the policy's threshold."""
    return None if probability is None else probability >= threshold


@cache
def _combiner() -> tuple[float, dict[str, float]]:
    card = json.loads(files(__package__).joinpath("combiner.json").read_text(encoding="utf-8"))
    return card["intercept"], card["weights"]
