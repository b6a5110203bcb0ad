"""Words and vectors, brought together by rank."""

import threading
from collections.abc import Iterable

from groundwire.errors import InputError
from groundwire.retrieval.base import TENANT, Hit, Metadata, VectorBackend, Where, checked, matches, query_where
from groundwire.retrieval.dense import DenseBackend
from groundwire.retrieval.fusion import RRF_K, reciprocal_rank_fusion
from groundwire.retrieval.memory import Document, chosen_shelves, tenant_of
from groundwire.retrieval.postings import Shelf
from groundwire.retrieval.terms import term_counts

# Both rankings are read this much deeper than asked for: what is second in both may be first in neither.
_DEPTH = 4
_AT_LEAST = 20


class HybridBackend(VectorBackend):
    """Fuse BM25 over words in memory with any dense backend by reciprocal ranks.

    BM25 knows what was added through this object; a dense backend that was full before is still asked.
    """

    filters = True

    def __init__(self, dense: VectorBackend | None = None, *, rrf_k: int = RRF_K) -> None:
        if rrf_k < 1:
            raise InputError(f"rrf_k is {rrf_k}.", fix="give a number from 1 on")
        self.dense = DenseBackend() if dense is None else dense
        self.rrf_k = rrf_k
        self._lock = threading.RLock()
        self._documents: dict[str, Document] = {}
        self._shelves: dict[str, Shelf] = {}
        self._writes = 0

    @property
    def revision(self) -> int:
        """Number the writes so far, those of the dense backend included."""
        return self._writes + self.dense.revision

    def add(self, doc_id: str, text: str, metadata: Metadata | None = None) -> None:
        """Keep a text; an existing id is replaced."""
        self.add_many([(doc_id, text, metadata)])

    def add_many(self, documents: Iterable[tuple[str, str, Metadata | None]]) -> None:
        """Keep many texts."""
        listed = [(doc_id, text, checked(doc_id, text, metadata)) for doc_id, text, metadata in documents]
        with self._lock:
            self.dense.add_many(listed)
            for doc_id, text, metadata in listed:
                self._drop(doc_id)
                counts = term_counts(text)
                self._documents[doc_id] = Document(text, metadata)
                self._shelves.setdefault(tenant_of(metadata), Shelf()).add(doc_id, counts, counts.total())
            self._writes += 1

    def query(self, text: str, n_results: int = 3, where: Where | None = None) -> list[Hit]:
        """Return the texts that stand highest in both rankings."""
        if n_results <= 0 or not text.strip():
            return []
        depth = max(_AT_LEAST, _DEPTH * n_results)
        with self._lock:
            by_vector = {hit["id"]: hit for hit in query_where(self.dense, text, depth, where)}
            fused = reciprocal_rank_fusion([self._by_words(text, depth, where), list(by_vector)], self.rrf_k)
            # First in both rankings is as near as can be.
            most = 2.0 / (self.rrf_k + 1)
            return [
                self._hit(name, by_vector.get(name), max(0.0, 1.0 - round(score / most, 6)))
                for name, score in fused[:n_results]
            ]

    def count(self, where: Where | None = None) -> int:
        """Count the texts."""
        if where is None or not self.dense.filters:
            with self._lock:
                own = sum(matches(document.metadata, where) for document in self._documents.values())
            return own if where is not None else self.dense.count()
        return self.dense.count(where)

    def delete(self, doc_id: str) -> bool:
        """Remove a text from both indexes and tell whether it was there."""
        with self._lock:
            known = doc_id in self._documents
            if not self.dense.delete(doc_id) and known:
                raise InputError(
                    f"{type(self.dense).__name__} cannot delete.", fix="use a dense backend that implements delete"
                )
            self._drop(doc_id)
            self._writes += known
            return known

    def close(self) -> None:
        """Let go of the dense backend's files and connections."""
        self.dense.close()

    def _by_words(self, text: str, depth: int, where: Where | None) -> list[str]:
        terms = list(term_counts(text))
        ranked: list[tuple[str, float]] = []
        for shelf in chosen_shelves(self._shelves, where):
            tenant_only = where is None or set(where) <= {TENANT}
            best = shelf.rank(shelf.postings.bm25(terms), depth if tenant_only else len(shelf))
            ranked += [item for item in best if matches(self._documents[item[0]].metadata, where)]
        ranked.sort(key=lambda item: -round(item[1], 6))
        return [name for name, _ in ranked[:depth]]

    def _drop(self, doc_id: str) -> None:
        document = self._documents.pop(doc_id, None)
        if document is not None:
            self._shelves[tenant_of(document.metadata)].remove(doc_id)

    def _hit(self, name: str, found: Hit | None, distance: float) -> Hit:
        if name in self._documents:
            document = self._documents[name]
            return Hit(id=name, text=document.text, distance=distance, metadata=dict(document.metadata))
        if found is None:
            raise InputError(f"The document {name!r} is in neither index.", retry=True)
        return Hit(id=name, text=found["text"], distance=distance, metadata=found["metadata"])
