"""Backends that compare vectors in memory."""

import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from groundwire.errors import InputError, MissingExtraError, ModelError
from groundwire.retrieval.base import Hit, Metadata, VectorBackend, Where, checked, matches
from groundwire.retrieval.embedding import Embed, embed_with, static_embed
from groundwire.retrieval.memory import Document
from groundwire.retrieval.postings import Floats, best_rows


class DenseBackend(VectorBackend):
    """Compare vectors of a given embedding by their cosine, every one of them; safe for threads."""

    filters = True

    def __init__(self, embed: Embed = static_embed) -> None:
        self._embed = embed
        self._lock = threading.RLock()
        self._row_of: dict[str, int] = {}
        self._names: list[str] = []
        self._documents: dict[str, Document] = {}
        self._matrix: Floats = np.zeros((0, 0), dtype=np.float32)
        self._revision = 0

    @property
    def revision(self) -> int:
        """Number the writes so far."""
        return self._revision

    def add(self, doc_id: str, text: str, metadata: Metadata | None = None) -> None:
        """Keep a text; an existing id is replaced."""
        self.add_many([(doc_id, text, metadata)])

    def add_many(self, documents: Iterable[tuple[str, str, Metadata | None]]) -> None:
        """Keep many texts, all of them or none."""
        listed = [(doc_id, Document(text, checked(doc_id, text, metadata))) for doc_id, text, metadata in documents]
        if not listed:
            return
        vectors = embed_with(self._embed, [document.text for _, document in listed])
        with self._lock:
            self._make_room(len(listed), vectors.shape[1])
            for (doc_id, document), vector in zip(listed, vectors, strict=True):
                row = self._row_of.setdefault(doc_id, len(self._names))
                if row == len(self._names):
                    self._names.append(doc_id)
                self._matrix[row] = vector
                self._documents[doc_id] = document
            self._revision += 1

    def query(self, text: str, n_results: int = 3, where: Where | None = None) -> list[Hit]:
        """Return the nearest texts; what points elsewhere altogether is none of them."""
        if n_results <= 0 or not text.strip():
            return []
        vector = embed_with(self._embed, [text])[0]
        with self._lock:
            if not self._names:
                return []
            scores = self._matrix[: len(self._names)] @ vector
            ranked = best_rows(scores, n_results if where is None else len(self._names))
            hits: list[Hit] = []
            for row, score in ranked:
                document = self._documents[self._names[row]]
                if matches(document.metadata, where):
                    distance = max(0.0, 1.0 - round(score, 6))
                    hits.append(
                        Hit(
                            id=self._names[row],
                            text=document.text,
                            distance=distance,
                            metadata=dict(document.metadata),
                        )
                    )
                if len(hits) == n_results:
                    break
            return hits

    def count(self, where: Where | None = None) -> int:
        """Count the texts."""
        with self._lock:
            return sum(matches(document.metadata, where) for document in self._documents.values())

    def delete(self, doc_id: str) -> bool:
        """Remove a text and tell whether it was there."""
        with self._lock:
            row = self._row_of.pop(doc_id, None)
            if row is None:
                return False
            # The last row takes the free place, so that the matrix has no holes.
            last = self._names.pop()
            if last != doc_id:
                self._names[row], self._row_of[last] = last, row
                self._matrix[row] = self._matrix[len(self._names)]
            del self._documents[doc_id]
            self._revision += 1
            return True

    def _make_room(self, more: int, width: int) -> None:
        if self._names and width != self._matrix.shape[1]:
            raise InputError(
                f"The embedding gave {width} numbers, before it gave {self._matrix.shape[1]}.",
                fix="use one embedding for all texts of a backend",
            )
        needed = len(self._names) + more
        if needed > len(self._matrix) or width != self._matrix.shape[1]:
            grown = np.zeros((max(needed, 2 * len(self._names)), width), dtype=np.float32)
            if self._names:
                grown[: len(self._names)] = self._matrix[: len(self._names)]
            self._matrix = grown


class SentenceTransformerBackend(DenseBackend):
    """Compare vectors of a sentence-transformers model that lies on this machine (extra `embeddings`)."""

    def __init__(self, model: Any) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingExtraError("SentenceTransformerBackend", "embeddings") from error
        if isinstance(model, str | os.PathLike):
            try:
                # Never from a hub: a model is given by its folder, or was fetched by its owner before.
                model = SentenceTransformer(os.fspath(model), local_files_only=True)
            except Exception as error:
                raise ModelError(
                    f"The sentence-transformers model {str(model)!r} cannot be loaded.",
                    why=f"{type(error).__name__}; nothing is downloaded",
                    fix="give the folder of a model, or load the model yourself and pass it",
                ) from error
        self.model = model
        super().__init__(self._encode)

    def _encode(self, texts: Sequence[str]) -> Floats:
        return np.asarray(self.model.encode(list(texts), show_progress_bar=False), dtype=np.float32)
