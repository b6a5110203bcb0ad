"""`NLIScorer`: every backend behind one set of methods."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from groundwire.errors import GroundwireError, InputError, InputTypeError, MissingExtraError
from groundwire.nli.base import NLI, UNKNOWN, Entailment, Reading, checked_pairs, says_nothing
from groundwire.nli.cascade import Cascade, TierCounts, readings
from groundwire.text.sentences import shorten, split_sentences
from groundwire.types import ModelInfo

if TYPE_CHECKING:
    from pathlib import Path

# Each backend is loaded when its name is asked for: a module, its class, and options that the name implies.
_HOMES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "embedded": ("groundwire.nli.embedded", "EmbeddedModel", {}),
    "heuristic": ("groundwire.nli.heuristic", "HeuristicScorer", {}),
    "lite": ("groundwire.nli.lite", "LiteScorer", {}),
    "rules": ("groundwire.nli.rules", "RulesScorer", {}),
    "embedding": ("groundwire.nli.embedding", "EmbeddingScorer", {}),
    "transformers": ("groundwire.nli.transformer", "TransformerScorer", {"kind": "transformers"}),
    "deberta": ("groundwire.nli.transformer", "TransformerScorer", {"kind": "deberta"}),
    "minicheck": ("groundwire.nli.transformer", "TransformerScorer", {"kind": "minicheck"}),
    "onnx": ("groundwire.nli.onnx", "OnnxScorer", {"name": "onnx"}),
    "nli-lite": ("groundwire.nli.onnx", "OnnxScorer", {"name": "nli-lite"}),
}
BACKENDS = tuple(_HOMES)
# A source without stops is one sentence; what is longer than this is cut at softer breaks.
_LONGEST_CHUNK = 400
_MOST_CHUNK_PAIRS = 20_000


@dataclass(frozen=True, slots=True)
class ChunkedScore:
    """The divergence of the worst hypothesis sentence, and what each of them scored at its best premise chunk."""

    divergence: float
    premise_chunk_count: int
    hypothesis_chunk_count: int
    chunk_scores: tuple[float, ...]

    def __float__(self) -> float:
        return self.divergence


class NLIScorer:
    """Score (premise, hypothesis) pairs with a backend chosen by name, or with an object of your own."""

    def __init__(
        self,
        backend: str | NLI = "embedded",
        model_path: "str | Path | None" = None,
        *,
        strict: bool = False,
        cascade: bool = False,
        **options: Any,
    ) -> None:
        self._backend: Any = _make(backend, model_path, strict, options)
        if cascade:
            self._backend = Cascade(self._backend)
        self.backend = backend if isinstance(backend, str) else type(backend).__name__

    @property
    def model_available(self) -> bool:
        """Tell whether a model answers that can be loaded, and not a count of words."""
        if not getattr(self._backend, "is_model", True):
            return False
        try:
            getattr(self._backend, "load", bool)()
        except GroundwireError:
            return False
        return True

    @property
    def tier_counts(self) -> TierCounts | None:
        """Return how many pairs each tier of the cascade has decided, None without a cascade."""
        return self._backend.counts if isinstance(self._backend, Cascade) else None

    @property
    def model_info(self) -> ModelInfo:
        """Name what answers, and the hash of its files where it has some."""
        info = getattr(self._backend, "model_info", None)
        return info if isinstance(info, ModelInfo) else ModelInfo(type(self._backend).__name__, "")

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs in one call; a blank side is neutral."""
        return [reading.entailment for reading in self.read(pairs)]

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """Score all pairs; a backend that can also marks the words of each hypothesis that lack support."""
        pairs = checked_pairs(pairs)
        asked = [number for number, pair in enumerate(pairs) if not says_nothing(pair)]
        found = [Reading(UNKNOWN)] * len(pairs)
        if asked:
            answers = readings(self._backend, [pairs[number] for number in asked])
            for number, answer in zip(asked, answers, strict=True):
                found[number] = answer
        return found

    def count_tokens(self, text: str) -> int | None:
        """Count the tokens a text has for the backend, None when it reads words and not tokens."""
        count = getattr(self._backend, "count_tokens", None)
        return None if count is None else count(text)

    def score(self, premise: str, hypothesis: str) -> float:
        """Return 0 when the premise entails the hypothesis, 1 when it contradicts it."""
        return self.score_batch([(premise, hypothesis)])[0]

    def score_batch(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the divergence of every pair."""
        return [entailment.divergence for entailment in self.probabilities(pairs)]

    def score_chunked(self, premise: str, hypothesis: str) -> ChunkedScore:
        """Score every hypothesis sentence at its best premise sentence; the worst one counts."""
        checked_pairs([(premise, hypothesis)])
        premises, hypotheses = _chunks(premise), _chunks(hypothesis)
        count = len(premises) * len(hypotheses)
        if count > _MOST_CHUNK_PAIRS:
            raise InputError(
                f"{len(premises)} by {len(hypotheses)} sentences are {count} pairs.",
                why=f"at most {_MOST_CHUNK_PAIRS} are scored in one call",
                fix="score the response in parts, or use VerifiedScorer, which picks the sentences that matter",
            )
        if not count:
            return ChunkedScore(UNKNOWN.divergence, len(premises), len(hypotheses), ())
        scores = self.score_batch([(one, two) for two in hypotheses for one in premises])
        width = len(premises)
        best = tuple(min(scores[start : start + width]) for start in range(0, len(scores), width))
        return ChunkedScore(max(best), len(premises), len(hypotheses), best)


def _make(backend: str | NLI, model_path: "str | Path | None", strict: bool, options: dict[str, Any]) -> Any:
    if not isinstance(backend, str):
        if not isinstance(backend, NLI):
            raise InputTypeError(
                f"backend is a {type(backend).__name__}.", fix="pass a name, or an object with probabilities(pairs)"
            )
        return backend
    if backend not in _HOMES:
        raise InputError(f"There is no backend {backend!r}.", fix=f"use one of {', '.join(sorted(_HOMES))}")
    module, name, implied = _HOMES[backend]
    made = getattr(import_module(module), name)
    _check_options(backend, made, set(options), model_path is not None)
    if model_path is not None:
        options = {"model_path": model_path, **options}
    try:
        return made(**implied, **options)
    except MissingExtraError as error:
        if strict:
            raise
        warnings.warn(f"{error} The backend 'heuristic' answers instead.", RuntimeWarning, stacklevel=3)
        return _make("heuristic", None, True, {})


def _check_options(backend: str, made: Any, options: set[str], has_path: bool) -> None:
    import inspect  # a tenth of the time that importing the package may take

    parameters = set(inspect.signature(made).parameters)
    known = parameters - {"model_path"} - _HOMES[backend][2].keys()
    unknown = sorted(options - known)
    if unknown:
        known_names = ", ".join(sorted(known)) or "none"
        raise InputError(f"The backend {backend!r} has no option {unknown[0]!r}.", fix=f"its options: {known_names}")
    if has_path and "model_path" not in parameters:
        raise InputError(f"The backend {backend!r} takes no model_path.", fix="leave it out")


def _chunks(text: str) -> list[str]:
    return [piece.text for unit in split_sentences(text) for piece in shorten(unit, _LONGEST_CHUNK)]
