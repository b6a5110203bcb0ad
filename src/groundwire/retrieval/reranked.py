"""A second, closer look at what another backend found."""

from collections.abc import Callable, Iterable, Sequence

from groundwire.errors import InputError, InputTypeError
from groundwire.nli import NLI
from groundwire.retrieval.base import Hit, Metadata, VectorBackend, Where, query_where

# (query, text) pairs in, one score each out; the higher, the nearer. A CrossEncoder's `predict` is one.
CrossEncoder = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
MULTIPLIER = 3


class RerankedBackend(VectorBackend):
    """Fetch more than asked for, score each text together with the query, and return the best."""

    def __init__(
        self, backend: VectorBackend, reranker: NLI | CrossEncoder | None = None, *, multiplier: int = MULTIPLIER
    ) -> None:  # fmt: skip
        if multiplier < 1:
            raise InputError(f"The multiplier is {multiplier}.", fix="give a number from 1 on")
        self.backend = backend
        self.filters = backend.filters
        self.multiplier = multiplier
        self.reranker = _embedded_model() if reranker is None else reranker
        if not isinstance(self.reranker, NLI) and not callable(self.reranker):
            raise InputTypeError(
                "The re-ranker is neither a model nor a function.",
                fix="give an object with probabilities(pairs), or a function from (query, text) pairs to scores",
            )

    @property
    def revision(self) -> int:
        """Number the state of the backend within."""
        return self.backend.revision

    def add(self, doc_id: str, text: str, metadata: Metadata | None = None) -> None:
        """Keep a text; an existing id is replaced."""
        self.backend.add(doc_id, text, metadata)

    def add_many(self, documents: Iterable[tuple[str, str, Metadata | None]]) -> None:
        """Keep many texts."""
        self.backend.add_many(documents)

    def query(self, text: str, n_results: int = 3, where: Where | None = None) -> list[Hit]:
        """Return the texts that the re-ranker puts first."""
        if n_results <= 0:
            return []
        hits = query_where(self.backend, text, n_results * self.multiplier, where)
        if not hits:
            return []
        distances = self._distances(text, [hit["text"] for hit in hits])
        # The order of the backend within decides between equals.
        order = sorted(range(len(hits)), key=lambda place: round(distances[place], 6))[:n_results]
        return [Hit(**{**hits[place], "distance": distances[place]}) for place in order]

    def count(self, where: Where | None = None) -> int:
        """Count the texts."""
        return self.backend.count() if where is None else self.backend.count(where)

    def delete(self, doc_id: str) -> bool:
        """Remove a text and tell whether it was there."""
        return self.backend.delete(doc_id)

    def close(self) -> None:
        """Let go of the files and connections of the backend within."""
        self.backend.close()

    def _distances(self, query: str, texts: Sequence[str]) -> list[float]:
        if isinstance(self.reranker, NLI):
            # A text that speaks for or against the query is near to it; a neutral one is not.
            found = self.reranker.probabilities([(text, query) for text in texts])
            return [min(1.0, max(0.0, item.neutral + 0.5 * item.contradiction)) for item in found]
        scores = [float(score) for score in self.reranker([(query, text) for text in texts])]
        if len(scores) != len(texts):
            raise InputError(
                f"The re-ranker gave {len(scores)} scores for {len(texts)} texts.", fix="return one score for each pair"
            )
        return [max(scores) - score for score in scores]


def _embedded_model() -> NLI:
    # Loaded only when no other model was given.
    from groundwire.nli import NLIScorer

    return NLIScorer()
