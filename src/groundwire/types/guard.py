"""What a guard says of one exchange."""

from dataclasses import dataclass, field
from typing import Any

from groundwire.types.coherence import CoherenceScore
from groundwire.types.correction import Correction
from groundwire.types.injection import InjectionResult
from groundwire.types.safety import SafetyEvent
from groundwire.types.verification import VerificationResult


@dataclass(frozen=True, slots=True)
class GuardReport:
    """The decision on one answer and every check behind it; a check that did not run is None."""

    approved: bool
    reasons: tuple[str, ...] = ()
    verification: VerificationResult | None = None
    coherence: CoherenceScore | None = None
    injection: InjectionResult | None = None
    corrections: tuple[Correction, ...] = ()
    errors: tuple[str, ...] = ()
    safety_events: tuple[SafetyEvent, ...] = field(default=())

    @property
    def checks(self) -> tuple[str, ...]:
        """Name the checks that ran."""
        ran = (("verification", self.verification), ("coherence", self.coherence), ("injection", self.injection))
        return tuple(name for name, result in ran if result is not None)

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as JSON types."""
        return {
            "approved": self.approved,
            "reasons": list(self.reasons),
            "checks": list(self.checks),
            "errors": list(self.errors),
            "verification": None if self.verification is None else self.verification.to_dict(),
            "coherence": None if self.coherence is None else round(self.coherence.score, 4),
            "injection": None if self.injection is None else round(self.injection.combined_score, 4),
            "corrections": [
                {"before": item.before, "after": item.after, "diff": item.diff} for item in self.corrections
            ],
            "safety_events": [event.to_dict() for event in self.safety_events],
        }
