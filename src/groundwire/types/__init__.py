"""Every shared type of Groundwire."""

from groundwire.types.coherence import ClaimAttribution, CoherenceScore, ReviewResult, ScoringEvidence
from groundwire.types.correction import Correction, Edit
from groundwire.types.evidence import EvidenceChunk, EvidenceObject, ParsedClaim
from groundwire.types.guard import GuardReport
from groundwire.types.halt import (
    CounterfactualFactChange,
    CounterfactualHaltDiagnostic,
    HaltEvidence,
    HaltReason,
    HaltTraceAttribution,
)
from groundwire.types.hooks import (
    ContainmentVerdict,
    GroundingVerdict,
    HandoffResult,
    HookFinding,
    HookVerdict,
    OntologyViolation,
    PassportVerdict,
    PreflightVerdict,
)
from groundwire.types.injection import InjectedClaim, InjectionFinding, InjectionResult, InjectionScan, IntentVerdict
from groundwire.types.policy import Policy
from groundwire.types.safety import SAFETY_EVENT_SCHEMA, HookScope, PolicyDecision, SafetyEvent
from groundwire.types.source import Source
from groundwire.types.stream import StreamSession, TokenEvent
from groundwire.types.verification import (
    ClaimVerdict,
    Conflict,
    ModelInfo,
    Reason,
    SourceSpan,
    Status,
    Unchecked,
    Verdict,
    VerificationResult,
)

__all__ = [
    "SAFETY_EVENT_SCHEMA",
    "ClaimAttribution",
    "ClaimVerdict",
    "CoherenceScore",
    "Conflict",
    "ContainmentVerdict",
    "Correction",
    "CounterfactualFactChange",
    "CounterfactualHaltDiagnostic",
    "Edit",
    "EvidenceChunk",
    "EvidenceObject",
    "GroundingVerdict",
    "GuardReport",
    "HaltEvidence",
    "HaltReason",
    "HaltTraceAttribution",
    "HandoffResult",
    "HookFinding",
    "HookScope",
    "HookVerdict",
    "InjectedClaim",
    "InjectionFinding",
    "InjectionResult",
    "InjectionScan",
    "IntentVerdict",
    "ModelInfo",
    "OntologyViolation",
    "ParsedClaim",
    "PassportVerdict",
    "Policy",
    "PolicyDecision",
    "PreflightVerdict",
    "Reason",
    "ReviewResult",
    "SafetyEvent",
    "ScoringEvidence",
    "Source",
    "SourceSpan",
    "Status",
    "StreamSession",
    "TokenEvent",
    "Unchecked",
    "Verdict",
    "VerificationResult",
]
