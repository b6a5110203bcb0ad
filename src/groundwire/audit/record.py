"""The record of a run: content-hashed nodes, their edges and one root."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from groundwire.audit.policy import AuditPolicy, governance_policy_hash, verifier_policy_hash
from groundwire.audit.results import AuditResult
from groundwire.ledger import hash_json, hash_text
from groundwire.types import EvidenceObject, Source

_EDGES: Final = (
    ("question", "raw_answer"),
    ("evidence_map", "raw_answer"),
    ("raw_answer", "claim_lattice"),
    ("evidence_map", "claim_lattice"),
    ("claim_lattice", "verify_payload"),
    ("verifier_policy", "verify_payload"),
    ("governance_policy", "raw_answer"),
)
# What is kept of a result. Display numbers, offsets and pointer numbers stay out,
# so that equal runs have equal roots however their evidence was numbered.
_PAYLOAD_KEYS: Final = (
    "n_quotes",
    "n_verified",
    "audit_mode",
    "unverified_quotes",
    "partially_verified_quotes",
    "verifier_method",
    "unquoted_unverified",
    "evidence_id_pairs",
    "warrant_missing_claim_idxs",
    "warrant_proven_claim_idxs",
    "title_mismatch_claim_idxs",
    "subject_absent_claim_idxs",
    "deflection_detected",
    "format_collapsed",
    "lazy_anchor_demoted",
    "json_fixups",
)
_VIOLATION_TEXT: Final = ("rationale", "ratio", "overlap_ratio", "supported_by", "reason")
_POINTER_WORD = re.compile(r"(?<![\w])E\d{1,18}(?![\w])")


@dataclass(frozen=True, slots=True)
class RunDag:
    """The hashes of a run's parts, what was made from what, and the root over both."""

    nodes: Mapping[str, str]
    edges: tuple[tuple[str, str], ...]
    root: str


@dataclass(frozen=True, slots=True)
class Run:
    """Everything a run needs to be audited again without a language model."""

    mode: str
    question: str | None
    answer: str
    context: tuple[Source, ...]
    evidence_map: tuple[EvidenceObject, ...]
    policy: AuditPolicy
    # The object just made, or the dictionary it was stored as.
    result: Mapping[str, Any]


def run_dag(run: Run) -> RunDag:
    """Hash a run's parts and fold them into one root."""
    evidence_ids = {entry.pointer_id: entry.evidence_id for entry in run.evidence_map}
    result = run.result.to_dict() if isinstance(run.result, AuditResult) else run.result
    nodes = {
        "question": hash_json(run.question),
        "evidence_map": _hash_evidence(run.context, run.evidence_map),
        "raw_answer": hash_text(_with_evidence_ids(run.answer, evidence_ids)),
        "claim_lattice": hash_json([_claim(status) for status in result["claim_statuses"]]),
        "verify_payload": hash_json(_payload(result, evidence_ids)),
        "verifier_policy": verifier_policy_hash(run.policy),
        "governance_policy": governance_policy_hash(run.policy),
    }
    root = hash_json({"nodes": nodes, "edges": sorted(list(edge) for edge in _EDGES)})
    return RunDag(nodes, _EDGES, root)


def run_dag_root(run: Run) -> str:
    """Return the one hash that names a run."""
    return run_dag(run).root


def cache_key(run: Run) -> str:
    """Name what decides a result: answer, question, evidence ids and policy hashes."""
    evidence_ids = {entry.pointer_id: entry.evidence_id for entry in run.evidence_map}
    return hash_json(
        {
            "mode": run.mode,
            "question": run.question,
            "answer": _with_evidence_ids(run.answer, evidence_ids),
            "evidence": _hash_evidence(run.context, run.evidence_map),
            "verifier_policy": verifier_policy_hash(run.policy),
            "governance_policy": governance_policy_hash(run.policy),
        }
    )


def _hash_evidence(context: Sequence[Source], evidence_map: Sequence[EvidenceObject]) -> str:
    entries = sorted(
        [entry.evidence_id, entry.source_root, entry.source_role, entry.title, hash_text(entry.span)]
        for entry in evidence_map
    )
    return hash_json({"evidence": entries, "context": [hash_text(source.text) for source in context]})


def _with_evidence_ids(answer: str, evidence_ids: Mapping[str, str]) -> str:
    return _POINTER_WORD.sub(lambda match: evidence_ids.get(match.group(), match.group()), answer)


def _claim(status: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("text", "status", "method", "reasons", "evidence_ids")
    return {name: status[name] for name in kept if name in status}


def _payload(result: Mapping[str, Any], evidence_ids: Mapping[str, str]) -> dict[str, Any]:
    payload = {name: result[name] for name in _PAYLOAD_KEYS if name in result}
    payload["violations"] = [_violation(item, evidence_ids) for item in result.get("violations", ())]
    return payload


def _violation(item: Mapping[str, Any], evidence_ids: Mapping[str, str]) -> dict[str, Any]:
    kept = {name: value for name, value in item.items() if name not in _VIOLATION_TEXT}
    for name in ("pointer_id", "kept", "dropped"):
        value = kept.pop(name, None)
        if isinstance(value, str):
            kept[f"cited_{name}"] = evidence_ids.get(value, value)
        elif isinstance(value, list):
            kept[f"cited_{name}"] = [evidence_ids.get(pointer, pointer) for pointer in value]
    return kept
