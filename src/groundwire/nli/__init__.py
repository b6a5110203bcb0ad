"""Entailment scorers behind one protocol."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from groundwire.nli.base import NLI, DivergenceScorer, Entailment, Reading
from groundwire.nli.fake import FakeNLI

if TYPE_CHECKING:
    from groundwire.nli.cascade import Cascade, TierCounts
    from groundwire.nli.judge import Judge, JudgeAnswer, judge_from_anthropic, judge_from_openai
    from groundwire.nli.lite import LiteScorer
    from groundwire.nli.scorer import BACKENDS, ChunkedScore, NLIScorer

# Verifying without a model needs the protocols alone; the rest is loaded on first use.
_HOMES = {
    "BACKENDS": "groundwire.nli.scorer",
    "Cascade": "groundwire.nli.cascade",
    "ChunkedScore": "groundwire.nli.scorer",
    "Judge": "groundwire.nli.judge",
    "JudgeAnswer": "groundwire.nli.judge",
    "LiteScorer": "groundwire.nli.lite",
    "NLIScorer": "groundwire.nli.scorer",
    "TierCounts": "groundwire.nli.cascade",
    "judge_from_anthropic": "groundwire.nli.judge",
    "judge_from_openai": "groundwire.nli.judge",
}

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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'groundwire.nli' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
