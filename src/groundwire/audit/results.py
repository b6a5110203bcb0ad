"""What the audit functions return: frozen objects that also read like the documented dictionaries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from groundwire.audit.outcomes import AuditMode, ClaimState, Method, UnitStatus


@dataclass(frozen=True, slots=True)
class Piece:
    """A range of one source in its original spelling."""

    source: int
    source_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class UnitResult:
    """One unit of a free-text answer and every place of the context that carries it."""

    text: str
    status: UnitStatus
    method: Method
    start: int
    end: int
    # One tuple per occurrence; an occurrence has several pieces when it crosses
    # a border between sources or leaves something out with an ellipsis.
    occurrences: tuple[tuple[Piece, ...], ...] = ()
    n_occurrences: int = 0
    paraphrase_order_changed: bool | None = None


@dataclass(frozen=True, slots=True)
class Support:
    """The sentence of a cited span that carries most of a claim."""

    pointer_id: str
    evidence_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """One claim of a lattice and what its pointers came to."""

    claim_idx: int
    text: str
    pointer_ids: tuple[str, ...]
    evidence_ids: tuple[str, ...]
    status: ClaimState
    reasons: tuple[str, ...]
    start: int | None = None
    end: int | None = None
    support: tuple[Support, ...] = ()


@dataclass(frozen=True, slots=True)
class SemanticVerdict:
    """What the semantic verifier says of one unit; it never changes the lexical result."""

    claim_idx: int
    text: str
    verdict: str
    confidence: float


Violation = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class AuditResult(Mapping[str, Any]):
    """What every audit reports."""

    n_quotes: int
    n_verified: int
    audit_mode: AuditMode
    unverified_quotes: tuple[str, ...]
    verifier_method: Method

    def to_dict(self) -> dict[str, Any]:
        """Return the documented dictionary, JSON types only."""
        return {item.name: plain(getattr(self, item.name)) for item in fields(self)}

    def __getitem__(self, key: str) -> Any:
        if key not in self.__dataclass_fields__:
            raise KeyError(key)
        return plain(getattr(self, key))

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dataclass_fields__)

    def __len__(self) -> int:
        return len(self.__dataclass_fields__)


@dataclass(frozen=True, slots=True, eq=False)
class QuoteAudit(AuditResult):
    """The audit of a free text against its context."""

    claim_statuses: tuple[UnitResult, ...]
    unquoted_unverified: tuple[str, ...] = ()
    semantic: tuple[SemanticVerdict, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class JsonLatticeAudit(AuditResult):
    """The audit of claims in JSON against an evidence map."""

    partially_verified_quotes: tuple[str, ...]
    claim_statuses: tuple[ClaimResult, ...]
    violations: tuple[Violation, ...]
    rendered_text: str
    evidence_id_pairs: tuple[tuple[str, ...], ...]
    warrant_missing_claim_idxs: tuple[int, ...]
    warrant_proven_claim_idxs: tuple[int, ...]
    title_mismatch_claim_idxs: tuple[int, ...]
    subject_absent_claim_idxs: tuple[int, ...]
    deflection_detected: bool
    json_fixups: tuple[str, ...] = ()
    semantic: tuple[SemanticVerdict, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LatticeAudit(AuditResult):
    """The audit of pointer lines against an evidence map."""

    partially_verified_quotes: tuple[str, ...]
    claim_statuses: tuple[ClaimResult, ...]
    violations: tuple[Violation, ...]
    rendered_text: str
    evidence_id_pairs: tuple[tuple[str, ...], ...]
    warrant_missing_claim_idxs: tuple[int, ...]
    warrant_proven_claim_idxs: tuple[int, ...]
    title_mismatch_claim_idxs: tuple[int, ...]
    subject_absent_claim_idxs: tuple[int, ...]
    deflection_detected: bool
    pointer_id_distribution: Mapping[str, int]
    lazy_anchor_ratio: float
    lazy_anchor_demoted: bool
    format_collapsed: bool
    semantic: tuple[SemanticVerdict, ...] | None = None


def plain(value: Any) -> Any:
    """Turn a value into JSON types."""
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if hasattr(value, "__dataclass_fields__"):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    return value


def audit_from_dict(values: Mapping[str, Any]) -> QuoteAudit | LatticeAudit | JsonLatticeAudit:
    """Read a result back from its dictionary; a result itself comes back equal."""
    kept = dict(values)
    kept["audit_mode"] = AuditMode(kept["audit_mode"])
    kept["verifier_method"] = Method(kept["verifier_method"])
    if kept.get("semantic") is not None:
        kept["semantic"] = tuple(SemanticVerdict(**item) for item in kept["semantic"])
    for name, value in kept.items():
        if isinstance(value, list):
            kept[name] = tuple(value)
    if "violations" not in kept:
        kept["claim_statuses"] = tuple(_unit_from_dict(item) for item in kept["claim_statuses"])
        return QuoteAudit(**kept)
    kept["evidence_id_pairs"] = tuple(tuple(ids) for ids in kept["evidence_id_pairs"])
    kept["claim_statuses"] = tuple(_claim_from_dict(item) for item in kept["claim_statuses"])
    return LatticeAudit(**kept) if "pointer_id_distribution" in kept else JsonLatticeAudit(**kept)


def _unit_from_dict(item: Mapping[str, Any]) -> UnitResult:
    occurrences = tuple(tuple(Piece(**piece) for piece in pieces) for pieces in item["occurrences"])
    state = {"status": UnitStatus(item["status"]), "method": Method(item["method"])}
    return UnitResult(**{**item, **state, "occurrences": occurrences})


def _claim_from_dict(item: Mapping[str, Any]) -> ClaimResult:
    lists = {name: tuple(item[name]) for name in ("pointer_ids", "evidence_ids", "reasons")}
    support = tuple(Support(**part) for part in item["support"])
    return ClaimResult(**{**item, **lists, "status": ClaimState(item["status"]), "support": support})
