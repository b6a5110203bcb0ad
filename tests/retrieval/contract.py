"""What every backend must do, whichever it is: one suite, run by the tests of the base install and of the extras."""

import pytest

from groundwire.errors import InputError, InputTypeError
from groundwire.retrieval import VectorBackend
from groundwire.retrieval.base import query_where

FACTS = {
    "refund": "Refunds are paid within 30 days of the purchase.",
    "shipping": "Standard shipping to Norway takes five working days.",
    "warranty": "The warranty of the pump covers manufacturing defects for 24 months.",
    "support": "Support answers the telephone on weekdays from nine to five.",
    "cancel": "A subscription can be cancelled at the end of every month.",
}


class BackendContract:
    """The cases; a subclass gives the fixture `backend`."""

    def filled(self, backend: VectorBackend) -> VectorBackend:
        for key, text in FACTS.items():
            backend.add(key, text, {"source": f"{key}.txt", "tenant_id": "acme"})
        return backend

    def test_k2_an_empty_backend_has_nothing(self, backend: VectorBackend) -> None:
        assert backend.count() == 0
        assert backend.query("anything at all") == []

    def test_k2_what_was_added_is_found_with_its_metadata(self, backend: VectorBackend) -> None:
        hits = self.filled(backend).query("How long is the warranty of the pump?", n_results=2)
        assert backend.count() == len(FACTS)
        assert hits[0]["id"] == "warranty"
        assert hits[0]["text"] == FACTS["warranty"]
        assert hits[0]["metadata"]["source"] == "warranty.txt"
        assert set(hits[0]) == {"id", "text", "distance", "metadata"}

    @pytest.mark.parametrize("key", FACTS)
    def test_k2_a_text_finds_itself_first(self, backend: VectorBackend, key: str) -> None:
        assert self.filled(backend).query(FACTS[key], 1)[0]["id"] == key

    def test_k2_distances_ascend_and_are_not_negative(self, backend: VectorBackend) -> None:
        hits = self.filled(backend).query("refunds and shipping within five days", n_results=5)
        distances = [hit["distance"] for hit in hits]
        assert len(hits) >= 2
        assert distances == sorted(distances)
        assert all(distance >= 0 for distance in distances)

    def test_k2_adding_an_existing_id_replaces(self, backend: VectorBackend) -> None:
        self.filled(backend).add("refund", "Refunds of tickets are never paid.", {"source": "new.txt"})
        hit = backend.query("Are refunds of tickets paid?", 1)[0]
        assert backend.count() == len(FACTS)
        assert (hit["text"], hit["metadata"]["source"]) == ("Refunds of tickets are never paid.", "new.txt")

    @pytest.mark.parametrize("wanted", [0, -1])
    def test_k2_asking_for_nothing_gives_nothing(self, backend: VectorBackend, wanted: int) -> None:
        assert self.filled(backend).query("refund", wanted) == []

    @pytest.mark.parametrize("wanted", [1, 2, 3])
    def test_k2_no_more_than_asked_for(self, backend: VectorBackend, wanted: int) -> None:
        hits = self.filled(backend).query("refund shipping warranty support subscription", wanted)
        assert len(hits) == wanted

    def test_k2_asking_for_more_than_there_is_gives_what_there_is(self, backend: VectorBackend) -> None:
        assert 1 <= len(self.filled(backend).query("refund shipping warranty support subscription", 50)) <= len(FACTS)

    def test_k2_the_same_query_has_the_same_answer(self, backend: VectorBackend) -> None:
        self.filled(backend)
        assert backend.query("working days", 5) == backend.query("working days", 5)

    def test_k2_a_deleted_text_is_gone(self, backend: VectorBackend) -> None:
        assert self.filled(backend).delete("refund") is True
        assert backend.delete("refund") is False
        assert backend.count() == len(FACTS) - 1
        assert "refund" not in [hit["id"] for hit in backend.query(FACTS["refund"], 5)]

    def test_k9_a_filter_holds(self, backend: VectorBackend) -> None:
        self.filled(backend).add("rival", "The rival pays refunds within 90 days.", {"tenant_id": "rival"})
        ours = query_where(backend, "refunds within days", 10, {"tenant_id": "acme"})
        theirs = query_where(backend, "refunds within days", 10, {"tenant_id": "rival"})
        assert [hit["id"] for hit in theirs] == ["rival"]
        assert ours
        assert all(hit["metadata"]["tenant_id"] == "acme" for hit in ours)
        assert query_where(backend, "refunds within days", 10, {"tenant_id": "nobody"}) == []

    def test_k9_a_filter_on_another_field_holds(self, backend: VectorBackend) -> None:
        where = {"tenant_id": "acme", "source": "cancel.txt"}
        self.filled(backend)
        assert [hit["id"] for hit in query_where(backend, "subscription every month", 5, where)] == ["cancel"]

    def test_unusual_text_survives(self, backend: VectorBackend) -> None:
        texts = {
            "zh": "退款将在三十天内支付。",
            "emoji": "Refunds 🎉 “soon” — ok?",
            "sql": "x'); DROP TABLE documents;--",
        }
        for key, text in texts.items():
            backend.add(key, text)
        for text in texts.values():
            assert text in [hit["text"] for hit in backend.query(text, 3)]

    @pytest.mark.parametrize(("doc_id", "text"), [("", "text"), ("id", ""), ("id", " \n"), ("id", "x" * 1_000_001)])
    def test_an_empty_or_endless_text_is_refused(self, backend: VectorBackend, doc_id: str, text: str) -> None:
        with pytest.raises(InputError):
            backend.add(doc_id, text)
        assert backend.count() == 0

    def test_a_wrong_type_is_refused(self, backend: VectorBackend) -> None:
        with pytest.raises(InputTypeError, match="not text"):
            backend.add("id", 7)  # type: ignore[arg-type]
