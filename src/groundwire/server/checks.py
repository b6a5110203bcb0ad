"""The jobs that check texts: verify, audit, cite, injection."""

from dataclasses import asdict, replace
from typing import Any

from groundwire.audit import (
    AuditPolicy,
    EvidenceDocument,
    audit_answer,
    build_evidence_map,
    evidence_from_dicts,
    ladder_rung,
    references_for,
    verifier_policy_hash,
    verify_citations,
)
from groundwire.injection import InjectionDetector
from groundwire.ledger import hash_json
from groundwire.server import problems
from groundwire.server.bodies import AuditBody, Body, CiteBody, InjectionBody, VerifyBody, as_sources
from groundwire.server.desk import Answer, Desk, check_lengths, dump, read_body, record_of, texts_of
from groundwire.server.problems import ProblemError
from groundwire.types import Policy, Verdict


def verify(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Check every claim of a response."""
    body = read_body(raw, VerifyBody, desk.settings)
    policy = policy_within(desk, body.policy)
    result = desk.scorer.verify(
        body.response,
        as_sources(body.source),
        body.atomic,
        body.evidence_top_k,
        question=body.question,
        policy=policy,
    )
    plain = result.to_dict()
    record = record_of(head, body, body.response, texts_of(body.source)) | {
        "approved": result.approved,
        "score": plain["overall_score"],
        "scores": {
            "coverage": plain["coverage"],
            "support_probability": plain["support_probability"],
            **{str(verdict): plain[verdict] for verdict in Verdict},
        },
        "status": plain["status"],
        "policy_hash": result.policy_hash,
        "model": plain["model"],
    }
    return Answer(200, dump(plain), record)


def audit(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Audit an answer word for word."""
    body = read_body(raw, AuditBody, desk.settings)
    if (body.source is None) == (body.evidence_map is None):
        raise ProblemError(
            problems.invalid([{"pointer": "", "detail": "Give either 'source' or 'evidence_map', and not both."}])
        )
    policy = AuditPolicy.from_dict(body.policy or {})
    policy = policy if body.mode is None else replace(policy, answer_mode=body.mode)
    entries = None if body.evidence_map is None else evidence_from_dicts([dict(item) for item in body.evidence_map])
    texts = texts_of(body.source) if body.source is not None else [entry.span for entry in entries or ()]
    check_lengths(desk.settings, body.response, texts)
    context = None if body.source is None else as_sources(body.source)
    result = audit_answer(
        body.response, context=context, evidence_map=entries, question=body.question, policy=policy, nli_scorer=desk.nli
    )
    return _audited(head, body, body.response, texts, result.to_dict(), policy, desk)


def cite(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Follow the citations of an answer."""
    body = read_body(raw, CiteBody, desk.settings)
    texts = [document.text for document in body.documents]
    check_lengths(desk.settings, body.response, texts)
    policy = AuditPolicy.from_dict(body.policy or {})
    documents = [
        EvidenceDocument(
            id=str(place) if item.id is None else item.id,
            text=item.text,
            title=item.title,
            role=item.role,
            url=item.url,
            authors=tuple(item.authors),
            year=item.year,
        )
        for place, item in enumerate(body.documents, start=1)
    ]
    evidence = build_evidence_map(documents)
    references = references_for(evidence, documents)
    result = verify_citations(body.response, evidence, references=references, question=body.question, policy=policy)
    return _audited(head, body, body.response, texts, result.to_dict(), policy, desk)


def _audited(
    head: dict[str, Any],
    body: Body,
    response: str,
    texts: list[str],
    plain: dict[str, Any],
    policy: AuditPolicy,
    desk: Desk,
) -> Answer:
    strict = plain["audit_mode"] == "STRICT"
    record = record_of(head, body, response, texts) | {
        "approved": strict,
        "score": None,
        "scores": {"n_quotes": plain["n_quotes"], "n_verified": plain["n_verified"]},
        "status": plain["audit_mode"],
        "policy_hash": verifier_policy_hash(policy),
        "model": None if desk.nli is None else asdict(desk.nli.model_info),
    }
    return Answer(200, dump({**plain, "rung": ladder_rung(plain), "strict": strict}), record)


def injection(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Look for injected instructions."""
    body = read_body(raw, InjectionBody, desk.settings)
    texts = texts_of(list(body.documents))
    check_lengths(desk.settings, body.response + body.intent + body.user_query + body.system_prompt, texts)
    detector = (
        InjectionDetector(nli_scorer=desk.nli)
        if body.threshold is None
        else InjectionDetector(body.threshold, nli_scorer=desk.nli)
    )
    documents = as_sources(list(body.documents))
    result = detector.detect(
        body.response,
        body.intent,
        user_query=body.user_query,
        system_prompt=body.system_prompt,
        documents=documents if isinstance(documents, list) else [documents],
    )
    plain = asdict(result)
    record = record_of(head, body, body.response, texts) | {
        "approved": not result.injection_detected,
        "score": round(result.combined_score, 4),
        "scores": {"injection_risk": round(result.injection_risk, 4), "rules": len(result.findings)},
        "status": "injection_detected" if result.injection_detected else "checked",
        "policy_hash": hash_json({"threshold": detector.threshold, "stage1_weight": detector.stage1_weight}),
        "model": None if desk.nli is None else asdict(desk.nli.model_info),
    }
    return Answer(200, dump(plain), record)


def policy_within(desk: Desk, given: dict[str, Any] | None) -> Policy:
    """Read the caller's policy; he may lower the limits of the service, never raise them."""
    policy = Policy.from_dict(given or {})
    return replace(
        policy,
        max_response_chars=min(policy.max_response_chars, desk.settings.max_response_chars),
        max_source_chars=min(policy.max_source_chars, desk.settings.max_source_chars),
    )
