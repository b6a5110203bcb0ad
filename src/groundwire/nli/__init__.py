"""Entailment scorers behind one protocol."""

from groundwire.nli.base import NLI, DivergenceScorer, Entailment, Reading
from groundwire.nli.cascade import Cascade, TierCounts
from groundwire.nli.fake import FakeNLI
from groundwire.nli.lite import LiteScorer
from groundwire.nli.scorer import BACKENDS, ChunkedScore, NLIScorer

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
