"""Why a stream was stopped."""

from dataclasses import dataclass
from enum import StrEnum

from groundwire.types.evidence import EvidenceChunk


class HaltReason(StrEnum):
    """Why a stream ended before its writer did; a rejected claim gives its verdict as the reason."""

    HARD_LIMIT = "hard_limit"
    WINDOW_AVG = "window_avg"
    DOWNWARD_TREND = "downward_trend"
    CALLBACK_ERROR = "callback_error"
    CALLBACK_TIMEOUT = "callback_timeout"
    BAD_TOKEN = "bad_token"  # noqa: S105 - no password
    STREAM_LIMIT = "stream_limit"
    STREAM_ERROR = "stream_error"
    CONTRADICTED = "contradicted"
    FABRICATED = "fabricated"
    UNVERIFIABLE = "unverifiable"
    SUPPORTED = "supported"


@dataclass(frozen=True, slots=True)
class HaltTraceAttribution:
    """Where a halt came from."""

    fact_source: str = ""
    retrieval_path: str = ""
    scorer_path: str = ""
    token_offset: int = -1
    threshold: float | None = None
    causal_contribution: float = 0.0


@dataclass(frozen=True, slots=True)
class CounterfactualFactChange:
    """One fact whose change might have prevented the halt."""

    fact_source: str
    original_fact: str
    proposed_fact: str
    required_score_delta: float
    prevented_halt: bool


@dataclass(frozen=True, slots=True)
class CounterfactualHaltDiagnostic:
    """Which single fact, if changed, would have prevented the halt."""

    question: str
    observed_score: float
    threshold: float
    best_change: CounterfactualFactChange | None
    candidates: list[CounterfactualFactChange]


@dataclass(frozen=True, slots=True)
class HaltEvidence:
    """What was known when a stream was stopped."""

    reason: str
    last_score: float
    evidence_chunks: list[EvidenceChunk]
    nli_scores: list[float] | None = None
    suggested_action: str = ""
    trace_attribution: HaltTraceAttribution | None = None
    counterfactual_diagnostic: CounterfactualHaltDiagnostic | None = None
