"""A worker process: jobs come in through a pipe, answers go out."""

import json
import signal
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, Final

from groundwire.errors import GroundwireError
from groundwire.server import checks, jobs, knowledge, problems, streams
from groundwire.server.desk import Answer, Desk, dump, where
from groundwire.server.problems import Problem, ProblemError
from groundwire.server.settings import Settings


def _probe(desk: Desk, head: dict[str, Any], raw: bytes) -> Answer:
    desk.probe()
    return Answer(200, b"{}")


JOBS: Final[dict[str, Callable[[Desk, dict[str, Any], bytes], Answer]]] = {
    "verify": checks.verify,
    "audit": checks.audit,
    "cite": checks.cite,
    "injection": checks.injection,
    "review": knowledge.review,
    "review_batch": knowledge.review_batch,
    "knowledge_list": knowledge.list_documents,
    "knowledge_get": knowledge.get_document,
    "knowledge_put": knowledge.put_document,
    "knowledge_delete": knowledge.delete_document,
    "knowledge_search": knowledge.search,
    "stream_open": streams.open_stream,
    "stream_feed": streams.feed,
    "stream_close": streams.close,
    "job_create": jobs.create,
    "job_list": jobs.list_jobs,
    "job_get": jobs.get_job,
    "job_result": jobs.get_result,
    "job_delete": jobs.delete_job,
    "probe": _probe,
}


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
