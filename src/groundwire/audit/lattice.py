"""The audit of claims that cite evidence pointers at their end."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from groundwire.audit.checks import (
    Findings,
    check_deflection,
    check_parroting,
    check_titles,
    check_warrants,
    violation,
)
from groundwire.audit.coverage import DEFAULT_MIN_CITATION_COVERAGE, follow_pointer, supported_elsewhere
from groundwire.audit.evidence_map import DEFAULT_ALLOWED_SOURCE_ROLES, EvidenceIndex, EvidenceMap, open_evidence
from groundwire.audit.outcomes import LINKED, AuditMode, ClaimState, Method, ViolationKind
from groundwire.audit.pointers import LocatedClaim, count_tag_openings, parse_tagged, pointer_tags
from groundwire.audit.render import render_claim_lattice
from groundwire.audit.results import ClaimResult, LatticeAudit, Support, Violation
from groundwire.audit.spans import require_text
from groundwire.text.lexical import content_tokens, line_ranges

DEFAULT_MAX_POINTERS_PER_CLAIM: Final = 2
DEFAULT_MIN_CLAIM_CONTENT_TOKENS: Final = 2
DEFAULT_LAZY_ANCHOR_DEMOTE_THRESHOLD: Final = 0.5
DEFAULT_LAZY_ANCHOR_DEMOTE_MIN_PAIRS: Final = 3
DEFAULT_MAX_CLAIMS_PER_ANSWER: Final = 12
DEFAULT_SUBJECT_TOKENS_ABSENT_THRESHOLD: Final = 3
COLLAPSE_MIN_LINES: Final = 5
COLLAPSE_LINE_CHARS: Final = 20

_FAILURE_PRIORITY: Final = (
    ClaimState.CITATION_MISMATCH,
    ClaimState.UNKNOWN_EVIDENCE_ID,
    ClaimState.SOURCE_ROLE_BLOCKED,
)


def verify_claim_lattice(
    answer_text: str,
    evidence_map: EvidenceMap | EvidenceIndex,
    *,
    allowed_source_roles: Collection[str] = DEFAULT_ALLOWED_SOURCE_ROLES,
    max_pointers_per_claim: int = DEFAULT_MAX_POINTERS_PER_CLAIM,
    min_citation_coverage: float = DEFAULT_MIN_CITATION_COVERAGE,
    min_claim_content_tokens: int = DEFAULT_MIN_CLAIM_CONTENT_TOKENS,
    lazy_anchor_demote_threshold: float = DEFAULT_LAZY_ANCHOR_DEMOTE_THRESHOLD,
    lazy_anchor_demote_min_pairs: int = DEFAULT_LAZY_ANCHOR_DEMOTE_MIN_PAIRS,
    max_claims_per_answer: int = DEFAULT_MAX_CLAIMS_PER_ANSWER,
    subject_tokens_absent_threshold: int = DEFAULT_SUBJECT_TOKENS_ABSENT_THRESHOLD,
    question: str | None = None,
    warrant_check_enabled: bool = True,
    deflection_check_enabled: bool = True,
    format_collapse_check_enabled: bool = True,
    warrant_chain_roots: frozenset[str] = frozenset(),
) -> LatticeAudit:
    """Audit an answer whose lines close with pointers like [E1]."""
    require_text("answer_text", answer_text)
    return audit_claims(
        answer_text,
        parse_tagged(answer_text, pointer_tags),
        open_evidence(evidence_map),
        allowed_source_roles=allowed_source_roles,
        max_pointers_per_claim=max_pointers_per_claim,
        min_citation_coverage=min_citation_coverage,
        min_claim_content_tokens=min_claim_content_tokens,
        lazy_anchor_demote_threshold=lazy_anchor_demote_threshold,
        lazy_anchor_demote_min_pairs=lazy_anchor_demote_min_pairs,
        max_claims_per_answer=max_claims_per_answer,
        subject_tokens_absent_threshold=subject_tokens_absent_threshold,
        question=question,
        warrant_check_enabled=warrant_check_enabled,
        deflection_check_enabled=deflection_check_enabled,
        format_collapse_check_enabled=format_collapse_check_enabled,
        warrant_chain_roots=warrant_chain_roots,
    )


@dataclass(frozen=True, slots=True)
class _Checked:
    """A claim after its pointers were followed."""

    claim: ClaimResult
    pairs: int
    violations: tuple[Violation, ...]
    listed: bool = True


def audit_claims(
    answer: str,
    claims: Sequence[LocatedClaim],
    evidence: EvidenceIndex,
    *,
    allowed_source_roles: Collection[str],
    max_pointers_per_claim: int,
    min_citation_coverage: float,
    min_claim_content_tokens: int,
    lazy_anchor_demote_threshold: float,
    lazy_anchor_demote_min_pairs: int,
    max_claims_per_answer: int,
    subject_tokens_absent_threshold: int,
    question: str | None,
    warrant_check_enabled: bool,
    deflection_check_enabled: bool,
    format_collapse_check_enabled: bool,
    warrant_chain_roots: frozenset[str],
) -> LatticeAudit:
    """Audit claims that some style of citation has been read from."""
    checked = [
        _check_claim(
            place,
            claim,
            evidence,
            max_pointers=max_pointers_per_claim,
            min_tokens=min_claim_content_tokens,
            limits={"allowed_source_roles": allowed_source_roles, "min_citation_coverage": min_citation_coverage},
        )
        for place, claim in enumerate(claims)
    ]
    results = tuple(item.claim for item in checked)
    violations = [broken for item in checked for broken in item.violations]
    if len(claims) > max_claims_per_answer:
        violations.insert(0, violation(ViolationKind.TOO_MANY_CLAIMS, n_claims=len(claims), max=max_claims_per_answer))
    verified = sum(len(claim.evidence_ids) for claim in results)
    found = Findings(base_mode(verified, violations), violations)
    linked = [claim for claim in results if claim.status in LINKED]
    distribution = Counter(pointer for claim in linked for pointer in claim.pointer_ids[:max_pointers_per_claim])
    ratio = max(distribution.values()) / distribution.total() if distribution else 0.0
    lazy = _check_lazy_anchor(
        found, distribution, ratio, len(evidence.entries), lazy_anchor_demote_threshold, lazy_anchor_demote_min_pairs
    )
    rendered = render_claim_lattice(results, evidence)
    if warrant_check_enabled:
        check_warrants(found, linked, evidence, question, warrant_chain_roots)
    check_titles(found, linked, evidence)
    check_parroting(found, linked, evidence, question, subject_tokens_absent_threshold)
    if deflection_check_enabled:
        check_deflection(found, rendered, question)
    collapsed = format_collapse_check_enabled and _check_format(found, answer)
    return LatticeAudit(
        n_quotes=sum(item.pairs for item in checked),
        n_verified=verified,
        audit_mode=found.mode,
        unverified_quotes=tuple(item.claim.text for item in checked if item.listed and not item.claim.evidence_ids),
        verifier_method=Method.CLAIM_LATTICE,
        partially_verified_quotes=tuple(
            claim.text for claim in results if claim.status is ClaimState.EVIDENCE_LINKED_PARTIAL
        ),
        claim_statuses=results,
        violations=tuple(found.violations),
        rendered_text=rendered,
        evidence_id_pairs=tuple(claim.evidence_ids for claim in results),
        warrant_missing_claim_idxs=tuple(found.warrant_missing),
        warrant_proven_claim_idxs=tuple(found.warrant_proven),
        title_mismatch_claim_idxs=tuple(found.title_mismatch),
        subject_absent_claim_idxs=tuple(found.subject_absent),
        deflection_detected=found.deflected,
        pointer_id_distribution=dict(distribution),
        lazy_anchor_ratio=ratio,
        lazy_anchor_demoted=lazy,
        format_collapsed=collapsed,
    )


def base_mode(verified: int, violations: Sequence[Violation]) -> AuditMode:
    """Name the mode before the checks of the whole lattice."""
    if not verified:
        return AuditMode.UNGROUNDED
    return AuditMode.HYBRID if violations else AuditMode.STRICT


def _check_claim(
    place: int,
    located: LocatedClaim,
    evidence: EvidenceIndex,
    *,
    max_pointers: int,
    min_tokens: int,
    limits: dict[str, Any],
) -> _Checked:
    claim = located.claim
    tokens = content_tokens(claim.claim_text)
    written = claim.pointer_ids

    def refused(state: ClaimState, pairs: int, broken: Violation, *, listed: bool = True) -> _Checked:
        result = ClaimResult(place, claim.claim_text, written, (), state, (str(state),), located.start, located.end)
        return _Checked(result, pairs, (broken,), listed)

    if not written:
        broken = violation(ViolationKind.NO_EVIDENCE_POINTER, claim_idx=place, claim_text=claim.claim_text)
        return refused(ClaimState.NO_EVIDENCE_POINTER, 1, broken)
    if not claim.claim_text:
        broken = violation(ViolationKind.SCHEMA_INVALID, claim_idx=place, reason="A tag stands without a claim.")
        return refused(ClaimState.SCHEMA_INVALID, len(written), broken, listed=False)
    if len(tokens) < min_tokens:
        reason = f"The claim has {len(tokens)} content words; a bare name states nothing."
        broken = violation(ViolationKind.SCHEMA_INVALID, claim_idx=place, reason=reason)
        return refused(ClaimState.SCHEMA_INVALID, len(written), broken)
    return _follow_all(place, located, tokens, evidence, max_pointers, limits)


def _follow_all(
    place: int,
    located: LocatedClaim,
    tokens: list[str],
    evidence: EvidenceIndex,
    max_pointers: int,
    limits: dict[str, Any],
) -> _Checked:
    claim = located.claim
    kept, dropped = claim.pointer_ids[:max_pointers], claim.pointer_ids[max_pointers:]
    violations: list[Violation] = []
    if dropped:
        violations.append(
            violation(
                ViolationKind.POINTER_OVERFLOW_TRIMMED,
                claim_idx=place,
                kept=list(kept),
                dropped=list(dropped),
                max_pointers_per_claim=max_pointers,
            )
        )
    supports: list[Support] = []
    failures: list[ClaimState] = []
    for pointer_id in kept:
        outcome = follow_pointer(pointer_id, tokens, evidence, **limits)
        if isinstance(outcome, Support):
            supports.append(outcome)
            continue
        failures.append(outcome)
        details = failure_details(outcome, pointer_id, tokens, evidence, limits)
        violations.append(violation(ViolationKind(outcome), claim_idx=place, pointer_id=pointer_id, **details))
    if not failures and supports:
        state = ClaimState.EVIDENCE_LINKED
    elif supports:
        state = ClaimState.EVIDENCE_LINKED_PARTIAL
    else:
        state = next((kind for kind in _FAILURE_PRIORITY if kind in failures), ClaimState.SCHEMA_INVALID)
    result = ClaimResult(
        claim_idx=place,
        text=claim.claim_text,
        pointer_ids=claim.pointer_ids,
        evidence_ids=tuple(support.evidence_id for support in supports),
        status=state,
        reasons=tuple(sorted({str(failure) for failure in failures})),
        start=located.start,
        end=located.end,
        support=tuple(supports),
    )
    return _Checked(result, len(claim.pointer_ids), tuple(violations))


def failure_details(
    outcome: ClaimState, pointer_id: str, tokens: Sequence[str], evidence: EvidenceIndex, limits: dict[str, Any]
) -> dict[str, Any]:
    """Say more of a failed citation: its evidence, its role, and where the claim does have support."""
    details: dict[str, Any] = {}
    entry = evidence.entries.get(pointer_id)
    if entry is not None:
        details["evidence_id"] = entry.evidence_id
    if entry is not None and outcome is ClaimState.SOURCE_ROLE_BLOCKED:
        details["source_role"] = entry.source_role
    details["supported_by"] = supported_elsewhere(tokens, evidence, **limits)
    return details


def _check_lazy_anchor(
    found: Findings, distribution: Counter[str], ratio: float, n_entries: int, threshold: float, min_pairs: int
) -> bool:
    if found.mode is not AuditMode.STRICT or distribution.total() < min_pairs or ratio < threshold:
        return False
    pointer_id, count = distribution.most_common(1)[0]
    rationale = f"{count} of {distribution.total()} citations go to {pointer_id}."
    if n_entries == 1:
        rationale += " The evidence map has one entry only, so that no answer could spread its citations."
    found.add(
        ViolationKind.LAZY_ANCHOR_DEMOTE,
        ratio=round(ratio, 3),
        min_pairs=min_pairs,
        threshold=threshold,
        rationale=rationale,
    )
    return True


def _check_format(found: Findings, answer: str) -> bool:
    """Find an answer that has forgotten its tags altogether."""
    lines = sum(end - start > COLLAPSE_LINE_CHARS for start, end in line_ranges(answer))
    tags = count_tag_openings(answer)
    if lines < COLLAPSE_MIN_LINES or tags:
        return False
    found.add(
        ViolationKind.FORMAT_COLLAPSED,
        meaningful_lines=lines,
        bracket_count=tags,
        rationale=f"{lines} lines of prose carry no evidence tag at all.",
    )
    return True
