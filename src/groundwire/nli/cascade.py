"""A cheap tier decides the clear pairs, a model the rest."""

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from groundwire.errors import InputError
from groundwire.nli.base import NLI, UNKNOWN, Entailment, Reading, checked_pairs
from groundwire.text.coverage import share
from groundwire.text.normal_form import normal_form
from groundwire.text.sentences import split_sentences
from groundwire.text.tokens import content_stems
from groundwire.types import ModelInfo

_STOPS = ".!? "
# A rule alone is right too seldom: nearly all other words must stand in one sentence of the premise.
_RESTATED = 0.9


class TierCounts(NamedTuple):
    """How many pairs each tier decided."""

    cheap: int
    model: int


class ClearCases:
    """Call entailed what stands in the premise word for word, contradicted what differs in a hard fact alone."""

    is_model = False
    model_info = ModelInfo("clear-cases", "")

    def __init__(self) -> None:
        from groundwire.nli.rules import RULES, RulesScorer  # most of the text layer, for those who use a cascade

        hard = ("numeric_consistency", "negation_flip", "date_consistency", "unit_consistency")
        self._rules = RulesScorer({rule.name: {"enabled": rule.name in hard} for rule in RULES})

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs in one call."""
        pairs = checked_pairs(pairs)
        refuted = self._rules.probabilities(pairs)
        return [
            Entailment(1.0, 0.0, 0.0)
            if _stands_in(*pair)
            else found
            if found.contradiction == 1.0 and _is_restated(*pair)
            else UNKNOWN
            for pair, found in zip(pairs, refuted, strict=True)
        ]


class Cascade:
    """Ask the cheap scorer first; what lies between the two limits goes to the model, in one call."""

    def __init__(
        self, model: NLI, cheap: NLI | None = None, *, entailed_at: float = 0.0, contradicted_at: float = 1.0
    ) -> None:
        if not 0.0 <= entailed_at < contradicted_at <= 1.0:
            raise InputError(
                f"The limits of the cascade are {entailed_at!r} and {contradicted_at!r}.",
                fix="give 0 <= entailed_at < contradicted_at <= 1",
            )
        self.model = model
        self.cheap = cheap or ClearCases()
        self.entailed_at = entailed_at
        self.contradicted_at = contradicted_at
        self._counts = TierCounts(0, 0)
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    @property
    def is_model(self) -> bool:
        """Tell whether the second tier is a model."""
        return bool(getattr(self.model, "is_model", True))

    @property
    def model_info(self) -> ModelInfo:
        """Name both tiers; the hash is that of the model."""
        cheap, model = _info(self.cheap), _info(self.model)
        return ModelInfo(f"{cheap.id}+{model.id}", model.hash)

    @property
    def counts(self) -> TierCounts:
        """Return how many pairs each tier has decided so far."""
        return self._counts

    def load(self) -> None:
        """Load the model now instead of at the first unclear pair."""
        getattr(self.model, "load", bool)()

    def count_tokens(self, text: str) -> int | None:
        """Count the tokens a text has for the model, None when it reads words and not tokens."""
        count = getattr(self.model, "count_tokens", None)
        return None if count is None else int(count(text))

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Score all pairs, each in the first tier that is sure of it."""
        return [reading.entailment for reading in self.read(pairs)]

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """Score all pairs; those that reach the model carry its spans."""
        pairs = checked_pairs(pairs)
        found = [Reading(entailment) for entailment in self.cheap.probabilities(pairs)]
        unclear = [
            place
            for place, reading in enumerate(found)
            if self.entailed_at < reading.entailment.divergence < self.contradicted_at
        ]
        if unclear:
            answers = readings(self.model, [pairs[place] for place in unclear])
            for place, answer in zip(unclear, answers, strict=True):
                found[place] = answer
        with self._lock:
            cheap, model = self._counts
            self._counts = TierCounts(cheap + len(pairs) - len(unclear), model + len(unclear))
        return found


def readings(backend: NLI, pairs: list[tuple[str, str]]) -> list[Reading]:
    """Read pairs with any backend; one without a head for words gives no spans."""
    read = getattr(backend, "read", None)
    if read is not None:
        return list(read(pairs))
    return [Reading(entailment) for entailment in backend.probabilities(pairs)]


def _info(tier: NLI) -> ModelInfo:
    info = getattr(tier, "model_info", None)
    return info if isinstance(info, ModelInfo) else ModelInfo(type(tier).__name__, "")


def _stands_in(premise: str, hypothesis: str) -> bool:
    wanted = normal_form(hypothesis).strip(_STOPS)
    return bool(wanted) and any(normal_form(unit.text).strip(_STOPS) == wanted for unit in split_sentences(premise))


def _is_restated(premise: str, hypothesis: str) -> bool:
    wanted = content_stems(hypothesis)
    sentences = (frozenset(content_stems(unit.text)) for unit in split_sentences(premise))
    return len(wanted) > 1 and any(share(wanted, stems) >= _RESTATED for stems in sentences)
