"""Documents, search and reviews over the service."""

from groundwire import CoherenceScorer, GroundTruthStore
from groundwire.server.routes import ROUTES
from tests.server.running import Running
from tests.server.test_routes import problem

EXAMPLES = {route.job: route.example for route in ROUTES}


def test_a_document_is_kept_found_replaced_and_removed(keyed: Running) -> None:
    key = keyed.key("librarian")
    assert keyed.get("/v1/knowledge", key).json() == {"revision": 0, "documents": []}
    put = keyed.put("/v1/knowledge/warranty", EXAMPLES["knowledge_put"], key)
    assert put.json() == {"name": "warranty", "outcome": "added", "passages": 1}
    assert "groundwire-record" in put.headers
    hits = keyed.post("/v1/knowledge/search", EXAMPLES["knowledge_search"], key).json()["hits"]
    assert hits[0]["document"] == "warranty"
    assert hits[0]["text"] == EXAMPLES["knowledge_put"]["text"]
    assert keyed.get("/v1/knowledge/warranty", key).json()["text"] == EXAMPLES["knowledge_put"]["text"]
    assert keyed.put("/v1/knowledge/warranty", EXAMPLES["knowledge_put"], key).json()["outcome"] == "unchanged"
    assert keyed.put("/v1/knowledge/warranty", {"text": "Other."}, key).json()["outcome"] == "replaced"
    assert [item["name"] for item in keyed.get("/v1/knowledge", key).json()["documents"]] == ["warranty"]
    assert keyed.delete("/v1/knowledge/warranty", key).json()["outcome"] == "removed"
    problem(keyed.delete("/v1/knowledge/warranty", key), 404, "not-found")
    problem(keyed.get("/v1/knowledge/warranty", key), 404, "not-found")


def test_a_name_cannot_leave_the_tenants_folder(keyed: Running, acme: str) -> None:
    for name in ("..%2F..%2Fkeys.db", "%2e%2e", "a%00b", "%0a", "x" * 300):
        assert keyed.put(f"/v1/knowledge/{name}", {"text": "x"}, acme).status_code in (200, 404, 422)
    assert sorted(path.name for path in keyed.folder.iterdir() if path.suffix == ".db") == [
        "keys.db",
        "limits.db",
        "trail.db",
    ]


def test_a_review_uses_the_facts_of_the_request(keyed: Running, acme: str) -> None:
    answer = keyed.post("/v1/review", EXAMPLES["review"], acme).json()
    store = GroundTruthStore()
    store.add("fact 1", EXAMPLES["review"]["facts"][0])
    scorer = CoherenceScorer(ground_truth_store=store)
    approved, score = scorer.review(EXAMPLES["review"]["prompt"], EXAMPLES["review"]["response"])
    assert answer["approved"] is approved is False
    assert answer["score"] == score.score


def test_a_review_uses_the_knowledge_of_the_tenant(keyed: Running) -> None:
    key = keyed.key("reviewer")
    keyed.put("/v1/knowledge/warranty", EXAMPLES["knowledge_put"], key)
    body = {name: value for name, value in EXAMPLES["review"].items() if name != "facts"}
    assert keyed.post("/v1/review", body, key).json()["approved"] is False
    right = body | {"response": "The warranty lasts 24 months."}
    assert keyed.post("/v1/review", right, key).json()["approved"] is True


def test_a_batch_is_reviewed_in_order(keyed: Running, acme: str) -> None:
    answer = keyed.post("/v1/review/batch", EXAMPLES["review_batch"], acme)
    assert [score["approved"] for score in answer.json()["results"]] == [True, False]
    problem(keyed.post("/v1/review/batch", {"items": []}, acme), 422, "body-invalid")
    problem(keyed.post("/v1/review", EXAMPLES["review"] | {"preset": "no"}, acme), 422, "input-refused")
    problem(keyed.post("/v1/review", EXAMPLES["review"] | {"facts": [" "]}, acme), 422, "input-refused")
