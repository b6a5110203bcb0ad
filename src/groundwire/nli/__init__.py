"""Entailment scorers behind one protocol."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from groundwire.nli.base import NLI, DivergenceScorer, Entailment, Reading
from groundwire.nli.fake import FakeNLI

if TYPE_CHECKING:
    from groundwire.nli.cascade import Cascade, TierCounts
    from groundwire.nli.lite import LiteScorer
    from groundwire.nli.scorer import BACKENDS, ChunkedScore, NLIScorer

# Verifying without a model needs the protocols alone; the rest is loaded on first use.
_HOMES = {
    "BACKENDS": "groundwire.nli.scorer",
    "Cascade": "groundwire.nli.cascade",
    "ChunkedScore": "groundwire.nli.scorer",
    "LiteScorer": "groundwire.nli.lite",
    "NLIScorer": "groundwire.nli.scorer",
    "TierCounts": "groundwire.nli.cascade",
}

__all__ = [
    "BACKENDS",
    "NLI",
    "Cascade",
    "ChunkedScore",
    "DivergenceScorer",
    "Entailment",
    "FakeNLI",
    "LiteScorer",
    "NLIScorer",
    "Reading",
    "TierCounts",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'groundwire.nli' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
