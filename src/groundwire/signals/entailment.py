"""Signal 1: divergence from a model, or from overlap and conflicts."""

from collections.abc import Sequence

from groundwire.evidence import Evidence
from groundwire.nli import NLI, DivergenceScorer
from groundwire.signals.claim import ClaimView

# Missing words alone never vote to contradict; a found conflict always does.
_OVERLAP_CEILING = 0.65
_CONFLICT_FLOOR = 0.80
_MODEL_CONFLICT_FLOOR = 0.66


def overlap_divergence(coverage: float) -> float:
    """Estimate the divergence from the share of words found."""
    return min(1.0 - coverage, _OVERLAP_CEILING)


def with_conflict(divergence: float, coverage: float, from_model: bool) -> float:
    """Raise a divergence to the floor that a found conflict demands."""
    if from_model:
        return max(divergence, _MODEL_CONFLICT_FLOOR)
    return max(_CONFLICT_FLOOR, 1.0 - coverage)


class Divergences:
    """The model's divergence of every (sentence, claim) pair, from one batched call."""

    def __init__(
        self, views: Sequence[ClaimView], candidates: Sequence[Sequence[Evidence]], nli: NLI | DivergenceScorer
    ) -> None:
        keys = [(number, item.index) for number, items in enumerate(candidates) for item in items]
        pairs = [(item.text, views[number].claim.text) for number, items in enumerate(candidates) for item in items]
        if isinstance(nli, NLI):
            values = [entry.divergence for entry in nli.probabilities(pairs)] if pairs else []
        else:
            values = [nli.score(premise, hypothesis) for premise, hypothesis in pairs]
        self._values = dict(zip(keys, (_unit(value) for value in values), strict=True))

    def of(self, number: int, item: Evidence) -> float:
        """Look up the divergence of a claim against a sentence."""
        return self._values[number, item.index]


def _unit(value: float) -> float:
    # A scorer that answers NaN has said nothing: the middle casts no vote.
    if value != value:
        return 0.5
    return min(1.0, max(0.0, float(value)))
