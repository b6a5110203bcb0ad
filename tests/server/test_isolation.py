"""No tenant ever sees anything of another, whatever the two do in whatever order."""

import itertools
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.server.routes import ROUTES, STREAM
from tests.server.running import Running

NUMBER = itertools.count()
ROUTE_NAMES = [route.job for route in (*ROUTES, STREAM)]
STEPS = st.lists(st.tuples(st.integers(0, 1), st.sampled_from(ROUTE_NAMES), st.integers(0, 1)), min_size=4, max_size=16)


def body_of(job: str, marker: str) -> dict[str, Any] | None:
    text = f"The code of {marker} is 24."
    bodies: dict[str, dict[str, Any]] = {
        "verify": {"response": text, "source": text},
        "audit": {"response": text, "source": text},
        "cite": {"response": f"{text} [1]", "documents": [{"text": text}]},
        "injection": {"response": text, "documents": [text]},
        "review": {"prompt": "What is the code?", "response": "The code is 24."},
        "review_batch": {"items": [{"prompt": "What is the code?", "response": "The code is 24."}]},
        "knowledge_put": {"text": text},
        "knowledge_search": {"query": "what is the code", "top_k": 10},
        "job_create": {"rows": [{"response": text, "source": text}]},
        "stream": {"source": text, "tokens": [text]},
    }
    return bodies.get(job)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_tenants_see_their_own_alone(keyed: Running, steps: list[tuple[int, str, int]]) -> None:
    run = next(NUMBER)
    names = [f"left-{run}", f"right-{run}"]
    markers = [f"Leftmark{run}x", f"Rightmark{run}x"]
    tenants = [keyed.key(name) for name in names]
    documents: list[set[str]] = [set(), set()]
    jobs = ["", ""]
    routes = {route.job: route for route in (*ROUTES, STREAM)}
    for side, job, number in steps:
        route, name = routes[job], f"doc{number}"
        # Always the other one's job: it must be as if it were not there.
        foreign = jobs[1 - side] or "0" * 32
        answer = keyed.client.request(
            route.method,
            keyed.url + route.path.replace("{name}", name).replace("{job_id}", foreign),
            json=body_of(job, markers[side]),
            headers={"Authorization": f"Bearer {tenants[side]}"},
        )
        assert markers[1 - side] not in answer.text
        assert names[1 - side] not in answer.text
        there = name in documents[side]
        if job in ("knowledge_get", "knowledge_delete"):
            assert answer.status_code == (200 if there else 404)
        elif "{job_id}" in route.path:
            assert answer.status_code == 404
        else:
            assert answer.status_code == 200, answer.text
        if job == "job_create":
            jobs[side] = answer.json()["job_id"]
        elif job == "job_list":
            assert (jobs[side] in [item["job_id"] for item in answer.json()["jobs"]]) is bool(jobs[side])
        if job == "knowledge_put":
            documents[side].add(name)
        elif job == "knowledge_delete":
            documents[side].discard(name)
        elif job == "knowledge_list":
            assert {item["name"] for item in answer.json()["documents"]} == documents[side]
        elif job == "knowledge_search":
            assert {hit["document"] for hit in answer.json()["hits"]} == documents[side]
