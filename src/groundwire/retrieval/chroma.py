"""Chroma collections."""

import json
import os
from collections.abc import Iterable
from typing import Any

from groundwire.errors import MissingExtraError
from groundwire.retrieval.base import Hit, Metadata, VectorBackend, Where, checked, flat_values, metadata_as_json
from groundwire.retrieval.embedding import Embed, embed_with, static_embed

# Chroma keeps flat values only, and none at all is no metadata; the whole lies beside them as JSON.
_WHOLE = "groundwire_metadata"


class ChromaBackend(VectorBackend):
    """Keep texts in a Chroma collection, in a folder or in this process (extra `chroma`)."""

    filters = True

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        collection: str = "groundwire",
        embed: Embed = static_embed,
        client: Any = None,
    ) -> None:
        try:
            import chromadb
            from chromadb.config import Settings
        except ImportError as error:
            raise MissingExtraError("ChromaBackend", "chroma") from error
        if client is None:
            settings = Settings(anonymized_telemetry=False)
            if path is None:
                client = chromadb.EphemeralClient(settings=settings)
            else:
                client = chromadb.PersistentClient(path=os.fspath(path), settings=settings)
        self._client = client
        self._embed = embed
        # Vectors are made here: Chroma's own default embedding would be downloaded.
        self._collection = client.get_or_create_collection(
            collection, embedding_function=None, metadata={"hnsw:space": "cosine"}
        )
        self._writes = 0

    @property
    def revision(self) -> int:
        """Number the writes through this object; Chroma keeps no count."""
        return self._writes

    def add(self, doc_id: str, text: str, metadata: Metadata | None = None) -> None:
        """Keep a text; an existing id is replaced."""
        self.add_many([(doc_id, text, metadata)])

    def add_many(self, documents: Iterable[tuple[str, str, Metadata | None]]) -> None:
        """Keep many texts."""
        listed = [(doc_id, text, checked(doc_id, text, metadata)) for doc_id, text, metadata in documents]
        if not listed:
            return
        # Chroma merges metadata on upsert, and a replaced text keeps nothing of the old one.
        self._collection.delete(ids=[doc_id for doc_id, _, _ in listed])
        self._collection.upsert(
            ids=[doc_id for doc_id, _, _ in listed],
            documents=[text for _, text, _ in listed],
            embeddings=embed_with(self._embed, [text for _, text, _ in listed]),
            metadatas=[{**flat_values(metadata), _WHOLE: metadata_as_json(metadata)} for _, _, metadata in listed],
        )
        self._writes += 1

    def query(self, text: str, n_results: int = 3, where: Where | None = None) -> list[Hit]:
        """Return the nearest texts."""
        size = self._collection.count()
        if n_results <= 0 or not size or not text.strip():
            return []
        found = self._collection.query(
            query_embeddings=embed_with(self._embed, [text]),
            n_results=min(n_results, size),
            where=_filter(where),
            include=["documents", "metadatas", "distances"],
        )
        rows = zip(found["ids"][0], found["documents"][0], found["metadatas"][0], found["distances"][0], strict=True)
        return [
            Hit(id=doc_id, text=own, distance=max(0.0, float(distance)), metadata=json.loads(metadata[_WHOLE]))
            for doc_id, own, metadata, distance in rows
        ]

    def count(self, where: Where | None = None) -> int:
        """Count the texts."""
        if where is None:
            return int(self._collection.count())
        return len(self._collection.get(where=_filter(where), include=[])["ids"])

    def delete(self, doc_id: str) -> bool:
        """Remove a text and tell whether it was there."""
        if not self._collection.get(ids=[doc_id], include=[])["ids"]:
            return False
        self._collection.delete(ids=[doc_id])
        self._writes += 1
        return True


def _filter(where: Where | None) -> dict[str, Any] | None:
    if not where:
        return None
    parts = [{field: {"$eq": value}} for field, value in where.items()]
    return parts[0] if len(parts) == 1 else {"$and": parts}
