"""Guards around models: the user's own client, an agent, and one object for production."""

from groundwire.guard.agent import CoherenceAgent
from groundwire.guard.answers import OnReject
from groundwire.guard.anthropic import from_anthropic
from groundwire.guard.corrections import suggest_corrections
from groundwire.guard.openai import from_openai
from groundwire.guard.production import ProductionGuard

__all__ = [
    "CoherenceAgent",
    "OnReject",
    "ProductionGuard",
    "from_anthropic",
    "from_openai",
    "suggest_corrections",
]
