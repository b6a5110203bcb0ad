"""Entailment scorers behind one protocol."""

from groundwire.nli.base import NLI, DivergenceScorer, Entailment, Reading
from groundwire.nli.cascade import Cascade, TierCounts
from groundwire.nli.fake import FakeNLI
from groundwire.nli.judge import Judge, JudgeAnswer, judge_from_anthropic, judge_from_openai
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
    "Judge",
    "JudgeAnswer",
    "LiteScorer",
    "NLIScorer",
    "Reading",
    "TierCounts",
    "judge_from_anthropic",
    "judge_from_openai",
]
