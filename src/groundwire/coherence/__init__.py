"""One number for a whole answer, from its prompt and from a store of facts."""

from groundwire.coherence.cache import ScoreCache
from groundwire.coherence.judging import JudgeMode
from groundwire.coherence.routes import Route, Task
from groundwire.coherence.scorer import CoherenceScorer
from groundwire.coherence.session import ConversationSession
from groundwire.coherence.weights import PRESETS, Weights

__all__ = [
    "PRESETS",
    "CoherenceScorer",
    "ConversationSession",
    "JudgeMode",
    "Route",
    "ScoreCache",
    "Task",
    "Weights",
]
