"""What the injection detector returns."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InjectedClaim:
    """One claim of a response measured against the intent."""

    claim: str
    claim_index: int
    intent_divergence: float
    reverse_divergence: float
    bidirectional_divergence: float
    traceability: float
    entity_match: float
    verdict: str
    confidence: float


@dataclass(frozen=True, slots=True)
class InjectionResult:
    """Whether a response follows an instruction its user never gave."""

    injection_detected: bool
    injection_risk: float
    intent_coverage: float
    total_claims: int
    grounded_claims: int
    drifted_claims: int
    injected_claims: int
    claims: list[InjectedClaim]
    input_sanitizer_score: float = 0.0
    combined_score: float = 0.0
