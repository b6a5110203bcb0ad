"""One door to the three audits."""

from typing import Any

from groundwire.audit.context import Context, ContextIndex
from groundwire.audit.evidence_map import EvidenceIndex, EvidenceMap, open_evidence
from groundwire.audit.lattice import verify_claim_lattice
from groundwire.audit.lattice_json import verify_claim_lattice_json
from groundwire.audit.policy import AuditPolicy
from groundwire.audit.quotes import verify_quotes
from groundwire.audit.results import JsonLatticeAudit, LatticeAudit, QuoteAudit
from groundwire.audit.semantic import add_lattice_verdicts, add_quote_verdicts
from groundwire.errors import InputError
from groundwire.nli import NLI, DivergenceScorer
from groundwire.types import Source

Audit = QuoteAudit | LatticeAudit | JsonLatticeAudit


def audit_answer(
    answer: str,
    *,
    mode: str | None = None,
    context: Context | ContextIndex | None = None,
    evidence_map: EvidenceMap | EvidenceIndex | None = None,
    question: str | None = None,
    policy: AuditPolicy | None = None,
    nli_scorer: NLI | DivergenceScorer | None = None,
    **changes: Any,
) -> Audit:
    """Audit an answer in its answer mode; `mode` and other changes go before the policy.

    An entailment scorer adds the semantic column; the lexical result stays the same.
    """
    if mode is not None:
        changes["answer_mode"] = mode
    policy = AuditPolicy.from_dict({**(policy or AuditPolicy()).to_dict(), **changes})
    mode = policy.answer_mode
    if mode == "quote":
        against = _context(context, evidence_map)
        quotes = verify_quotes(answer, against, **_quote_options(policy))
        if nli_scorer is None:
            return quotes
        # An index keeps its text in the form without markup, which is what a model should read.
        readable = against.base if isinstance(against, ContextIndex) else against
        return add_quote_verdicts(quotes, readable, nli_scorer, question)
    if evidence_map is None:
        raise InputError(
            f"The answer mode {mode!r} needs an evidence map.", fix="pass evidence_map, or use the mode 'quote'"
        )
    options: dict[str, Any] = {
        "allowed_source_roles": policy.allowed_source_roles,
        "min_citation_coverage": policy.min_citation_coverage,
        "max_claims_per_answer": policy.max_claims_per_answer,
        "subject_tokens_absent_threshold": policy.subject_tokens_absent_threshold,
        "question": question,
        "warrant_check_enabled": policy.warrant_check_enabled,
        "deflection_check_enabled": policy.deflection_check_enabled,
        "warrant_chain_roots": frozenset(policy.warrant_chain_roots),
    }
    if mode == "claim_lattice":
        limit = policy.max_pointers_per_claim
        parsed = verify_claim_lattice_json(answer, evidence_map, max_evidence_per_claim=limit, **options)
        return parsed if nli_scorer is None else add_lattice_verdicts(parsed, evidence_map, nli_scorer, question)
    lattice = verify_claim_lattice(answer, evidence_map, **pointer_options(policy), **options)
    return lattice if nli_scorer is None else add_lattice_verdicts(lattice, evidence_map, nli_scorer, question)


def pointer_options(policy: AuditPolicy) -> dict[str, Any]:
    """Take from a policy what only pointer lines know."""
    return {
        "max_pointers_per_claim": policy.max_pointers_per_claim,
        "min_claim_content_tokens": policy.min_claim_content_tokens,
        "lazy_anchor_demote_threshold": policy.lazy_anchor_demote_threshold,
        "lazy_anchor_demote_min_pairs": policy.lazy_anchor_demote_min_pairs,
        "format_collapse_check_enabled": policy.format_collapse_check_enabled,
    }


def _quote_options(policy: AuditPolicy) -> dict[str, Any]:
    return {
        "entity_policy": policy.entity_policy,
        "proximity_n": policy.proximity_n,
        "proximity_window": policy.proximity_window,
        "cover_unquoted": policy.cover_unquoted,
        "local_paraphrase": policy.local_paraphrase,
    }


def _context(
    context: Context | ContextIndex | None, evidence_map: EvidenceMap | EvidenceIndex | None
) -> Context | ContextIndex:
    if context is not None:
        return context
    if evidence_map is None:
        raise InputError("There is nothing to audit against.", fix="pass a context or an evidence map")
    entries = open_evidence(evidence_map).entries.values()
    return [Source(id=entry.pointer_id, text=entry.span, title=entry.title) for entry in entries]
