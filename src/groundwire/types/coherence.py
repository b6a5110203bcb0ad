"""What the coherence scorer and the agent return."""

from dataclasses import dataclass, field
from typing import Any

from groundwire.types.evidence import EvidenceChunk
from groundwire.types.halt import HaltEvidence
from groundwire.types.safety import SafetyEvent


@dataclass(frozen=True, slots=True)
class ClaimAttribution:
    """One claim of a response and the source sentence nearest to it."""

    claim: str
    claim_index: int
    source_sentence: str
    source_index: int
    divergence: float
    supported: bool


@dataclass(frozen=True, slots=True)
class ScoringEvidence:
    """What was retrieved and measured behind a coherence score."""

    chunks: list[EvidenceChunk]
    nli_premise: str
    nli_hypothesis: str
    nli_score: float
    chunk_scores: list[float] | None = None
    premise_chunk_count: int = 1
    hypothesis_chunk_count: int = 1
    claim_coverage: float | None = None
    per_claim_divergences: list[float] | None = None
    claims: list[str] | None = None
    attributions: list[ClaimAttribution] | None = None
    token_count: int | None = None
    estimated_cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class CoherenceScore:
    """One number for a whole answer, with what it was made of."""

    score: float
    approved: bool
    h_logical: float
    h_factual: float
    evidence: ScoringEvidence | None = None
    warning: bool = False
    cross_turn_divergence: float | None = None
    strict_mode_rejected: bool = False
    verdict_confidence: float | None = None
    nli_model_confidence: float | None = None
    signal_agreement: float | None = None
    contradiction_index: float | None = None
    detected_task_type: str | None = None
    escalated_to_judge: bool | None = None
    nli_probs: dict[str, float] | None = None
    retrieval_confidence: float | None = None
    injection_risk: float | None = None

    @property
    def attributions(self) -> list[ClaimAttribution]:
        """List the claims with their nearest source sentences."""
        if self.evidence is None or self.evidence.attributions is None:
            return []
        return list(self.evidence.attributions)

    @property
    def claim_coverage(self) -> float | None:
        """Tell the share of supported claims, None when it was not measured."""
        return None if self.evidence is None else self.evidence.claim_coverage

    @property
    def unsupported_claims(self) -> list[ClaimAttribution]:
        """List the claims that no source sentence supports."""
        return [item for item in self.attributions if not item.supported]

    def claim_provenance(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per claim with its source."""
        return [
            {
                "claim": item.claim,
                "supported": item.supported,
                "source": item.source_sentence,
                "divergence": item.divergence,
                "source_index": item.source_index,
            }
            for item in self.attributions
        ]


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """The answer an agent settled on."""

    output: str
    coherence: CoherenceScore | None
    halted: bool
    candidates_evaluated: int
    fallback_used: bool = False
    halt_evidence: HaltEvidence | None = None
    safety_events: tuple[SafetyEvent, ...] = field(default=())
