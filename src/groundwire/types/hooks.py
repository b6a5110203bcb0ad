"""The verdicts of the six agent hooks."""

from dataclasses import dataclass, field

from groundwire.types.safety import SafetyEvent


@dataclass(frozen=True, slots=True)
class HookFinding:
    """One broken rule: its name, where it was broken, and a sentence for a person."""

    rule: str
    where: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookVerdict:
    """What every hook says; `reason` is the rule of the first finding."""

    allowed: bool
    reason: str = ""
    score: float | None = None
    safety_event: SafetyEvent | None = None
    findings: tuple[HookFinding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainmentVerdict(HookVerdict):
    """May this action run in this scope?"""

    zone: str = ""
    requested_action: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassportVerdict(HookVerdict):
    """Is this passport valid, and does its evidence hold?"""

    subject: str = ""
    expired: bool = False
    signature_valid: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologyViolation(HookVerdict):
    """Which shape or disjointness a statement breaks."""

    allowed: bool = False
    rule_id: str = ""
    subject: str = ""
    expected: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightVerdict(HookVerdict):
    """May this plan run?"""

    steps: int = 0
    predicted_risk: float | None = None
    risk_interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingVerdict(HookVerdict):
    """Does this physical command stay within its limits?"""

    command: str = ""
    violated_limits: tuple[str, ...] = ()
    margins: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffResult(HookVerdict):
    """Does a hand-off message say only what its sender had?"""

    from_agent: str = ""
    to_agent: str = ""

    @property
    def accepted(self) -> bool:
        """Say the same as `allowed`."""
        return self.allowed
