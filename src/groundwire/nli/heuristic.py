"""The backend that only counts shared words."""

from collections.abc import Sequence

from groundwire.nli.base import Entailment, checked_pairs, from_divergence
from groundwire.text.coverage import share
from groundwire.text.tokens import content_stems
from groundwire.types import ModelInfo

# Words that are missing say that support is missing, never that the premise says otherwise.
CEILING = 0.65


class HeuristicScorer:
    """Estimate the divergence from the share of content words that the premise holds."""

    is_model = False
    model_info = ModelInfo("heuristic", "")

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs in one call."""
        return [from_divergence(_divergence(*pair)) for pair in checked_pairs(pairs)]


def _divergence(premise: str, hypothesis: str) -> float:
    wanted = content_stems(hypothesis)
    if not wanted:
        return 0.5
    return min(1.0 - share(wanted, frozenset(content_stems(premise))), CEILING)
