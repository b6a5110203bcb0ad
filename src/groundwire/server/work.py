"""What a worker process does: read a body, check it, decide, and say what belongs into the record."""

import json
import signal
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from groundwire import __version__
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
from groundwire.errors import GroundwireError, InputError
from groundwire.injection import InjectionDetector
from groundwire.ledger import hash_json, hash_text
from groundwire.nli import NLIScorer
from groundwire.server import problems
from groundwire.server.bodies import AuditBody, Body, CiteBody, InjectionBody, SourceItem, VerifyBody, as_sources
from groundwire.server.problems import Problem, ProblemError
from groundwire.server.settings import Settings
from groundwire.types import Policy, Source, Verdict
from groundwire.verify import VerifiedScorer

B = TypeVar("B", bound=Body)
_SOURCE: Final = "The warranty lasts 24 months."
_PROBES: Final = {"The warranty lasts 24 months.": "supported", "The warranty lasts 36 months.": "contradicted"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back to the caller, and what is recorded of it; None records nothing."""

    status: int
    body: bytes
    record: dict[str, Any] | None = None
    headers: Mapping[str, str] | None = None


class Desk:
    """What a worker keeps between two requests."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.nli = NLIScorer(model_path=settings.model_path or None, strict=True) if settings.model else None
        self.scorer = VerifiedScorer(self.nli)

    def probe(self) -> None:
        """Refuse to work when a right or a wrong example is judged wrongly."""
        for response, expected in _PROBES.items():
            found = [claim.verdict for claim in self.scorer.verify(response, _SOURCE).claims]
            if found != [expected]:
                raise InputError(f"An example is judged {found}, not {expected}.", fix="run 'groundwire doctor'")


def run_worker(connection: Connection, settings: Settings) -> None:
    """Answer jobs from a pipe until it closes."""
    # Ctrl-C reaches the whole group; the parent decides when a worker ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        desk = Desk(settings)
        desk.probe()
    except GroundwireError as error:
        connection.send_bytes(json.dumps({"failed": str(error)}).encode())
        return
    connection.send_bytes(b"{}")
    while True:
        try:
            head, body = json.loads(connection.recv_bytes()), connection.recv_bytes()
        except (EOFError, OSError):
            return
        answer = answer_job(desk, head, body)
        head = {"status": answer.status, "record": answer.record, "headers": dict(answer.headers or {})}
        try:
            connection.send_bytes(json.dumps(head).encode())
            connection.send_bytes(answer.body)
        except OSError:
            return


def answer_job(desk: Desk, head: dict[str, Any], body: bytes) -> Answer:
    """Do one job; every failure is an answer."""
    try:
        return JOBS[head["job"]](desk, head, body)
    except ProblemError as error:
        return problem_answer(error.problem, head["request_id"])
    except GroundwireError as error:
        return problem_answer(problems.from_error(error), head["request_id"])
    except Exception as error:  # the edge: a fault of ours must not end the worker, nor tell its inside
        answer = problem_answer(problems.broken(), head["request_id"])
        return replace(answer, headers={"X-Fault": where(error)})


def problem_answer(problem: Problem, request_id: str) -> Answer:
    """Turn a problem into an answer."""
    return Answer(problem.status, dump(problem.document(request_id)), headers=problem.headers())


def where(error: BaseException) -> str:
    """Name an error by type and place, never by its message, which may hold a caller's text."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno}" if frames else "?"
    return f"{type(error).__name__} at {place}"


def dump(value: Any) -> bytes:
    """Write JSON in ASCII: unpaired surrogates survive, and no reader is driven by the text."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")


def read_body(body: bytes, model: type[B], settings: Settings) -> B:
    """Read a body as one strict model, or say which field does not fit."""
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_no_twins, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise ProblemError(problems.malformed(f"Byte {error.start} is not UTF-8.")) from error
    except RecursionError as error:
        raise ProblemError(_too_deep(settings.max_depth)) from error
    except json.JSONDecodeError as error:
        raise ProblemError(problems.malformed(f"{error.msg} at character {error.pos}.")) from error
    except ValueError as error:
        raise ProblemError(problems.malformed("A number or a key of the body cannot be read.")) from error
    if not isinstance(value, dict):
        raise ProblemError(problems.malformed("The body is no object."))
    _check_shape(value, settings)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        listed = [
            {"pointer": "".join(f"/{step}" for step in item["loc"]), "detail": item["msg"]}
            for item in error.errors(include_url=False, include_context=False, include_input=False)[:20]
        ]
        raise ProblemError(problems.invalid(listed)) from error


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        # Two readers may take two different ones; neither may be ours.
        raise ProblemError(problems.malformed("A name stands twice in one object."))
    return made


def _no_constant(name: str) -> Any:
    raise ProblemError(problems.malformed(f"{name} is no JSON number."))


def _check_shape(value: Any, settings: Settings) -> None:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > settings.max_depth:
            raise ProblemError(_too_deep(settings.max_depth))
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict | list):
                if len(item) > settings.max_items:
                    raise ProblemError(
                        problems.malformed(f"A list or object has more than {settings.max_items} items.")
                    )
                below.extend(item.values() if isinstance(item, dict) else item)
        level = [item for item in below if isinstance(item, dict | list)]


def _too_deep(limit: int) -> Problem:
    return problems.malformed(f"The body is nested deeper than {limit} levels.", "send a flatter object")


def _verify(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    body = read_body(raw, VerifyBody, desk.settings)
    policy = Policy.from_dict(body.policy or {})
    # A caller may lower the limits of the service, never raise them.
    policy = replace(
        policy,
        max_response_chars=min(policy.max_response_chars, desk.settings.max_response_chars),
        max_source_chars=min(policy.max_source_chars, desk.settings.max_source_chars),
    )
    result = desk.scorer.verify(
        body.response,
        as_sources(body.source),
        body.atomic,
        body.evidence_top_k,
        question=body.question,
        policy=policy,
    )
    plain = result.to_dict()
    record = _record(head, body, body.response, _texts(body.source)) | {
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


def _audit(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    body = read_body(raw, AuditBody, desk.settings)
    if (body.source is None) == (body.evidence_map is None):
        raise ProblemError(
            problems.invalid([{"pointer": "", "detail": "Give either 'source' or 'evidence_map', and not both."}])
        )
    policy = AuditPolicy.from_dict(body.policy or {})
    policy = policy if body.mode is None else replace(policy, answer_mode=body.mode)
    entries = None if body.evidence_map is None else evidence_from_dicts([dict(item) for item in body.evidence_map])
    texts = _texts(body.source) if body.source is not None else [entry.span for entry in entries or ()]
    _within(desk.settings, body.response, texts)
    context = None if body.source is None else as_sources(body.source)
    result = audit_answer(
        body.response, context=context, evidence_map=entries, question=body.question, policy=policy, nli_scorer=desk.nli
    )
    return _audited(head, body, body.response, texts, result.to_dict(), policy, desk)


def _cite(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    body = read_body(raw, CiteBody, desk.settings)
    texts = [document.text for document in body.documents]
    _within(desk.settings, body.response, texts)
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
    record = _record(head, body, response, texts) | {
        "approved": strict,
        "score": None,
        "scores": {"n_quotes": plain["n_quotes"], "n_verified": plain["n_verified"]},
        "status": plain["audit_mode"],
        "policy_hash": verifier_policy_hash(policy),
        "model": None if desk.nli is None else asdict(desk.nli.model_info),
    }
    return Answer(200, dump({**plain, "rung": ladder_rung(plain), "strict": strict}), record)


def _injection(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    body = read_body(raw, InjectionBody, desk.settings)
    texts = _texts(list(body.documents))
    _within(desk.settings, body.response + body.intent + body.user_query + body.system_prompt, texts)
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
    record = _record(head, body, body.response, texts) | {
        "approved": not result.injection_detected,
        "score": round(result.combined_score, 4),
        "scores": {"injection_risk": round(result.injection_risk, 4), "rules": len(result.findings)},
        "status": "injection_detected" if result.injection_detected else "checked",
        "policy_hash": hash_json({"threshold": detector.threshold, "stage1_weight": detector.stage1_weight}),
        "model": None if desk.nli is None else asdict(desk.nli.model_info),
    }
    return Answer(200, dump(plain), record)


def _probe(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    desk.probe()
    return Answer(200, b"{}")


JOBS: Final[dict[str, Callable[[Desk, dict[str, Any], bytes], Answer]]] = {
    "verify": _verify,
    "audit": _audit,
    "cite": _cite,
    "injection": _injection,
    "probe": _probe,
}


def _texts(given: SourceItem | list[SourceItem]) -> list[str]:
    found = as_sources(given)
    return [item.text if isinstance(item, Source) else item for item in (found if isinstance(found, list) else [found])]


def _within(settings: Settings, response: str, texts: list[str]) -> None:
    # Unlike verify these routes do not say of a cut text that it was cut, so nothing is cut.
    for name, size, limit in (
        ("response", len(response), settings.max_response_chars),
        ("sources", sum(map(len, texts)), settings.max_source_chars),
    ):
        if size > limit:
            raise ProblemError(
                Problem(
                    413,
                    "text-too-long",
                    "A text is too long",
                    f"The {name} together have {size} characters; the limit is {limit}.",
                    "send the part that matters",
                )
            )


def _record(head: dict[str, Any], body: Body, response: str, texts: list[str]) -> dict[str, Any]:
    kept = {"texts": body.model_dump(mode="json")} if head.get("keep_text") else {}
    return {
        "version": __version__,
        "response_hash": hash_text(response),
        "source_hashes": [hash_text(text) for text in texts],
        **kept,
    }
