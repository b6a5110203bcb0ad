"""Late interaction: every word of the query looks for its own best match."""

import threading
from collections.abc import Callable

import numpy as np

from groundwire.errors import InputError
from groundwire.retrieval.base import Hit, Metadata, VectorBackend, Where, checked, matches
from groundwire.retrieval.embedding import normalised, token_embed
from groundwire.retrieval.memory import Document
from groundwire.retrieval.postings import Floats, best_rows

# A text as one row of numbers for each of its tokens.
TokenEmbed = Callable[[str], Floats]


class ColBERTBackend(VectorBackend):
    """Sum, over the tokens of the query, the similarity of the most similar token of a text.

    Every token of every text is kept and compared: made for thousands of texts, not for millions.
    """

    filters = True

    def __init__(self, encode: TokenEmbed = token_embed) -> None:
        self._encode = encode
        self._lock = threading.RLock()
        self._documents: dict[str, Document] = {}
        self._tokens: dict[str, Floats] = {}
        self._joined: tuple[Floats, list[int]] | None = None
        self._revision = 0

    @property
    def revision(self) -> int:
        """Number the writes so far."""
        return self._revision

    def add(self, doc_id: str, text: str, metadata: Metadata | None = None) -> None:
        """Keep a text; an existing id is replaced."""
        document = Document(text, checked(doc_id, text, metadata))
        tokens = self._tokens_of(text)
        with self._lock:
            self._documents[doc_id], self._tokens[doc_id] = document, tokens
            self._joined = None
            self._revision += 1

    def query(self, text: str, n_results: int = 3, where: Where | None = None) -> list[Hit]:
        """Return the texts whose tokens answer the query's best."""
        if n_results <= 0 or not text.strip():
            return []
        wanted = self._tokens_of(text)
        with self._lock:
            names = list(self._documents)
            if not names or not wanted.any():
                return []
            matrix, starts = self._all_tokens()
            best = np.maximum.reduceat(matrix @ wanted.T, starts, axis=0)
            scores = np.maximum(best, 0.0).mean(axis=1).astype(np.float32)
            allowed = [matches(self._documents[name].metadata, where) for name in names]
            ranked = best_rows(np.where(allowed, scores, np.float32(0.0)), n_results)
            return [self._hit(names[row], score) for row, score in ranked]

    def count(self, where: Where | None = None) -> int:
        """Count the texts."""
        with self._lock:
            return sum(matches(document.metadata, where) for document in self._documents.values())

    def delete(self, doc_id: str) -> bool:
        """Remove a text and tell whether it was there."""
        with self._lock:
            if self._documents.pop(doc_id, None) is None:
                return False
            del self._tokens[doc_id]
            self._joined = None
            self._revision += 1
            return True

    def _tokens_of(self, text: str) -> Floats:
        tokens = np.asarray(self._encode(text), dtype=np.float32)
        if tokens.ndim != 2 or not np.isfinite(tokens).all():
            raise InputError(
                f"The token encoder gave an array of shape {tokens.shape}.",
                fix="return one row of finite numbers for each token",
            )
        # A text without a word has one empty token, so that every text has a place in the matrix.
        return normalised(tokens) if len(tokens) else np.zeros((1, tokens.shape[1]), dtype=np.float32)

    def _all_tokens(self) -> tuple[Floats, list[int]]:
        if self._joined is None:
            lengths = [len(tokens) for tokens in self._tokens.values()]
            starts = [0, *np.cumsum(lengths)[:-1].tolist()]
            self._joined = np.concatenate(list(self._tokens.values())), starts
        return self._joined

    def _hit(self, name: str, score: float) -> Hit:
        document = self._documents[name]
        return Hit(
            id=name, text=document.text, distance=max(0.0, 1.0 - round(score, 6)), metadata=dict(document.metadata)
        )
