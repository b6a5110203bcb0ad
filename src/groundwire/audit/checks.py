"""The rules that look at a whole lattice after its pointers were followed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from groundwire.audit.deflection import deflection
from groundwire.audit.evidence_map import EvidenceIndex
from groundwire.audit.outcomes import VIOLATION_TEXT_CHARS, AuditMode, ViolationKind, capped
from groundwire.audit.results import ClaimResult, Violation
from groundwire.audit.warrant import missing_anchors, relation_of
from groundwire.text.lexical import content_tokens, singular
from groundwire.types import EvidenceObject


@dataclass(slots=True)
class Findings:
    """What the checks have found so far; each check adds to it in the contract's order."""

    mode: AuditMode
    violations: list[Violation] = field(default_factory=list)
    warrant_missing: list[int] = field(default_factory=list)
    warrant_proven: list[int] = field(default_factory=list)
    title_mismatch: list[int] = field(default_factory=list)
    subject_absent: list[int] = field(default_factory=list)
    deflected: bool = False

    def add(self, kind: ViolationKind, **details: Any) -> None:
        """Record a violation that forbids STRICT."""
        self.violations.append(violation(kind, **details))
        self.mode = capped(self.mode)


def violation(kind: ViolationKind, **details: Any) -> Violation:
    """Make a violation record with text cut to its limit."""
    if "claim_text" in details:
        details["claim_text"] = details["claim_text"][:VIOLATION_TEXT_CHARS]
    return {"kind": str(kind), **details}


def check_warrants(
    found: Findings, linked: Sequence[ClaimResult], evidence: EvidenceIndex, question: str | None, roots: frozenset[str]
) -> None:
    """Find claims whose cited spans lack the name or date that the question asks for."""
    relation = relation_of(question)
    if relation is None:
        return
    for claim in linked:
        cited = cited_evidence(claim, evidence)
        missing = missing_anchors(claim.text, [entry.span for entry in cited], relation)
        if not missing:
            continue
        if any(entry.source_root in roots for entry in cited):
            found.warrant_proven.append(claim.claim_idx)
            continue
        found.warrant_missing.append(claim.claim_idx)
        found.add(
            ViolationKind.WARRANT_MISSING,
            claim_idx=claim.claim_idx,
            missing_anchors=missing,
            rationale=f"No cited span names {', '.join(missing)}.",
        )


def check_titles(found: Findings, linked: Sequence[ClaimResult], evidence: EvidenceIndex) -> None:
    """Find claims that share no word with the titles they cite."""
    for claim in linked:
        titles = [entry.title for entry in cited_evidence(claim, evidence)]
        words = {singular(token) for token in content_tokens(claim.text)}
        if not words or any(_title_fits(title, words) for title in titles):
            continue
        found.title_mismatch.append(claim.claim_idx)
        found.add(
            ViolationKind.TITLE_MISMATCH,
            claim_idx=claim.claim_idx,
            claim_text=claim.text,
            cited_titles=titles,
            rationale="The claim shares no word with the titles of the sources it cites.",
        )
    if linked and len(found.title_mismatch) == len(linked):
        found.mode = AuditMode.UNGROUNDED


def _title_fits(title: str, words: set[str]) -> bool:
    tokens = {singular(token) for token in content_tokens(title)}
    return not tokens or not tokens.isdisjoint(words)


def check_parroting(
    found: Findings, linked: Sequence[ClaimResult], evidence: EvidenceIndex, question: str | None, threshold: int
) -> None:
    """Find claims that repeat words of the question that no cited span has."""
    if question is None or threshold <= 0:
        return
    asked = set(content_tokens(question))
    for claim in linked:
        spans = [evidence.span(support.pointer_id).words for support in claim.support]
        shared = [token for token in content_tokens(claim.text) if token in asked]
        absent = sorted(token for token in shared if not any(words.has(token) for words in spans))
        if len(absent) < threshold:
            continue
        found.subject_absent.append(claim.claim_idx)
        found.add(
            ViolationKind.SUBJECT_TOKENS_ABSENT,
            claim_idx=claim.claim_idx,
            claim_text=claim.text,
            absent_tokens=absent,
            rationale="The claim repeats words of the question that its evidence does not have.",
        )


def check_deflection(found: Findings, rendered: str, question: str | None) -> None:
    """Find an answer that leaves out what was asked."""
    if question is None or not rendered:
        return
    seen = deflection(question, rendered)
    if seen.kind != "deflection":
        return
    found.deflected = True
    found.add(
        ViolationKind.DEFLECTION_DETECTED,
        subject_anchor=seen.subject_anchor,
        overlap_ratio=seen.overlap_ratio,
        rationale=f"The question asks about {seen.subject_anchor!r}, and the answer never mentions it.",
    )


def cited_evidence(claim: ClaimResult, evidence: EvidenceIndex) -> list[EvidenceObject]:
    """List the evidence a claim verifiably cites, through its pointers."""
    return [evidence.entries[support.pointer_id] for support in claim.support]
