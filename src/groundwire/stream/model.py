"""A model that a stream can rely on: an answer that is no number is an error, not silence."""

import math
from collections.abc import Sequence
from typing import TypeVar

from groundwire.errors import ModelError
from groundwire.nli import NLI, DivergenceScorer, Entailment
from groundwire.nli.base import Reading, WindowReader
from groundwire.types import ModelInfo

T = TypeVar("T")


class SoundNLI:
    """Pass the probabilities of a model on, and refuse NaN."""

    def __init__(self, nli: NLI) -> None:
        self._nli = nli
        self.model_info = _info(nli)

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs in one call."""
        return [_sound(entry, entry.divergence) for entry in self._nli.probabilities(pairs)]


class SoundScorer:
    """Pass the divergence of a scorer on, and refuse NaN."""

    def __init__(self, scorer: DivergenceScorer) -> None:
        self._scorer = scorer
        self.model_info = _info(scorer)

    def score(self, premise: str, hypothesis: str) -> float:
        """Score one pair."""
        value = self._scorer.score(premise, hypothesis)
        return _sound(value, value)


class SoundReader(SoundNLI):
    """As `SoundNLI`, for a model that reads windows and marks what lacks support."""

    def __init__(self, nli: WindowReader) -> None:
        super().__init__(nli)
        self._reader = nli

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """Score all pairs, or fail."""
        return [_sound(entry, entry.entailment.divergence) for entry in self._reader.read(pairs)]

    def count_tokens(self, text: str) -> int | None:
        """Count the tokens of a text."""
        return self._reader.count_tokens(text)


def sound(nli: NLI | DivergenceScorer | None) -> SoundNLI | SoundScorer | None:
    """Make a model one that fails aloud."""
    if nli is None:
        return None
    if isinstance(nli, WindowReader):
        return SoundReader(nli)
    return SoundNLI(nli) if isinstance(nli, NLI) else SoundScorer(nli)


def _sound(answer: T, value: float) -> T:
    if math.isnan(value):
        raise ModelError("The model returned NaN.", fix="check the scorer given as nli_scorer")
    return answer


def _info(nli: object) -> ModelInfo:
    info = getattr(nli, "model_info", None)
    return info if isinstance(info, ModelInfo) else ModelInfo(type(nli).__name__, "")
