"""The jobs over a tenant's knowledge: documents, search, and reviews against them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from groundwire import __version__
from groundwire.coherence import CoherenceScorer
from groundwire.errors import InputError, IntegrityError
from groundwire.injection import InjectionDetector
from groundwire.ledger import hash_json, hash_text
from groundwire.retrieval import GroundTruthStore, SQLiteBackend, VectorGroundTruthStore
from groundwire.retrieval.base import Metadata
from groundwire.retrieval.chunks import CHUNK_OVERLAP, CHUNK_SIZE, Chunk, cut_chunks
from groundwire.server import problems
from groundwire.server.bodies import BatchBody, DocumentTextBody, ReviewBody, ReviewOptions, SearchBody
from groundwire.server.checks import policy_within
from groundwire.server.database import make_folder
from groundwire.server.desk import Answer, Desk, check_lengths, dump, read_body, record_of
from groundwire.server.problems import Problem, ProblemError

FOLDER: Final = "knowledge"
_MOST_OPEN: Final = 16
_LONGEST_NAME: Final = 200
_FULL = Problem(
    507,
    "knowledge-full",
    "The knowledge of the tenant is full",
    "The limit of documents is reached.",
    "remove some first",
)


def list_documents(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """List the documents of the tenant."""
    store = _store(desk, head, create=False)
    if store is None:
        return Answer(200, dump({"revision": 0, "documents": []}))
    listed = [entry._asdict() for entry in store.sources()]
    return Answer(200, dump({"revision": store.revision, "documents": listed}))


def get_document(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Return one document as it was given."""
    name = _name(head)
    store = _store(desk, head, create=False)
    text = None if store is None else store.source_text(name)
    if text is None:
        raise ProblemError(problems.not_found())
    return Answer(200, dump({"name": name, "text": text}))


def put_document(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Keep a document in place of the one of that name."""
    name = _name(head)
    body = read_body(raw, DocumentTextBody, desk.settings)
    check_lengths(desk.settings, "", [body.text])
    store = _store(desk, head, create=True)
    assert store is not None  # noqa: S101 - made above
    known, content = store.source_hash(name), hash_text(body.text)
    if known is None and len(store.sources()) >= desk.settings.max_documents:
        raise ProblemError(_FULL)
    chunks: list[tuple[Chunk, Metadata]] = [(chunk, {}) for chunk in cut_chunks(body.text, CHUNK_SIZE, CHUNK_OVERLAP)]
    outcome = "added" if known is None else "unchanged" if known == content else "replaced"
    if outcome != "unchanged":
        store.put_source(name, body.text, chunks, content_hash=content)
    record = record_of(head, body, "", [body.text]) | _change(name, outcome)
    return Answer(200, dump({"name": name, "outcome": outcome, "passages": len(chunks)}), record)


def delete_document(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Remove one document."""
    name = _name(head)
    store = _store(desk, head, create=False)
    if store is None or not store.remove_source(name):
        raise ProblemError(problems.not_found())
    record = {"version": __version__, "response_hash": hash_text(""), "source_hashes": []} | _change(name, "removed")
    return Answer(200, dump({"name": name, "outcome": "removed"}), record)


def search(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Find the passages nearest to a query."""
    body = read_body(raw, SearchBody, desk.settings)
    check_lengths(desk.settings, body.query, [])
    store = _store(desk, head, create=False)
    hits = [] if store is None else store.query(body.query, body.top_k)
    found = [
        {
            "document": hit["metadata"].get("source", ""),
            "start": hit["metadata"].get("start", -1),
            "end": hit["metadata"].get("end", -1),
            "text": hit["text"],
            "distance": hit["distance"],
        }
        for hit in hits
    ]
    return Answer(200, dump({"hits": found}))


def review(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Score one answer against its prompt and the tenant's knowledge."""
    body = read_body(raw, ReviewBody, desk.settings)
    check_lengths(desk.settings, body.prompt + body.response, list(body.facts or ()))
    with _scorer(desk, head, body) as scorer:
        approved, score = scorer.review(body.prompt, body.response)
    record = record_of(head, body, body.response, list(body.facts or ())) | {
        "approved": approved,
        "score": round(score.score, 4),
        "scores": {"h_logical": round(score.h_logical, 4), "h_factual": round(score.h_factual, 4)},
        "status": "checked",
        "policy_hash": _configuration(desk, body),
        "model": _model(desk),
    }
    return Answer(200, dump({**asdict(score), **_named(desk, body)}), record)


def review_batch(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Score many answers in one go; the record holds every decision."""
    body = read_body(raw, BatchBody, desk.settings)
    check_lengths(desk.settings, "", [item.prompt + item.response for item in body.items])
    with _scorer(desk, head, body) as scorer:
        results = scorer.review_batch([(item.prompt, item.response) for item in body.items])
    responses = [item.response for item in body.items]
    record = record_of(head, body, "", list(body.facts or ())) | {
        "response_hash": hash_json([hash_text(response) for response in responses]),
        "approved": all(approved for approved, _ in results),
        "score": round(min((score.score for _, score in results), default=0.0), 4),
        "scores": {"items": len(results), "approved": sum(approved for approved, _ in results)},
        "items": [
            {"approved": approved, "score": round(score.score, 4), "response_hash": hash_text(response)}
            for (approved, score), response in zip(results, responses, strict=True)
        ],
        "status": "checked",
        "policy_hash": _configuration(desk, body),
        "model": _model(desk),
    }
    return Answer(200, dump({"results": [asdict(score) for _, score in results], **_named(desk, body)}), record)


@contextmanager
def _scorer(desk: Desk, head: dict[str, Any], body: ReviewOptions) -> Iterator[CoherenceScorer]:
    facts: GroundTruthStore | None = None
    if body.facts is not None:
        if any(not text.strip() for text in body.facts):
            raise InputError("A fact is empty.", fix="give every fact a sentence")
        facts = GroundTruthStore()
        facts.add_many({f"fact {number}": text for number, text in enumerate(body.facts, start=1)})
    elif (kept := _store(desk, head, create=False)) is not None:
        # Strict: a review must not pass because the knowledge could not be read.
        facts = VectorGroundTruthStore(kept, strict=True)
    yield CoherenceScorer.from_preset(
        body.preset,
        threshold=body.threshold,
        ground_truth_store=facts,
        nli_scorer=desk.nli,
        injection_detector=InjectionDetector() if body.scan else None,
        policy=policy_within(desk, body.policy),
        top_k=body.top_k,
        parallel=False,  # a worker has one core
    )


def _store(desk: Desk, head: dict[str, Any], *, create: bool) -> SQLiteBackend | None:
    # A file for each tenant: no query, however it is written, can reach another one's knowledge.
    name = hash_text(head["tenant"])[:32]
    path = Path(desk.settings.data) / FOLDER / f"{name}.db"
    if not path.is_file():
        closed = desk.stores.pop(name, None)
        if closed is not None:
            closed.close()
        if not create:
            return None
        make_folder(path.parent)
    if name not in desk.stores:
        try:
            desk.stores[name] = SQLiteBackend(path)
        except InputError as error:
            # Its message names a path of ours.
            raise IntegrityError("The knowledge of the tenant cannot be opened.") from error
        if len(desk.stores) > _MOST_OPEN:
            desk.stores.popitem(last=False)[1].close()
    desk.stores.move_to_end(name)
    return desk.stores[name]


def _name(head: dict[str, Any]) -> str:
    name = str(head["params"]["name"])
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InputError("The name of the document cannot be used.", fix="use 1 to 200 printable characters")
    return name


def _change(name: str, outcome: str) -> dict[str, Any]:
    return {
        "approved": True,
        "score": None,
        "scores": {},
        "document_hash": hash_text(name),
        "status": outcome,
        "policy_hash": "",
        "model": None,
    }


def _configuration(desk: Desk, body: ReviewOptions) -> str:
    policy = policy_within(desk, body.policy).hash
    return hash_json([policy, body.preset, body.threshold, body.top_k, body.scan])


def _named(desk: Desk, body: ReviewOptions) -> dict[str, Any]:
    return {"threshold": body.threshold, "preset": body.preset, "model": _model(desk)}


def _model(desk: Desk) -> dict[str, Any] | None:
    return None if desk.nli is None else asdict(desk.nli.model_info)
