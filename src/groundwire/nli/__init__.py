"""Entailment scorers behind one protocol."""

from groundwire.nli.base import NLI, DivergenceScorer, Entailment, Reading
from groundwire.nli.fake import FakeNLI
from groundwire.nli.scorer import ChunkedScore, NLIScorer

__all__ = ["NLI", "ChunkedScore", "DivergenceScorer", "Entailment", "FakeNLI", "NLIScorer", "Reading"]
