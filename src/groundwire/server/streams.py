"""The jobs of a stream: a worker keeps it open from its first message to its record."""

from dataclasses import dataclass, field
from typing import Any, Final

from groundwire.server import problems
from groundwire.server.bodies import FeedBody, StreamBody, as_sources
from groundwire.server.checks import policy_within
from groundwire.server.desk import Answer, Desk, dump, read_body, record_of, texts_of
from groundwire.server.problems import ProblemError
from groundwire.stream import ClaimStream
from groundwire.stream.wire import claim_event, end_event, text_event

_MOST_OPEN: Final = 256


@dataclass(slots=True)
class OpenStream:
    """A stream with what its record needs."""

    guarded: ClaimStream
    body: StreamBody
    tokens: list[str] = field(default_factory=list)
    told: int = 0


def open_stream(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Start a stream against its sources."""
    body = read_body(raw, StreamBody, desk.settings)
    if len(desk.streams) >= _MOST_OPEN:
        raise ProblemError(problems.busy())
    policy = policy_within(desk, body.policy)
    guarded = ClaimStream(
        as_sources(body.source),
        policy=policy,
        mode=body.mode,
        nli_scorer=desk.nli,
        question=body.question,
        halt=body.halt,
        min_certainty=body.min_certainty,
        # The pool ends a worker that takes too long; a thread of our own could not be ended.
        check_timeout_s=None,
        request_id=head["request_id"],
        tenant_id=head["tenant"],
    )
    guarded.begin()
    desk.streams[head["request_id"]] = OpenStream(guarded, body)
    tokens = body.tokens if body.tokens is not None else []
    return Answer(200, dump({"tokens": len(tokens)}))


def feed(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Take tokens, or the end, and return what may be shown and how the claims were judged."""
    opened = desk.streams.get(head["request_id"])
    if opened is None:
        raise ProblemError(problems.worker_died())
    body = read_body(raw, FeedBody, desk.settings)
    guarded, events = opened.guarded, []
    # A stream that was sent as a whole lies here already; the caller only says how far to go.
    given = opened.body.tokens or []
    tokens = body.tokens if body.upto is None else given[body.start : body.upto]
    for token in tokens:
        if guarded.session.halted:
            break
        opened.tokens.append(token)
        events += [text_event(text) for text in guarded.push(token)]
    if body.end and not guarded.session.halted:
        events += [text_event(text) for text in guarded.finish()]
    verdicts, rejected = guarded.verdicts, guarded.rejected
    events += [claim_event(verdict, verdict in rejected) for verdict in verdicts[opened.told :]]
    opened.told = len(verdicts)
    ended = body.end or guarded.session.halted
    if not ended:
        return Answer(200, dump({"events": events, "ended": False}))
    if guarded.session.halted:
        list(guarded.finish())
    events.append(end_event(guarded.session))
    return Answer(200, dump({"events": events, "ended": True}), _record(head, opened))


def close(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    """Forget a stream."""
    desk.streams.pop(head["request_id"], None)
    return Answer(200, b"{}")


def _record(head: dict[str, Any], opened: OpenStream) -> dict[str, Any]:
    guarded = opened.guarded
    session, result = guarded.session, guarded.result.to_dict()
    record = record_of(head, opened.body, "".join(opened.tokens), texts_of(opened.body.source))
    if "texts" in record and opened.body.tokens is None:
        record["texts"] = record["texts"] | {"tokens": list(opened.tokens)}
    return record | {
        "approved": not session.halted and not guarded.rejected,
        "score": result["overall_score"],
        "scores": {"claims": len(result["claims"]), "rejected": len(guarded.rejected)},
        "status": f"halted: {session.halt_reason}" if session.halted else "complete",
        "policy_hash": result["policy_hash"],
        "model": result["model"],
    }
