"""Pinecone indexes."""

import json
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from groundwire.errors import InputError, MissingExtraError
from groundwire.retrieval.base import Hit, Metadata, VectorBackend, Where, checked, flat_values, metadata_as_json
from groundwire.retrieval.embedding import Embed, embed_with, static_embed

_TEXT, _WHOLE = "groundwire_text", "groundwire_metadata"
_BATCH = 100


class PineconeBackend(VectorBackend):
    """Keep texts in an index that the caller has opened with a client and key of their own (extra `pinecone`)."""

    filters = True

    def __init__(self, index: Any, *, namespace: str = "", embed: Embed = static_embed) -> None:
        if find_spec("pinecone") is None:
            raise MissingExtraError("PineconeBackend", "pinecone")
        self._index = index
        self._namespace = namespace
        self._embed = embed
        self._writes = 0

    @property
    def revision(self) -> int:
        """Number the writes through this object; Pinecone keeps no count."""
        return self._writes

    def add(self, doc_id: str, text: str, metadata: Metadata | None = None) -> None:
        """Keep a text; an existing id is replaced."""
        self.add_many([(doc_id, text, metadata)])

    def add_many(self, documents: Iterable[tuple[str, str, Metadata | None]]) -> None:
        """Keep many texts, a hundred in one request."""
        listed = [(doc_id, text, checked(doc_id, text, metadata)) for doc_id, text, metadata in documents]
        for start in range(0, len(listed), _BATCH):
            part = listed[start : start + _BATCH]
            vectors = embed_with(self._embed, [text for _, text, _ in part])
            self._index.upsert(
                vectors=[
                    {"id": doc_id, "values": vector.tolist(), "metadata": _flat(text, metadata)}
                    for (doc_id, text, metadata), vector in zip(part, vectors, strict=True)
                ],
                namespace=self._namespace,
            )
            self._writes += 1

    def query(self, text: str, n_results: int = 3, where: Where | None = None) -> list[Hit]:
        """Return the nearest texts; the index must measure by cosine."""
        if n_results <= 0 or not text.strip():
            return []
        found = self._index.query(
            vector=embed_with(self._embed, [text])[0].tolist(),
            top_k=n_results,
            namespace=self._namespace,
            filter={field: {"$eq": value} for field, value in where.items()} if where else None,
            include_metadata=True,
        )
        return [
            Hit(
                id=match.id,
                text=str(match.metadata[_TEXT]),
                distance=max(0.0, 1.0 - float(match.score)),
                metadata=json.loads(str(match.metadata[_WHOLE])),
            )
            for match in found.matches
        ]

    def count(self, where: Where | None = None) -> int:
        """Count the texts of the namespace; Pinecone counts no part of it."""
        if where is not None:
            raise InputError("Pinecone cannot count with a filter.", fix="use a namespace for each part")
        names = self._index.describe_index_stats().namespaces
        return int(names[self._namespace].vector_count) if self._namespace in names else 0

    def delete(self, doc_id: str) -> bool:
        """Remove a text and tell whether it was there."""
        if doc_id not in self._index.fetch(ids=[doc_id], namespace=self._namespace).vectors:
            return False
        self._index.delete(ids=[doc_id], namespace=self._namespace)
        self._writes += 1
        return True


def _flat(text: str, metadata: Metadata) -> Metadata:
    return {**flat_values(metadata), _TEXT: text, _WHOLE: metadata_as_json(metadata)}
