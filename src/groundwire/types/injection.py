"""What the injection detector returns."""

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class IntentVerdict(StrEnum):
    """How a claim stands to what the user asked for."""

    GROUNDED = "grounded"
    DRIFTED = "drifted"
    INJECTED = "injected"


@dataclass(frozen=True, slots=True)
class InjectionFinding:
    """One thing that stage 1 saw, with its place in the text as it was given."""

    rule: str
    start: int
    end: int
    weight: float
    origin: str = "text"
    meaning: str = ""
    detail: str = ""

    def sentence(self) -> str:
        """Say the finding in one sentence."""
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.origin} {self.start}–{self.end}: {self.meaning or self.rule}{detail}, weight {self.weight:.2f}"


@dataclass(frozen=True, slots=True)
class InjectionScan:
    """What stage 1 says of one text; `notes` lists the limits that were met."""

    detected: bool
    score: float
    probability: float
    findings: tuple[InjectionFinding, ...] = ()
    notes: tuple[str, ...] = ()

    def explain(self) -> str:
        """Say for a person what was found and why it matters."""
        head = "Looks like an injection" if self.detected else "No injection found"
        return _lines(f"{head}: stage 1 scores {self.score:.2f}.", self.findings, self.notes)

    def to_dict(self) -> dict[str, Any]:
        """Turn the scan into plain values for JSON."""
        return dataclasses.asdict(self)


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
    findings: tuple[InjectionFinding, ...] = ()
    notes: tuple[str, ...] = ()

    def explain(self) -> str:
        """Say for a person what was found, in which text, and which claims leave the intent."""
        head = "Injection detected" if self.injection_detected else "No injection detected"
        scores = f"stage 1 scores {self.input_sanitizer_score:.2f}, intent risk is {self.injection_risk:.2f}"
        text = _lines(f"{head}: {scores}, together {self.combined_score:.2f}.", self.findings, self.notes)
        strayed = [claim for claim in self.claims if claim.verdict != IntentVerdict.GROUNDED]
        return "\n".join([text, *(f"- claim {item.claim_index} is {item.verdict}: {item.claim}" for item in strayed)])

    def to_dict(self) -> dict[str, Any]:
        """Turn the result into plain values for JSON."""
        return dataclasses.asdict(self)


def _lines(head: str, findings: tuple[InjectionFinding, ...], notes: tuple[str, ...]) -> str:
    return "\n".join([head, *(f"- {item.sentence()}" for item in findings), *(f"Note: {note}" for note in notes)])
