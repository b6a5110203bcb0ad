"""Entailment scorers behind one protocol."""

from groundwire.nli.base import NLI, DivergenceScorer, Entailment
from groundwire.nli.fake import FakeNLI
from groundwire.nli.judge import Judge, JudgeAnswer, judge_from_anthropic, judge_from_openai

__all__ = [
    "NLI",
    "DivergenceScorer",
    "Entailment",
    "FakeNLI",
    "Judge",
    "JudgeAnswer",
    "judge_from_anthropic",
    "judge_from_openai",
]
