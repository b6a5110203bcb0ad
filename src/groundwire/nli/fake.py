"""A scripted scorer for users' tests."""

from collections.abc import Mapping, Sequence

from groundwire.nli.base import Entailment, from_divergence


class FakeNLI:
    """Answer from a table, remember every pair, and need no model.

    Keys are (premise, hypothesis) pairs or a hypothesis alone; values are
    divergences from 0 (entailed) to 1 (contradicted).
    """

    def __init__(self, scores: Mapping[tuple[str, str] | str, float] | None = None, default: float = 0.5) -> None:
        self.scores = dict(scores or {})
        self.default = default
        self.pairs: list[tuple[str, str]] = []

    def score(self, premise: str, hypothesis: str) -> float:
        """Look one pair up."""
        self.pairs.append((premise, hypothesis))
        return self.scores.get((premise, hypothesis), self.scores.get(hypothesis, self.default))

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Turn the looked-up divergences into three probabilities."""
        return [from_divergence(self.score(premise, hypothesis)) for premise, hypothesis in pairs]
