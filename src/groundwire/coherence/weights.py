"""The formula: two divergences, two weights, one number."""

import math
from dataclasses import dataclass

from groundwire.coherence.routes import Route
from groundwire.errors import InputError, InputTypeError

W_LOGIC = 0.6
W_FACT = 0.4
NEUTRAL = 0.5
_TOLERANCE = 1e-6
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each divergence counts; the two sum to one."""

    logic: float = W_LOGIC
    fact: float = W_FACT

    def __post_init__(self) -> None:
        for name, value in (("w_logic", self.logic), ("w_fact", self.fact)):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputTypeError(f"{name} is a {type(value).__name__}.", fix="pass a number from 0 to 1")
            if not math.isfinite(value) or value < 0.0:
                raise InputError(f"{name} is {value}.", why="a weight is 0 or more", fix="pass numbers from 0 to 1")
        if abs(self.logic + self.fact - 1.0) > _TOLERANCE:
            raise InputError(
                f"The weights {self.logic} and {self.fact} sum to {self.logic + self.fact:g}.",
                why="w_logic and w_fact share one whole",
                fix="make them sum to 1, or take a preset: " + ", ".join(PRESETS),
            )

    @property
    def counts_logic(self) -> bool:
        """Tell whether the logical divergence has any weight."""
        return self.logic >= _NOTHING


PRESETS = {
    "default": Weights(),
    "knowledge-heavy": Weights(0.3, 0.7),
    "reasoning-heavy": Weights(0.8, 0.2),
    "summarisation": Weights(0.0, 1.0),
}


def preset(name: str) -> Weights:
    """Return the weights of a name."""
    if name not in PRESETS:
        raise InputError(f"There is no preset {name!r}.", fix=f"choose from {', '.join(PRESETS)}")
    return PRESETS[name]


def combine(h_logical: float, h_factual: float, weights: Weights) -> float:
    """Put the two divergences together into a score from 0 to 1; higher is better."""
    score = 1.0 - (weights.logic * h_logical + weights.fact * h_factual)
    # Twelve places, so that a score which equals the threshold on paper equals it here.
    return round(min(1.0, max(0.0, score)), 12)


def effective(weights: Weights, h_factual: float, *, has_evidence: bool, route: Route) -> Weights:
    """Drop the side that has nothing to say: the factual one without a knowledge base, the logical one in summaries."""
    if route is Route.SUMMARISATION:
        return Weights(0.0, 1.0)
    nothing_known = h_factual == NEUTRAL and not has_evidence
    # Without logical weight there would be nothing left to measure, and that must not pass for agreement.
    if nothing_known and route is not Route.DIALOGUE and weights.counts_logic:
        return Weights(1.0, 0.0)
    return weights
