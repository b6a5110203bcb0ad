"""Groundwire checks every claim of a response against its sources."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from groundwire.audit import verify_claim_lattice, verify_claim_lattice_json, verify_quotes
    from groundwire.client import Client
    from groundwire.coherence import CoherenceScorer, ScoreCache
    from groundwire.errors import GroundwireError
    from groundwire.guard import CoherenceAgent, ProductionGuard
    from groundwire.injection import InjectionDetector
    from groundwire.nli import NLIScorer
    from groundwire.retrieval import GroundTruthStore, VectorGroundTruthStore
    from groundwire.stream import AsyncStreamingKernel, StreamingKernel
    from groundwire.types import Policy, SafetyEvent, Source
    from groundwire.verify import VerifiedScorer

# Names are loaded on first use, so that `import groundwire` costs nothing.
_HOMES = {
    "AsyncStreamingKernel": "groundwire.stream",
    "Client": "groundwire.client",
    "CoherenceAgent": "groundwire.guard",
    "CoherenceScorer": "groundwire.coherence",
    "GroundTruthStore": "groundwire.retrieval",
    "GroundwireError": "groundwire.errors",
    "InjectionDetector": "groundwire.injection",
    "NLIScorer": "groundwire.nli",
    "Policy": "groundwire.types",
    "ProductionGuard": "groundwire.guard",
    "SafetyEvent": "groundwire.types",
    "ScoreCache": "groundwire.coherence",
    "Source": "groundwire.types",
    "StreamingKernel": "groundwire.stream",
    "VectorGroundTruthStore": "groundwire.retrieval",
    "VerifiedScorer": "groundwire.verify",
    "verify_claim_lattice": "groundwire.audit",
    "verify_claim_lattice_json": "groundwire.audit",
    "verify_quotes": "groundwire.audit",
}

__all__ = [
    "AsyncStreamingKernel",
    "Client",
    "CoherenceAgent",
    "CoherenceScorer",
    "GroundTruthStore",
    "GroundwireError",
    "InjectionDetector",
    "NLIScorer",
    "Policy",
    "ProductionGuard",
    "SafetyEvent",
    "ScoreCache",
    "Source",
    "StreamingKernel",
    "VectorGroundTruthStore",
    "VerifiedScorer",
    "__version__",
    "verify_claim_lattice",
    "verify_claim_lattice_json",
    "verify_quotes",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'groundwire' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
