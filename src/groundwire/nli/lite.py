"""The backend without dependencies: word overlap, length ratio and negation."""

from collections.abc import Sequence

from groundwire.nli.base import Entailment, checked_pairs, from_divergence
from groundwire.nli.heuristic import CEILING
from groundwire.text.coverage import share
from groundwire.text.lexical import negation_count
from groundwire.text.polarity import may_deny
from groundwire.text.sentences import split_sentences
from groundwire.text.tokens import content_stems
from groundwire.types import ModelInfo

# A statement with more content words than its premise cannot all come from it: up to this much is added.
_LENGTH_WEIGHT = 0.2
# The same words, denied on one side only, are a contradiction; with few words in common nothing is known.
_SAME_STATEMENT = 0.5
_DENIED = 0.85


class LiteScorer:
    """Score pairs with the standard library and our own text layer; the same input always scores the same."""

    is_model = False
    model_info = ModelInfo("lite", "")

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs in one call."""
        return [from_divergence(_divergence(*pair)) for pair in checked_pairs(pairs)]

    def score(self, premise: str, hypothesis: str) -> float:
        """Return 0 when the premise entails the hypothesis, 1 when it contradicts it."""
        return self.probabilities([(premise, hypothesis)])[0].divergence


def _divergence(premise: str, hypothesis: str) -> float:
    wanted, given = content_stems(hypothesis), content_stems(premise)
    if not wanted or not given:
        return 0.5
    overlap = share(wanted, frozenset(given))
    surplus = max(0.0, 1.0 - len(given) / len(wanted))
    divergence = min(1.0 - overlap + _LENGTH_WEIGHT * surplus, CEILING)
    if (may_deny(premise) or may_deny(hypothesis)) and _denied_once(premise, hypothesis, wanted):
        return max(divergence, _DENIED)
    return divergence


def _denied_once(premise: str, hypothesis: str, wanted: Sequence[str]) -> bool:
    """Tell whether the hypothesis and the premise sentence most like it differ in polarity."""
    sentences = [unit.text for unit in split_sentences(premise)] or [premise]
    shares = [share(wanted, frozenset(content_stems(sentence))) for sentence in sentences]
    best = max(shares)
    if best < _SAME_STATEMENT:
        return False
    odd = negation_count(sentences[shares.index(best)]) % 2 == 1
    return odd != (negation_count(hypothesis) % 2 == 1)
