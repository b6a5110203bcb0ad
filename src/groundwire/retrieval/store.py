"""Stores of facts: by keyword alone, or over a backend with keywords to fall back on."""

import threading
import warnings
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from groundwire.errors import InputError, InputTypeError
from groundwire.retrieval.base import TENANT, Hit, Metadata, VectorBackend, checked, query_where, scoped_id
from groundwire.retrieval.chunks import CHUNK_OVERLAP, CHUNK_SIZE, cut_chunks
from groundwire.retrieval.memory import InMemoryBackend
from groundwire.retrieval.postings import Shelf
from groundwire.retrieval.terms import terms_of
from groundwire.types import EvidenceChunk

KEY_WEIGHT = 2.0
_KEY = "key"
_ENDS = (".", "!", "?", "…", "。", "！", "？", "।", "؟")


class _Fact(NamedTuple):
    text: str
    source: str


class GroundTruthStore:
    """Keep facts by key and find them by the rare words they share with a query; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._facts: dict[str, dict[str, _Fact]] = {}
        self._shelves: dict[str, Shelf] = {}
        self._writes = 0

    @property
    def revision(self) -> int:
        """Number the state of the content, for the keys of caches; every write raises it."""
        return self._writes

    def add(
        self, key: str, value: str, metadata: Metadata | None = None, *, tenant_id: str | None = None
    ) -> None:  # fmt: skip
        """Keep a fact; the same key replaces."""
        self._put(key, value, fact_text(key, value), checked(key, value, metadata), tenant_id or "")

    def add_many(
        self, facts: Mapping[str, str] | Iterable[tuple[str, str]], *, tenant_id: str | None = None
    ) -> None:  # fmt: skip
        """Keep many facts; none is kept if one of them cannot be."""
        pairs = list(facts.items() if isinstance(facts, Mapping) else facts)
        for pair in pairs:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise InputTypeError("A fact is no pair of key and value.", fix="give a dict, or (key, value) pairs")
            checked(pair[0], pair[1], None)
        for key, value in pairs:
            self.add(key, value, tenant_id=tenant_id)

    def retrieve_context(self, query: str, top_k: int = 3, *, tenant_id: str | None = None) -> str:
        """Return the texts of the best facts, one a line, or "" when none is related."""
        return "\n".join(chunk.text for chunk in self.retrieve_context_with_chunks(query, top_k, tenant_id=tenant_id))

    def retrieve_context_with_chunks(
        self, query: str, top_k: int = 3, *, tenant_id: str | None = None
    ) -> list[EvidenceChunk]:  # fmt: skip
        """Return the best facts with distance and source label, nearest first."""
        return self._by_keyword(query, top_k, tenant_id or "")

    def remove(self, key: str, *, tenant_id: str | None = None) -> bool:
        """Remove a fact and tell whether it was there."""
        tenant = tenant_id or ""
        with self._lock:
            if self._facts.get(tenant, {}).pop(key, None) is None:
                return False
            self._shelves[tenant].remove(key)
            self._writes += 1
            return True

    def clear(self, *, tenant_id: str | None = None) -> None:
        """Remove every fact of a tenant."""
        with self._lock:
            self._facts.pop(tenant_id or "", None)
            self._shelves.pop(tenant_id or "", None)
            self._writes += 1

    def count(self, *, tenant_id: str | None = None) -> int:
        """Count the facts of a tenant."""
        with self._lock:
            return len(self._facts.get(tenant_id or "", ()))

    def close(self) -> None:
        """Let go of what the store holds; facts in memory hold nothing."""
        return None

    def _put(self, key: str, value: str, text: str, metadata: Metadata, tenant: str) -> None:
        weights = dict.fromkeys(terms_of(value), 1.0)
        weights |= dict.fromkeys(terms_of(key), KEY_WEIGHT)
        with self._lock:
            self._facts.setdefault(tenant, {})[key] = _Fact(text, str(metadata.get("source") or key))
            self._shelves.setdefault(tenant, Shelf()).add(key, weights, float(len(weights)))
            self._writes += 1

    def _by_keyword(self, query: str, top_k: int, tenant: str) -> list[EvidenceChunk]:
        terms = dict.fromkeys(terms_of(query))
        with self._lock:
            shelf, facts = self._shelves.get(tenant), self._facts.get(tenant, {})
            if shelf is None:
                return []
            rarity = {term: shelf.postings.rarity(term) for term in terms}
            most = KEY_WEIGHT * sum(rarity.values()) or 1.0
            ranked = shelf.rank(shelf.postings.dot(rarity), top_k)
            return [
                EvidenceChunk(facts[key].text, max(0.0, 1.0 - round(score / most, 6)), facts[key].source)
                for key, score in ranked
            ]


class VectorGroundTruthStore(GroundTruthStore):
    """Ask a backend first, and keywords when it knows nothing or fails."""

    def __init__(self, backend: VectorBackend | None = None, *, strict: bool = False) -> None:
        super().__init__()
        self.backend = InMemoryBackend() if backend is None else backend
        self.strict = strict
        self._removed: set[str] = set()

    @property
    def revision(self) -> int:
        """Number the state of the content, for the keys of caches; every write raises it."""
        return self._writes + self.backend.revision

    def ingest(
        self,
        texts: Mapping[str, str] | Iterable[str],
        chunk_size: int = CHUNK_SIZE,
        overlap: int = CHUNK_OVERLAP,
        *,
        tenant_id: str | None = None,
    ) -> int:
        """Cut documents into passages that keep their places, keep them, and return how many there are."""
        named = (
            list(texts.items()) if isinstance(texts, Mapping) else [(f"text {n}", t) for n, t in enumerate(texts, 1)]
        )
        passages = [(name, chunk) for name, text in named for chunk in cut_chunks(text, chunk_size, overlap)]
        tenant = tenant_id or ""
        entries = [
            (f"{name}#{chunk.start}", chunk.text, {"source": name, "start": chunk.start, "end": chunk.end})
            for name, chunk in passages
        ]
        for key, passage, metadata in entries:
            checked(key, passage, metadata)
        with self._lock:
            self.backend.add_many(
                (scoped_id(key, tenant), passage, {**metadata, TENANT: tenant, _KEY: key})
                for key, passage, metadata in entries
            )
            for key, passage, metadata in entries:
                self._removed.discard(scoped_id(key, tenant))
                super()._put(key, passage, passage, metadata, tenant)
        return len(passages)

    def retrieve_context_with_chunks(
        self, query: str, top_k: int = 3, *, tenant_id: str | None = None
    ) -> list[EvidenceChunk]:  # fmt: skip
        """Return the best facts with distance and source label, nearest first."""
        tenant = tenant_id or ""
        try:
            hits = query_where(self.backend, query, top_k + len(self._removed), {TENANT: tenant})
        except Exception as error:
            # Other people's backends raise what they like; strict callers want to see it.
            if self.strict:
                raise
            warnings.warn(
                f"{type(self.backend).__name__} failed ({type(error).__name__}); keywords were used instead",
                RuntimeWarning,
                stacklevel=2,
            )
            hits = []
        chunks = [_as_chunk(hit) for hit in hits if hit["id"] not in self._removed][: max(0, top_k)]
        return chunks or self._by_keyword(query, top_k, tenant)

    def remove(self, key: str, *, tenant_id: str | None = None) -> bool:
        """Remove a fact and tell whether it was there."""
        name = scoped_id(key, tenant_id or "")
        with self._lock:
            known = super().remove(key, tenant_id=tenant_id)
            deleted = self.backend.delete(name)
            if known and not deleted:
                # The backend cannot delete: what is gone for the caller must stay unseen.
                self._removed.add(name)
            return known or deleted

    def clear(self, *, tenant_id: str | None = None) -> None:
        """Remove every fact that this store was given for a tenant."""
        with self._lock:
            for key in list(self._facts.get(tenant_id or "", ())):
                self.remove(key, tenant_id=tenant_id)
            super().clear(tenant_id=tenant_id)

    def count(self, *, tenant_id: str | None = None) -> int:
        """Count the facts of a tenant."""
        if self.backend.filters:
            try:
                return self.backend.count({TENANT: tenant_id or ""})
            except InputError:
                pass  # some services filter a query and cannot filter a count
        return super().count(tenant_id=tenant_id)

    def close(self) -> None:
        """Let go of the backend's files and connections."""
        self.backend.close()

    def _put(self, key: str, value: str, text: str, metadata: Metadata, tenant: str) -> None:
        name = scoped_id(key, tenant)
        # Both or neither, and in one order for all threads. The backend comes first: if it refuses, the keywords
        # know nothing of the fact either.
        with self._lock:
            self.backend.add(name, text, {**metadata, TENANT: tenant, _KEY: key})
            self._removed.discard(name)
            super()._put(key, value, text, metadata, tenant)


def fact_text(key: str, value: str) -> str:
    """Return the value, with its key in front when it is no sentence of its own."""
    if not isinstance(key, str) or not isinstance(value, str):
        raise InputTypeError("A fact needs a key and a value that are text.", fix="give two str")
    return value if value.rstrip().endswith(_ENDS) else f"{key}: {value}"


def _as_chunk(hit: Hit) -> EvidenceChunk:
    metadata = hit["metadata"]
    return EvidenceChunk(
        hit["text"], float(hit["distance"]), str(metadata.get("source") or metadata.get(_KEY) or hit["id"])
    )
