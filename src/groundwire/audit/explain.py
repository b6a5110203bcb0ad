"""Turn an audit into what a person needs: which sentence, which rule, what to change."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from groundwire.audit.answer import Audit
from groundwire.audit.context import Context, ContextIndex, index_context
from groundwire.audit.evidence_map import EvidenceIndex, EvidenceMap, open_evidence
from groundwire.audit.ladder import ladder_rung
from groundwire.audit.outcomes import LINKED, AuditMode, Method, UnitStatus, ViolationKind
from groundwire.audit.results import ClaimResult, Piece, QuoteAudit, UnitResult
from groundwire.render.audit import AuditFinding, AuditUnit, AuditView
from groundwire.text.lexical import negation_count, numeric_signature, topical_tokens

# What the rule says and what a writer can do about it.
_ADVICE: Final[Mapping[ViolationKind, tuple[str, str]]] = {
    ViolationKind.TOO_MANY_CLAIMS: (
        "The answer makes {n_claims} claims, {max} are allowed.",
        "Keep the claims that answer the question.",
    ),
    ViolationKind.NO_EVIDENCE_POINTER: (
        "The claim cites nothing.",
        "Add the pointer of the evidence that says so, or take the claim out.",
    ),
    ViolationKind.SCHEMA_INVALID: (
        "The claim cannot be checked: {reason}",
        "Write a full sentence and cite existing pointers.",
    ),
    ViolationKind.POINTER_OVERFLOW_TRIMMED: (
        "More than {max_pointers_per_claim} pointers stand behind the claim; {dropped} were not followed.",
        "Keep the pointers that carry the claim, or split it.",
    ),
    ViolationKind.TOO_MANY_EVIDENCE_IDS: (
        "The claim cites {n_ids} pieces of evidence, {max} are allowed.",
        "Keep the ids that carry the claim, or split it.",
    ),
    ViolationKind.UNKNOWN_EVIDENCE_ID: (
        "There is no evidence {cited}.",
        "Cite a pointer that exists{elsewhere}.",
    ),
    ViolationKind.SOURCE_ROLE_BLOCKED: (
        "The evidence {cited} has the role {source_role}, which may not carry a claim.",
        "Cite an allowed source{elsewhere}, or allow the role in the policy.",
    ),
    ViolationKind.CITATION_MISMATCH: (
        "The evidence {cited} does not say this.",
        "Correct the citation{elsewhere}, or the claim.",
    ),
    ViolationKind.LAZY_ANCHOR_DEMOTE: (
        "{rationale}",
        "Cite the passage behind each claim, not one for all.",
    ),
    ViolationKind.WARRANT_MISSING: (
        "{rationale}",
        "Cite the passage that names the answer, or correct the name or date.",
    ),
    ViolationKind.TITLE_MISMATCH: (
        "The cited source is about something else: {cited_titles}.",
        "Cite a source on the subject of the claim.",
    ),
    ViolationKind.SUBJECT_TOKENS_ABSENT: (
        "The claim repeats words of the question that its evidence lacks: {absent_tokens}.",
        "Say only what the evidence says.",
    ),
    ViolationKind.DEFLECTION_DETECTED: ("{rationale}", "Answer what was asked, or say that the sources do not."),
    ViolationKind.FORMAT_COLLAPSED: ("{rationale}", "End each claim with its pointer, like [E1]."),
    ViolationKind.MANUAL_QUOTE_VIOLATION: (
        "The claim holds double quotation marks.",
        "State the claim in plain words; the evidence is shown by itself.",
    ),
}


class _Details(dict[str, Any]):
    """Fill a sentence even where an older record lacks a field."""

    def __missing__(self, key: str) -> str:
        return "?"


def explain_audit(
    result: Audit,
    answer: str,
    *,
    context: Context | ContextIndex | None = None,
    evidence_map: EvidenceMap | EvidenceIndex | None = None,
) -> AuditView:
    """Collect everything one screen shows of an audit."""
    if isinstance(result, QuoteAudit):
        index = index_context(context if context is not None else "")
        units = tuple(_free_unit(unit) for unit in result.claim_statuses)
        findings = _free_findings(result, index)
    else:
        evidence = open_evidence(evidence_map if evidence_map is not None else ())
        units = tuple(_claim_unit(claim, evidence) for claim in result.claim_statuses)
        findings = [_violation_finding(item, result.claim_statuses) for item in result.violations]
    return AuditView(
        mode=str(result.audit_mode),
        rung=ladder_rung(result),
        method=str(result.verifier_method),
        verified=result.n_verified,
        units_total=result.n_quotes,
        answer=answer,
        units=units,
        findings=tuple(findings),
        semantic=tuple((item.text, item.verdict) for item in result.semantic or ()),
    )


def _free_unit(unit: UnitResult) -> AuditUnit:
    verified = unit.status is not UnitStatus.UNSUPPORTED
    evidence = tuple(_place(pieces) for pieces in unit.occurrences[:3])
    more = unit.n_occurrences - len(evidence)
    if more > 0:
        evidence += (f"and {more} more places",)
    return AuditUnit(unit.text, f"{unit.status} ({unit.method})", verified, evidence, unit.start, unit.end)


def _place(pieces: Sequence[Piece]) -> str:
    named = (f"{piece.source_id or 'context'} {piece.start}:{piece.end}" for piece in pieces)
    return "at " + ", ".join(named)


def _free_findings(result: QuoteAudit, index: ContextIndex) -> list[AuditFinding]:
    findings = [
        AuditFinding(
            rule=_FREE_RULES[unit.method],
            sentence=unit.text,
            why=_why_absent(unit, index),
            change=_FREE_CHANGES[unit.method],
            start=unit.start,
            end=unit.end,
        )
        for unit in result.claim_statuses
        if unit.status is UnitStatus.UNSUPPORTED
    ]
    findings += [
        AuditFinding("unquoted prose", text, "Nothing in the context says this.", "Quote the source, or take it out.")
        for text in result.unquoted_unverified
    ]
    if not findings and result.audit_mode is not AuditMode.STRICT:
        findings.append(_whole_finding(result))
    return findings


_FREE_RULES: Final = {Method.QUOTE: "quotation", Method.SPAN: "sentence", Method.ENTITY: "name"}
_FREE_CHANGES: Final = {
    Method.QUOTE: "Copy the words from the source, or take the quotation marks away.",
    Method.SPAN: "Say what the context says, or take the sentence out.",
    Method.ENTITY: "Name only who or what the context names.",
}


def _whole_finding(result: QuoteAudit) -> AuditFinding:
    if result.verifier_method is Method.ENTITY:
        return AuditFinding(
            "names only",
            "",
            "The context holds these names, and no sentence of the answer.",
            "Quote or repeat what the context says of them.",
        )
    return AuditFinding(
        "nothing found",
        "",
        "No quotation, sentence or name of the answer is in the context.",
        "Answer from the context, or say that it does not answer the question.",
    )


def _why_absent(unit: UnitResult, index: ContextIndex) -> str:
    missing = sorted(numeric_signature(unit.text) - index.numbers)
    if missing and unit.method is not Method.ENTITY:
        return f"The context does not have the number {', '.join(missing)}."
    absent = [token for token in dict.fromkeys(topical_tokens(unit.text)) if not index.has(token)]
    if absent:
        return f"The context does not have: {', '.join(absent[:8])}."
    if unit.method is Method.SPAN and negation_count(unit.text) % 2:
        return "The context has the words, and not the negation."
    return "The context has the words, and not in this order."


def _claim_unit(claim: ClaimResult, evidence: EvidenceIndex) -> AuditUnit:
    lines = []
    for support in claim.support:
        entry = evidence.entries.get(support.pointer_id)
        span = entry.span[support.start : support.end] if entry is not None else ""
        title = f" ({entry.title})" if entry is not None and entry.title else ""
        lines.append(f"[{support.pointer_id}]{title} {span}")
    return AuditUnit(claim.text, str(claim.status), claim.status in LINKED, tuple(lines), claim.start, claim.end)


def _violation_finding(item: Mapping[str, Any], claims: Sequence[ClaimResult]) -> AuditFinding:
    kind = ViolationKind(item["kind"])
    why, change = _ADVICE[kind]
    values = _Details({name: _readable(value) for name, value in item.items()})
    values["cited"] = item.get("pointer_id") or item.get("evidence_id") or "?"
    others = item.get("supported_by") or []
    values["elsewhere"] = f" ({', '.join(others[:3])} would support it)" if others else ""
    place = item.get("claim_idx")
    claim = claims[place] if isinstance(place, int) and place < len(claims) else None
    return AuditFinding(
        rule=str(kind),
        sentence="" if claim is None else claim.text,
        why=why.format_map(values),
        change=change.format_map(values),
        start=None if claim is None else claim.start,
        end=None if claim is None else claim.end,
    )


def _readable(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
