"""What `verify` returns."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# The entry of `checks` that says: approval was decided by the probability, not by the verdicts.
PROBABILITY_CHECK = "support_probability"


class Verdict(StrEnum):
    """What the sources say of one claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    FABRICATED = "fabricated"
    UNVERIFIABLE = "unverifiable"


class Status(StrEnum):
    """Whether the whole input was checked."""

    CHECKED = "checked"
    NOTHING_TO_CHECK = "nothing_to_check"
    NO_SOURCE = "no_source"
    TRUNCATED = "truncated"


class Reason(StrEnum):
    """Why a claim got its verdict, in the one spelling of code, JSON and CLI."""

    NUMBER_MISMATCH = "number_mismatch"
    NUMBER_ABSENT = "number_absent"
    UNIT_MISMATCH = "unit_mismatch"
    DATE_MISMATCH = "date_mismatch"
    ENTITY_SUBSTITUTION = "entity_substitution"
    ENTITY_ABSENT = "entity_absent"
    SUBSTITUTION = "substitution"
    NEGATION_FLIP = "negation_flip"
    ANTONYM = "antonym"
    ROLE_SWAP = "role_swap"
    COMPARATIVE = "comparative"
    ORDER = "order"
    QUANTIFIER = "quantifier"
    MODALITY = "modality"
    CONDITION = "condition"
    DERIVED = "derived"
    OTHER_LANGUAGE = "other_language"
    LOW_TRACEABILITY = "low_traceability"
    WEAK_EVIDENCE = "weak_evidence"
    NO_SOURCE = "no_source"
    NOT_CHECKABLE = "not_checkable"
    MODEL_CONTRADICTION = "model_contradiction"


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A source sentence shown as evidence."""

    text: str
    index: int
    nli_divergence: float
    entity_match: float = 1.0
    numerical_match: bool | None = None
    start: int = -1
    end: int = -1
    source_id: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two spans that clash: one in the response, one in a source."""

    reason: str
    claim_start: int
    claim_end: int
    claim_text: str
    source_start: int
    source_end: int
    source_text: str
    source_id: str = ""
    hard: bool = True


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A unit of the response that makes no checkable statement."""

    text: str
    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Which model took part in a result."""

    id: str
    hash: str


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """One claim, what was measured of it, and what follows."""

    claim: str
    claim_index: int
    matched_source: str
    source_index: int
    nli_divergence: float
    entity_match: float
    numerical_match: bool | None
    negation_flip: bool
    traceability: float
    verdict: str
    confidence: float
    evidence_spans: list[SourceSpan] = field(default_factory=list)
    is_atomic: bool = False
    reasons: list[str] = field(default_factory=list)
    start: int = -1
    end: int = -1
    support_probability: float | None = None
    grounded: bool | None = None
    unsupported_spans: list[tuple[int, int]] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """The verdicts of all claims and the decision for the response."""

    approved: bool
    overall_score: float
    confidence: str
    claims: list[ClaimVerdict]
    supported_count: int
    contradicted_count: int
    fabricated_count: int
    unverifiable_count: int
    coverage: float
    status: str = Status.CHECKED
    unchecked: list[Unchecked] = field(default_factory=list)
    support_probability: float | None = None
    grounded: bool | None = None
    model: ModelInfo | None = None
    checks: list[str] = field(default_factory=list)
    policy_hash: str = ""
    version: str = ""

    @property
    def decided_by_probability(self) -> bool:
        """Tell whether the policy let the probability decide on approval, not the verdicts."""
        return PROBABILITY_CHECK in self.checks

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types only, floats rounded to four places."""
        return {
            "approved": self.approved,
            "overall_score": _plain(self.overall_score),
            "confidence": self.confidence,
            "supported": self.supported_count,
            "contradicted": self.contradicted_count,
            "fabricated": self.fabricated_count,
            "unverifiable": self.unverifiable_count,
            "coverage": _plain(self.coverage),
            "claims": [_fields(claim) for claim in self.claims],
            "status": str(self.status),
            "unchecked": [_fields(unit) for unit in self.unchecked],
            "support_probability": _plain(self.support_probability),
            "grounded": self.grounded,
            "model": None if self.model is None else _fields(self.model),
            "checks": list(self.checks),
            "policy_hash": self.policy_hash,
            "version": self.version,
        }


def _fields(item: Any) -> dict[str, Any]:
    return {name: _plain(getattr(item, name)) for name in item.__dataclass_fields__}


def _plain(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return _fields(value)
    return value
