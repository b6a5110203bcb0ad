"""Is what an answer quotes, repeats or cites really in its sources?"""

from groundwire.audit.answer import audit_answer
from groundwire.audit.citations import Reference, references_for, verify_citations
from groundwire.audit.context import ContextIndex, index_context
from groundwire.audit.coverage import DEFAULT_MIN_CITATION_COVERAGE
from groundwire.audit.deflection import diagnose_deflection
from groundwire.audit.emergent import Emergent, mine_emergent
from groundwire.audit.entities import (
    DEFAULT_ENTITY_POLICY,
    DEFAULT_PROXIMITY_N,
    DEFAULT_PROXIMITY_WINDOW,
    ENTITY_POLICIES,
    extract_proper_nouns,
)
from groundwire.audit.evidence_map import (
    DEFAULT_ALLOWED_SOURCE_ROLES,
    EvidenceDocument,
    EvidenceIndex,
    build_evidence_map,
    evidence_from_dicts,
    evidence_map_by_evidence_id,
    evidence_map_by_pointer_id,
    index_evidence,
    locate_evidence,
)
from groundwire.audit.ladder import Rung, ladder_rung
from groundwire.audit.lattice import (
    DEFAULT_LAZY_ANCHOR_DEMOTE_MIN_PAIRS,
    DEFAULT_LAZY_ANCHOR_DEMOTE_THRESHOLD,
    DEFAULT_MAX_CLAIMS_PER_ANSWER,
    DEFAULT_MAX_POINTERS_PER_CLAIM,
    DEFAULT_MIN_CLAIM_CONTENT_TOKENS,
    DEFAULT_SUBJECT_TOKENS_ABSENT_THRESHOLD,
    verify_claim_lattice,
)
from groundwire.audit.lattice_json import CLAIM_LATTICE_JSON_SCHEMA, verify_claim_lattice_json
from groundwire.audit.outcomes import (
    ANSWER_MODES,
    DEFAULT_ANSWER_MODE,
    AuditMode,
    ClaimState,
    Method,
    UnitStatus,
    ViolationKind,
)
from groundwire.audit.paraphrase import DEFAULT_PARAPHRASE_COVERAGE, DEFAULT_PARAPHRASE_MIN_TOKENS
from groundwire.audit.pointers import parse_pointer_claims
from groundwire.audit.policy import AuditPolicy, governance_policy_hash, verifier_policy_hash
from groundwire.audit.prompting import prompt_template, render_prompt
from groundwire.audit.quotes import verify_quotes
from groundwire.audit.record import Run, RunDag, run_dag, run_dag_root
from groundwire.audit.render import render_claim_lattice
from groundwire.audit.replay import Replay, audit_run, replay
from groundwire.audit.results import AuditResult, JsonLatticeAudit, LatticeAudit, QuoteAudit
from groundwire.audit.spans import MIN_QUOTE_CHARS, MIN_SPAN_CHARS, extract_claim_spans, extract_quotes
from groundwire.audit.store import RunStore, StoredRun
from groundwire.audit.warrant import warrant_check
from groundwire.text.json_repair import lenient_json_parse, repair_truncated_json
from groundwire.text.lexical import (
    content_tokens,
    is_framing,
    is_prose_span,
    is_single_sentence,
    numeric_signature,
    strip_trailing_citation,
)
from groundwire.types import EvidenceObject

__all__ = [
    "ANSWER_MODES",
    "CLAIM_LATTICE_JSON_SCHEMA",
    "DEFAULT_ALLOWED_SOURCE_ROLES",
    "DEFAULT_ANSWER_MODE",
    "DEFAULT_ENTITY_POLICY",
    "DEFAULT_LAZY_ANCHOR_DEMOTE_MIN_PAIRS",
    "DEFAULT_LAZY_ANCHOR_DEMOTE_THRESHOLD",
    "DEFAULT_MAX_CLAIMS_PER_ANSWER",
    "DEFAULT_MAX_POINTERS_PER_CLAIM",
    "DEFAULT_MIN_CITATION_COVERAGE",
    "DEFAULT_MIN_CLAIM_CONTENT_TOKENS",
    "DEFAULT_PARAPHRASE_COVERAGE",
    "DEFAULT_PARAPHRASE_MIN_TOKENS",
    "DEFAULT_PROXIMITY_N",
    "DEFAULT_PROXIMITY_WINDOW",
    "DEFAULT_SUBJECT_TOKENS_ABSENT_THRESHOLD",
    "ENTITY_POLICIES",
    "MIN_QUOTE_CHARS",
    "MIN_SPAN_CHARS",
    "AuditMode",
    "AuditPolicy",
    "AuditResult",
    "ClaimState",
    "ContextIndex",
    "Emergent",
    "EvidenceDocument",
    "EvidenceIndex",
    "EvidenceObject",
    "JsonLatticeAudit",
    "LatticeAudit",
    "Method",
    "QuoteAudit",
    "Reference",
    "Replay",
    "Run",
    "RunDag",
    "RunStore",
    "Rung",
    "StoredRun",
    "UnitStatus",
    "ViolationKind",
    "audit_answer",
    "audit_run",
    "build_evidence_map",
    "content_tokens",
    "diagnose_deflection",
    "evidence_from_dicts",
    "evidence_map_by_evidence_id",
    "evidence_map_by_pointer_id",
    "extract_claim_spans",
    "extract_proper_nouns",
    "extract_quotes",
    "governance_policy_hash",
    "index_context",
    "index_evidence",
    "is_framing",
    "is_prose_span",
    "is_single_sentence",
    "ladder_rung",
    "lenient_json_parse",
    "locate_evidence",
    "mine_emergent",
    "numeric_signature",
    "parse_pointer_claims",
    "prompt_template",
    "references_for",
    "render_claim_lattice",
    "render_prompt",
    "repair_truncated_json",
    "replay",
    "run_dag",
    "run_dag_root",
    "strip_trailing_citation",
    "verifier_policy_hash",
    "verify_citations",
    "verify_claim_lattice",
    "verify_claim_lattice_json",
    "verify_quotes",
    "warrant_check",
]
