"""Check what a scorer was built with, and find the model it was told to use."""

import math
import warnings
from typing import TYPE_CHECKING

from groundwire.coherence.reading import FactStore
from groundwire.errors import InputError, InputTypeError, MissingExtraError, ModelError
from groundwire.nli import NLI, DivergenceScorer

if TYPE_CHECKING:
    from groundwire.injection import InjectionDetector

HEURISTIC = "heuristic"
_DEFAULT_MODEL = "embedded"
_WITHOUT_MODEL = (HEURISTIC, "lite", "rules")


def has_model(nli: object) -> bool:
    """Tell whether a model answers, and not a count of words."""
    return nli is not None and bool(getattr(nli, "model_available", True))


def warn(message: str) -> None:
    """Say once that something was done in another way than asked."""
    warnings.warn(message, RuntimeWarning, stacklevel=4)


def choose_nli(
    nli: NLI | DivergenceScorer | None, use_nli: bool | None, path: str | None, backend: str, strict: bool
) -> NLI | DivergenceScorer | None:
    """Take the scorer that was given, or the backend that was named."""
    if backend != HEURISTIC:
        _check_backend(backend)
    named = backend != HEURISTIC or path is not None or use_nli is True
    if use_nli is False and (nli is not None or named):
        raise InputError(
            "use_nli is False, yet a model was named.",
            fix="leave out use_nli, or nli_scorer, nli_model, scorer_backend",
        )
    if nli is not None:
        if named:
            raise InputError(
                "A scorer was given and another was named.", fix="keep nli_scorer, or nli_model and scorer_backend"
            )
        if not isinstance(nli, NLI | DivergenceScorer):
            raise InputTypeError(
                f"nli_scorer is a {type(nli).__name__}.",
                fix="pass an object with score(premise, hypothesis) or probabilities(pairs), or None",
            )
        return nli
    if not named:
        return None
    from groundwire.nli import NLIScorer  # here: who uses the exact checks alone need not wait for it

    name = _DEFAULT_MODEL if backend == HEURISTIC else backend
    try:
        made = NLIScorer(name, path, strict=True)
    except (MissingExtraError, ModelError) as error:
        warn(f"{error} {'Nothing will be approved.' if strict else 'The exact checks are used alone.'}")
        return None
    if name not in _WITHOUT_MODEL and not strict and not made.model_available:
        warn(f"The backend {name!r} has no model to load. The exact checks are used alone.")
        return None
    return made


def checked_store(store: FactStore | None) -> FactStore | None:
    """Refuse what cannot be asked for facts."""
    if store is not None and not callable(getattr(store, "retrieve_context_with_chunks", None)):
        raise InputTypeError(
            f"ground_truth_store is a {type(store).__name__}.",
            fix="pass a GroundTruthStore, a VectorGroundTruthStore, or an object with retrieve_context_with_chunks",
        )
    return store


def checked_share(name: str, value: float) -> float:
    """Refuse anything but a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputTypeError(f"{name} is a {type(value).__name__}.", fix="pass a number from 0 to 1")
    if not 0.0 <= value <= 1.0 or math.isnan(value):
        raise InputError(f"{name} is {value}.", fix="pass a number from 0 to 1")
    return float(value)


def checked_detector(detector: "InjectionDetector | None") -> "InjectionDetector | None":
    """Refuse what cannot look for injected instructions."""
    if detector is None:
        return None
    from groundwire.injection import InjectionDetector  # here: who has no detector need not wait for it

    if not isinstance(detector, InjectionDetector):
        raise InputTypeError(f"injection_detector is a {type(detector).__name__}.", fix="pass an InjectionDetector")
    return detector


def _check_backend(name: str) -> None:
    from groundwire.nli import BACKENDS

    if name not in BACKENDS:
        raise InputError(f"There is no backend {name!r}.", fix=f"use one of {', '.join(sorted(BACKENDS))}")
