"""The protocols an entailment scorer follows."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable


class Entailment(NamedTuple):
    """Three probabilities that sum to one."""

    entailment: float
    neutral: float
    contradiction: float

    @property
    def divergence(self) -> float:
        """Fold the three into one number: 0 entailed, 1 contradicted."""
        return self.contradiction + 0.5 * self.neutral


@runtime_checkable
class NLI(Protocol):
    """Anything that gives three probabilities for (premise, hypothesis) pairs."""

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs in one call."""
        ...


@runtime_checkable
class DivergenceScorer(Protocol):
    """The least a user's own scorer must offer."""

    def score(self, premise: str, hypothesis: str) -> float:
        """Return 0 when the premise entails the hypothesis, 1 when it contradicts it."""
        ...
