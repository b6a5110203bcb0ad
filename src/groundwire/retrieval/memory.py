"""The backend that needs nothing: words in memory."""

import math
import threading
from typing import NamedTuple

from groundwire.retrieval.base import TENANT, Hit, Metadata, VectorBackend, Where, checked, matches
from groundwire.retrieval.postings import Shelf
from groundwire.retrieval.terms import term_counts


class Document(NamedTuple):
    """A text with what the caller said about it."""

    text: str
    metadata: Metadata


class InMemoryBackend(VectorBackend):
    """Compare words by their rarity: cosine between log-weighted documents and an idf-weighted query.

    Each tenant has an index of its own, so that no tenant's words weigh in another's results.
    """

    filters = True

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._documents: dict[str, Document] = {}
        self._shelves: dict[str, Shelf] = {}
        self._revision = 0

    @property
    def revision(self) -> int:
        """Number the writes so far."""
        return self._revision

    def add(self, doc_id: str, text: str, metadata: Metadata | None = None) -> None:
        """Keep a text; an existing id is replaced."""
        document = Document(text, checked(doc_id, text, metadata))
        weights = {term: 1.0 + math.log(count) for term, count in term_counts(text).items()}
        norm = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        with self._lock:
            self._drop(doc_id)
            self._documents[doc_id] = document
            shelf = self._shelves.setdefault(tenant_of(document.metadata), Shelf())
            shelf.add(doc_id, {term: weight / norm for term, weight in weights.items()}, norm)
            self._revision += 1

    def query(self, text: str, n_results: int = 3, where: Where | None = None) -> list[Hit]:
        """Return the nearest texts; one that shares no word with the query is none of them."""
        counts = term_counts(text)
        with self._lock:
            found = []
            for shelf in chosen_shelves(self._shelves, where):
                rarity = shelf.postings.rarity
                weights = {term: (1.0 + math.log(count)) * rarity(term) for term, count in counts.items()}
                norm = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
                scores = shelf.postings.dot(weights) / norm
                found += self._allowed(shelf.rank(scores, self._enough(shelf, n_results, where)), where, n_results)
            found.sort(key=lambda item: -round(item[1], 6))
            return [self._hit(name, score) for name, score in found[: max(0, n_results)]]

    def count(self, where: Where | None = None) -> int:
        """Count the texts."""
        with self._lock:
            if where is None:
                return len(self._documents)
            if set(where) == {TENANT}:
                return sum(map(len, chosen_shelves(self._shelves, where)))
            return sum(matches(document.metadata, where) for document in self._documents.values())

    def delete(self, doc_id: str) -> bool:
        """Remove a text and tell whether it was there."""
        with self._lock:
            gone = self._drop(doc_id)
            self._revision += gone
            return gone

    def _drop(self, doc_id: str) -> bool:
        document = self._documents.pop(doc_id, None)
        if document is None:
            return False
        tenant = tenant_of(document.metadata)
        self._shelves[tenant].remove(doc_id)
        if not len(self._shelves[tenant]):
            del self._shelves[tenant]
        return True

    def _enough(self, shelf: Shelf, n_results: int, where: Where | None) -> int:
        # A filter on more than the tenant may refuse any number of the best.
        return n_results if where is None or set(where) <= {TENANT} else len(shelf)

    def _allowed(self, ranked: list[tuple[str, float]], where: Where | None, limit: int) -> list[tuple[str, float]]:
        kept = [item for item in ranked if matches(self._documents[item[0]].metadata, where)]
        return kept[: max(0, limit)]

    def _hit(self, name: str, score: float) -> Hit:
        document = self._documents[name]
        return Hit(
            id=name, text=document.text, distance=max(0.0, 1.0 - round(score, 6)), metadata=dict(document.metadata)
        )


def tenant_of(metadata: Metadata) -> str:
    """Return the tenant a document belongs to, "" for none."""
    return str(metadata.get(TENANT, ""))


def chosen_shelves(shelves: dict[str, Shelf], where: Where | None) -> list[Shelf]:
    """Return the shelves that may hold what a filter asks for."""
    if where is None or TENANT not in where:
        return list(shelves.values())
    shelf = shelves.get(str(where[TENANT]))
    return [] if shelf is None else [shelf]
