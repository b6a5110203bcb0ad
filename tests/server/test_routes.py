"""Every deciding route answers as the library does, refuses what it should, and stores nothing of what it refused."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from groundwire import InjectionDetector, Source, VerifiedScorer
from groundwire.audit import EvidenceDocument, audit_answer, build_evidence_map, references_for, verify_citations
from groundwire.server.routes import ROUTES, Route
from groundwire.server.trail import SQLiteTrail
from tests.server.running import Running

EXAMPLES = {route.job: route.example for route in ROUTES}
# Those that take a body; the tests of knowledge and streams call the others.
TAKING = [route for route in ROUTES if route.body is not None]
IDS = [route.job for route in TAKING]


def records(running: Running) -> int:
    # Jobs of other tests end when they end.
    with closing(SQLiteTrail(running.folder, create=False)) as trail:
        return sum(record.payload["route"] != "/v1/jobs" for record in trail.records())


def call(running: Running, route: Route, key: str, content: bytes, headers: dict[str, str]) -> httpx.Response:
    headers = {"Authorization": f"Bearer {key}", **headers}
    path = route.path.replace("{name}", "thing")
    return running.client.request(route.method, running.url + path, content=content, headers=headers)


def problem(response: httpx.Response, status: int, name: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = response.json()
    assert document["type"] == f"urn:groundwire:problem:{name}"
    assert document["status"] == status
    assert document["detail"]
    assert document["fix"]
    return document


def test_verify_answers_what_the_library_answers(keyed: Running, acme: str) -> None:
    body = {
        "prompt": "What about the contract?",
        "response": "The contract lasts 12 months and includes a 90-day refund window. Hello!",
        "source": [{"id": "a", "text": "The contract lasts 12 months with a 30-day refund window."}, "Other."],
        "atomic": True,
        "evidence_top_k": 1,
    }
    answer = keyed.post("/v1/verify", body, acme)
    sources = [Source("a", "The contract lasts 12 months with a 30-day refund window."), "Other."]
    expected = VerifiedScorer().verify(body["response"], sources, True, 1).to_dict()  # type: ignore[arg-type]
    assert answer.status_code == 200
    assert answer.json() == expected


def test_a_policy_of_the_caller_is_followed_and_named(keyed: Running, acme: str) -> None:
    body = EXAMPLES["verify"] | {"policy": {"fail_on": ["fabricated"]}}
    answer = keyed.post("/v1/verify", body, acme).json()
    assert answer["approved"] is True
    assert answer["policy_hash"] != keyed.post("/v1/verify", EXAMPLES["verify"], acme).json()["policy_hash"]


def test_audit_answers_what_the_library_answers(keyed: Running, acme: str) -> None:
    answer = keyed.post("/v1/audit", EXAMPLES["audit"], acme).json()
    text = EXAMPLES["audit"]["source"][0]["text"]
    expected = audit_answer(EXAMPLES["audit"]["response"], context=[Source("terms", text)]).to_dict()
    assert {name: answer[name] for name in expected} == expected
    assert answer["strict"] is True


def test_an_evidence_map_is_audited_in_its_mode(keyed: Running, acme: str) -> None:
    entries = [{"pointer_id": "E1", "span": "Refunds are paid within 30 days."}]
    body = {
        "response": "Refunds are paid within 30 days. [E1]",
        "mode": "claim_lattice_pointer",
        "evidence_map": entries,
    }
    assert keyed.post("/v1/audit", body, acme).json()["n_verified"] == 1


def test_cite_answers_what_the_library_answers(keyed: Running, acme: str) -> None:
    answer = keyed.post("/v1/cite", EXAMPLES["cite"], acme).json()
    documents = [EvidenceDocument("1", "Refunds are paid within 30 days.", "Terms")]
    evidence = build_evidence_map(documents)
    references = references_for(evidence, documents)
    expected = verify_citations(EXAMPLES["cite"]["response"], evidence, references=references).to_dict()
    assert {name: answer[name] for name in expected} == expected


def test_injection_answers_what_the_library_answers(keyed: Running, acme: str) -> None:
    body = EXAMPLES["injection"]
    answer = keyed.post("/v1/injection", body, acme).json()
    result = InjectionDetector().detect(body["response"], user_query=body["user_query"], documents=body["documents"])
    assert answer["injection_detected"] is result.injection_detected is True
    assert answer["combined_score"] == result.combined_score
    assert len(answer["findings"]) == len(result.findings)


@pytest.mark.parametrize("route", TAKING, ids=IDS)
def test_the_published_example_runs(keyed: Running, acme: str, route: Route) -> None:
    document = keyed.get("/openapi.json").json()
    operation = document["paths"][route.path][route.method.lower()]
    example = json.dumps(operation["requestBody"]["content"]["application/json"]["example"]).encode()
    answer = call(keyed, route, acme, example, {"Content-Type": "application/json"})
    assert answer.status_code == 200
    promised = "Groundwire-Record" in operation["responses"]["200"].get("headers", {})
    assert ("groundwire-record" in answer.headers) is promised


BAD_BODIES: list[tuple[bytes, int, str]] = [
    (b"", 400, "body-malformed"),
    (b"{", 400, "body-malformed"),
    (b"[]", 400, "body-malformed"),
    (b'"text"', 400, "body-malformed"),
    (b"\xff\xfe{}", 400, "body-malformed"),
    (b'{"response": NaN}', 400, "body-malformed"),
    (b'{"response": "a", "response": "b"}', 400, "body-malformed"),
    (b'{"x": ' + b"[" * 100 + b"]" * 100 + b"}", 400, "body-malformed"),
    (b'{"x": ' + b"[" * 90_000, 400, "body-malformed"),
    (b'{"x": ' + b"9" * 10_000 + b"}", 400, "body-malformed"),
    (b'{"x": [' + b"1," * 20_000 + b"1]}", 400, "body-malformed"),
    (b"{}", 422, "body-invalid"),
    (b'{"response": 5, "text": 5, "query": 5}', 422, "body-invalid"),
    (b'{"response": null, "text": null, "query": null}', 422, "body-invalid"),
    (b'{"unknown": 1}', 422, "body-invalid"),
    (b" " * 200_001, 413, "body-too-large"),
]


@pytest.mark.parametrize("route", TAKING, ids=IDS)
def test_a_bad_body_is_refused_and_nothing_is_stored(keyed: Running, acme: str, route: Route) -> None:
    before = records(keyed)
    for content, status, name in BAD_BODIES:
        problem(call(keyed, route, acme, content, {"Content-Type": "application/json"}), status, name)
    assert records(keyed) == before


@pytest.mark.parametrize("route", TAKING, ids=IDS)
def test_a_wrong_type_method_or_encoding_is_refused(keyed: Running, acme: str, route: Route) -> None:
    content = json.dumps(route.example).encode()
    before = records(keyed)
    for headers in (
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
        {"Content-Type": ""},
    ):
        problem(call(keyed, route, acme, content, headers), 415, "media-type")
    answer = keyed.client.request("PATCH", keyed.url + route.path, headers={"Authorization": f"Bearer {acme}"})
    problem(answer, 405, "method")
    assert route.method in answer.headers["allow"]
    assert records(keyed) == before


def test_an_unknown_address_is_a_problem(keyed: Running, acme: str) -> None:
    problem(keyed.post("/v1/nothing", {}, acme), 404, "not-found")
    problem(keyed.post("/v1/verify/", EXAMPLES["verify"], acme), 404, "not-found")


def test_wrong_values_are_named(keyed: Running, acme: str) -> None:
    body = EXAMPLES["verify"] | {"policy": {"nli_threshold": 7}}
    assert "nli_threshold" in problem(keyed.post("/v1/verify", body, acme), 422, "input-refused")["detail"]
    body = EXAMPLES["verify"] | {"evidence_top_k": -1}
    assert (
        problem(keyed.post("/v1/verify", body, acme), 422, "body-invalid")["errors"][0]["pointer"] == "/evidence_top_k"
    )
    both = {"response": "a", "source": "b", "evidence_map": []}
    problem(keyed.post("/v1/audit", both, acme), 422, "body-invalid")
    problem(keyed.post("/v1/audit", {"response": "a", "source": "b", "mode": "no"}, acme), 422, "input-refused")
    problem(keyed.post("/v1/cite", {"response": "a", "documents": [{"text": " "}]}, acme), 422, "body-invalid")


def test_unpaired_surrogates_and_every_script_survive(keyed: Running, acme: str) -> None:
    for text in ("\\ud800 costs 5 euros.", "价格是 49 元。", "a\\u0000b"):
        content = f'{{"response": "{text}", "source": "{text}"}}'.encode()
        answer = keyed.post("/v1/verify", key=acme, content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == 200, answer.text


def test_answers_carry_security_headers_and_no_cors(keyed: Running, acme: str) -> None:
    for answer in (
        keyed.get("/healthz"),
        keyed.post("/v1/verify", EXAMPLES["verify"], acme, headers={"Origin": "https://evil.example"}),
        keyed.client.options(keyed.url + "/v1/verify", headers={"Origin": "https://evil.example"}),
    ):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers


def test_the_service_tells_that_it_lives_and_is_ready(keyed: Running) -> None:
    assert keyed.get("/healthz").json() == {"status": "ok"}
    assert keyed.get("/readyz").json() == {"status": "ready"}


def test_metrics_need_their_scope_and_name_no_tenant(keyed: Running, acme: str) -> None:
    keyed.post("/v1/verify", EXAMPLES["verify"], acme)
    problem(keyed.get("/metrics"), 401, "key-refused")
    problem(keyed.get("/metrics", acme), 403, "scope-missing")
    watcher = keyed.key("watcher", ("metrics",))
    text = keyed.get("/metrics", watcher).text
    assert 'groundwire_requests_total{method="POST",route="/v1/verify",status="200"}' in text
    assert 'groundwire_decisions_total{route="/v1/verify",outcome="refused"}' in text
    assert "acme" not in text
    problem(keyed.post("/v1/verify", EXAMPLES["verify"], watcher), 403, "scope-missing")


def test_a_long_text_is_cut_aloud_or_refused(keyed: Running, acme: str, tmp_path: Path) -> None:
    long = "The plan costs $49. " * 60
    body = {"response": long, "source": "The plan costs $49.", "policy": {"max_response_chars": 100}}
    assert keyed.post("/v1/verify", body, acme).json()["status"] == "truncated"
