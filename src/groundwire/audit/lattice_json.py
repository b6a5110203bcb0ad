"""The audit of claims that a model writes as JSON."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from groundwire.audit.checks import Findings, check_deflection, check_parroting, check_titles, check_warrants, violation
from groundwire.audit.coverage import DEFAULT_MIN_CITATION_COVERAGE, follow_pointer
from groundwire.audit.evidence_map import DEFAULT_ALLOWED_SOURCE_ROLES, EvidenceIndex, EvidenceMap, open_evidence
from groundwire.audit.lattice import (
    DEFAULT_MAX_CLAIMS_PER_ANSWER,
    DEFAULT_MAX_POINTERS_PER_CLAIM,
    DEFAULT_SUBJECT_TOKENS_ABSENT_THRESHOLD,
    base_mode,
    failure_details,
)
from groundwire.audit.outcomes import LINKED, AuditMode, ClaimState, Method, ViolationKind
from groundwire.audit.pointers import canonical_pointer
from groundwire.audit.render import render_claim_lattice
from groundwire.audit.results import ClaimResult, JsonLatticeAudit, Support, Violation
from groundwire.audit.spans import QUOTE_MARKS, require_text
from groundwire.errors import InputError
from groundwire.text.json_repair import lenient_json_parse
from groundwire.text.lexical import content_tokens

CLAIM_LATTICE_JSON_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Claim lattice",
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "minLength": 1},
                    "evidence_ids": {
                        "type": "array",
                        "items": {"type": "string", "pattern": "^E[0-9]+$"},
                        "minItems": 1,
                    },
                },
                "required": ["text", "evidence_ids"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["claims"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class _Checked:
    claim: ClaimResult
    pairs: int
    violations: tuple[Violation, ...]
    listed: bool


def verify_claim_lattice_json(
    answer_json_text: str,
    evidence_map: EvidenceMap | EvidenceIndex,
    *,
    allowed_source_roles: Collection[str] = DEFAULT_ALLOWED_SOURCE_ROLES,
    max_evidence_per_claim: int = DEFAULT_MAX_POINTERS_PER_CLAIM,
    min_citation_coverage: float = DEFAULT_MIN_CITATION_COVERAGE,
    max_claims_per_answer: int = DEFAULT_MAX_CLAIMS_PER_ANSWER,
    subject_tokens_absent_threshold: int = DEFAULT_SUBJECT_TOKENS_ABSENT_THRESHOLD,
    question: str | None = None,
    warrant_check_enabled: bool = True,
    deflection_check_enabled: bool = True,
    warrant_chain_roots: frozenset[str] = frozenset(),
) -> JsonLatticeAudit:
    """Audit an answer that is a JSON object with a list of claims."""
    require_text("answer_json_text", answer_json_text)
    evidence = open_evidence(evidence_map)
    try:
        parsed, fixups = lenient_json_parse(answer_json_text)
    except InputError as error:
        return _unreadable(error.why or error.what, [])
    if not isinstance(parsed, dict):
        return _unreadable("The top level is not an object.", fixups)
    if not isinstance(parsed.get("claims"), list):
        return _unreadable("There is no list under 'claims'.", fixups)
    items = parsed["claims"]
    limits = {"allowed_source_roles": allowed_source_roles, "min_citation_coverage": min_citation_coverage}
    places = _text_places(answer_json_text, items)
    checked = [
        _check_item(place, item, places[place], evidence, max_evidence_per_claim, limits)
        for place, item in enumerate(items)
    ]
    results = tuple(item.claim for item in checked)
    violations = [broken for item in checked for broken in item.violations]
    if len(items) > max_claims_per_answer:
        violations.insert(0, violation(ViolationKind.TOO_MANY_CLAIMS, n_claims=len(items), max=max_claims_per_answer))
    verified = sum(len(claim.evidence_ids) for claim in results)
    found = Findings(base_mode(verified, violations), violations)
    linked = [claim for claim in results if claim.status in LINKED]
    rendered = render_claim_lattice(results, evidence)
    if warrant_check_enabled:
        check_warrants(found, linked, evidence, question, warrant_chain_roots)
    check_titles(found, linked, evidence)
    check_parroting(found, linked, evidence, question, subject_tokens_absent_threshold)
    if deflection_check_enabled:
        check_deflection(found, rendered, question)
    return _audit(checked, found, verified, rendered, fixups)


def _audit(
    checked: Sequence[_Checked], found: Findings, verified: int, rendered: str, fixups: Sequence[str]
) -> JsonLatticeAudit:
    results = tuple(item.claim for item in checked)
    return JsonLatticeAudit(
        n_quotes=sum(item.pairs for item in checked),
        n_verified=verified,
        audit_mode=found.mode,
        unverified_quotes=tuple(item.claim.text for item in checked if item.listed),
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
        json_fixups=tuple(fixups),
    )


def _unreadable(reason: str, fixups: Sequence[str]) -> JsonLatticeAudit:
    found = Findings(AuditMode.UNGROUNDED, [violation(ViolationKind.SCHEMA_INVALID, reason=reason)])
    return _audit([], found, 0, "", fixups)


def _check_item(
    place: int,
    item: Any,
    where: tuple[int, int] | None,
    evidence: EvidenceIndex,
    max_ids: int,
    limits: dict[str, Any],
) -> _Checked:
    start, end = where or (None, None)
    text, ids = ("", []) if not isinstance(item, dict) else (item.get("text"), item.get("evidence_ids"))
    text, ids = "" if text is None else text, [] if ids is None else ids

    def refused(
        state: ClaimState, kind: ViolationKind, code: str, pairs: int, *, listed: bool, **details: Any
    ) -> _Checked:
        shown = text if isinstance(text, str) else ""
        pointers = tuple(map(str, ids)) if isinstance(ids, list) else ()
        claim = ClaimResult(place, shown, pointers, (), state, (code,), start, end)
        return _Checked(claim, pairs, (violation(kind, claim_idx=place, **details),), listed)

    def invalid(code: str) -> _Checked:
        kind, state = ViolationKind.SCHEMA_INVALID, ClaimState.SCHEMA_INVALID
        return refused(state, kind, code, 0, listed=False, reason=code)

    if not isinstance(item, dict):
        return invalid("not_object")
    if not isinstance(text, str) or not isinstance(ids, list):
        return invalid("bad_field_types")
    if any(mark in text for mark in QUOTE_MARKS):
        kind, state = ViolationKind.MANUAL_QUOTE_VIOLATION, ClaimState.MANUAL_QUOTE_VIOLATION
        return refused(state, kind, "double_quote_in_text", max(1, len(ids)), listed=True, claim_text=text)
    if not text.strip():
        return invalid("empty_text")
    if not ids:
        kind, state = ViolationKind.NO_EVIDENCE_POINTER, ClaimState.NO_EVIDENCE_POINTER
        return refused(state, kind, "no_evidence_ids", 1, listed=True, claim_text=text)
    return _follow_ids(place, text, ids, where, evidence, max_ids, limits)


def _follow_ids(
    place: int,
    text: str,
    ids: list[Any],
    where: tuple[int, int] | None,
    evidence: EvidenceIndex,
    max_ids: int,
    limits: dict[str, Any],
) -> _Checked:
    tokens = content_tokens(text)
    violations: list[Violation] = []
    if len(ids) > max_ids:
        violations.append(
            violation(
                ViolationKind.TOO_MANY_EVIDENCE_IDS, claim_idx=place, claim_text=text, n_ids=len(ids), max=max_ids
            )
        )
    supports: list[Support] = []
    failures: list[ClaimState] = []
    for written in ids:
        if not isinstance(written, str):
            failures.append(ClaimState.SCHEMA_INVALID)
            violations.append(violation(ViolationKind.SCHEMA_INVALID, claim_idx=place, reason="non_string_id"))
            continue
        pointer_id = written if written in evidence.entries else canonical_pointer(written)
        outcome = follow_pointer(pointer_id, tokens, evidence, **limits)
        if isinstance(outcome, Support):
            supports.append(outcome)
            continue
        failures.append(outcome)
        details = failure_details(outcome, pointer_id, tokens, evidence, limits)
        if outcome is ClaimState.UNKNOWN_EVIDENCE_ID:
            details["evidence_id"] = written
        elif outcome is ClaimState.CITATION_MISMATCH:
            details["claim_text"] = text
        violations.append(violation(ViolationKind(outcome), claim_idx=place, pointer_id=pointer_id, **details))
    if not supports:
        state = failures[0]
    else:
        state = ClaimState.EVIDENCE_LINKED_PARTIAL if failures else ClaimState.EVIDENCE_LINKED
    claim = ClaimResult(
        claim_idx=place,
        text=text,
        pointer_ids=tuple(map(str, ids)),
        evidence_ids=tuple(support.evidence_id for support in supports),
        status=state,
        reasons=tuple(str(failure) for failure in failures),
        start=None if where is None else where[0],
        end=None if where is None else where[1],
        support=tuple(supports),
    )
    return _Checked(claim, len(ids), tuple(violations), listed=not supports)


def _text_places(raw: str, items: list[Any]) -> list[tuple[int, int] | None]:
    """Find the texts of claims in the JSON they were read from, None where a repair changed them."""
    places: list[tuple[int, int] | None] = []
    after = 0
    for item in items:
        text = item.get("text") if isinstance(item, dict) else None
        spellings = [json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True)] if text else []
        found = [(raw.find(spelling, after), len(spelling)) for spelling in spellings if isinstance(text, str)]
        hits = [(place, length) for place, length in found if place >= 0]
        if hits:
            place, length = min(hits)
            places.append((place, place + length))
            after = place + length
        else:
            places.append(None)
    return places
