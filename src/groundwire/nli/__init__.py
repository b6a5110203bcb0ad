"""Entailment scorers behind one protocol."""

from groundwire.nli.base import NLI, DivergenceScorer, Entailment
from groundwire.nli.fake import FakeNLI

__all__ = ["NLI", "DivergenceScorer", "Entailment", "FakeNLI"]
