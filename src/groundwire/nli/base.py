"""The protocols an entailment scorer follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from groundwire.errors import InputTypeError


class Entailment(NamedTuple):
    """Three probabilities that sum to one."""

    entailment: float
    neutral: float
    contradiction: float

    @property
    def divergence(self) -> float:
        """Fold the three into one number: 0 entailed, 1 contradicted."""
        return self.contradiction + 0.5 * self.neutral


# What is known of a pair with an empty side: nothing for it, nothing against it.
UNKNOWN = Entailment(0.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Reading:
    """Three probabilities, the spans of the hypothesis that lack support, and whether text was left unread."""

    entailment: Entailment
    spans: tuple[tuple[int, int, float], ...] = ()
    truncated: bool = False


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


@runtime_checkable
class WindowReader(NLI, Protocol):
    """A model that reads windows of text and marks what lacks support."""

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """Score all pairs in one call, with the unsupported spans of each hypothesis."""
        ...

    def count_tokens(self, text: str) -> int | None:
        """Count the tokens of a text; None from a scorer that reads words and knows no tokens."""
        ...


def from_divergence(divergence: float) -> Entailment:
    """Spread a divergence over three probabilities, so that it comes out unchanged."""
    if divergence <= 0.5:
        return Entailment(1.0 - 2.0 * divergence, 2.0 * divergence, 0.0)
    return Entailment(0.0, 2.0 * (1.0 - divergence), 2.0 * divergence - 1.0)


def checked_pairs(pairs: object) -> list[tuple[str, str]]:
    """Refuse anything but a sequence of two texts each."""
    if not isinstance(pairs, Sequence) or isinstance(pairs, str | bytes):
        raise InputTypeError(f"pairs is a {type(pairs).__name__}.", fix="pass a list of (premise, hypothesis)")
    checked: list[tuple[str, str]] = []
    for number, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            raise InputTypeError(f"Pair {number} is not two texts.", fix="pass a list of (premise, hypothesis)")
        checked.append((pair[0], pair[1]))
    return checked


def says_nothing(pair: tuple[str, str]) -> bool:
    """Tell whether a side of a pair is blank."""
    return not pair[0].strip() or not pair[1].strip()
