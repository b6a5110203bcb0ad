"""The contract, for every backend of the base install."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.nli import FakeNLI
from groundwire.retrieval import (
    ColBERTBackend,
    HybridBackend,
    InMemoryBackend,
    RerankedBackend,
    SQLiteBackend,
    VectorBackend,
)
from groundwire.retrieval.dense import DenseBackend
from tests.retrieval.contract import BackendContract


class TestInMemory(BackendContract):
    @pytest.fixture
    def backend(self) -> VectorBackend:
        return InMemoryBackend()


class TestDense(BackendContract):
    @pytest.fixture
    def backend(self) -> VectorBackend:
        return DenseBackend()


class TestHybrid(BackendContract):
    @pytest.fixture
    def backend(self) -> VectorBackend:
        return HybridBackend()


class TestColBERT(BackendContract):
    @pytest.fixture
    def backend(self) -> VectorBackend:
        return ColBERTBackend()


class WordsInCommon(FakeNLI):
    """A scripted model that takes common words for entailment."""

    def score(self, premise: str, hypothesis: str) -> float:
        words = set(hypothesis.lower().split())
        return 1.0 - len(words & set(premise.lower().split())) / len(words)


class TestReranked(BackendContract):
    @pytest.fixture
    def backend(self) -> VectorBackend:
        return RerankedBackend(InMemoryBackend(), WordsInCommon())


@pytest.mark.parametrize("search", ["blend", "keyword", "dense"])
class TestSQLite(BackendContract):
    @pytest.fixture
    def backend(self, tmp_path: Path, search: str) -> Iterator[VectorBackend]:
        backend = SQLiteBackend(tmp_path / "kb.db", search=search)
        yield backend
        backend.close()


class Plain(VectorBackend):
    """The least a user's own backend must offer: the three methods, no filter, no delete."""

    def __init__(self) -> None:
        self._inside = InMemoryBackend()

    def add(self, doc_id, text, metadata=None):  # type: ignore[no-untyped-def]
        self._inside.add(doc_id, text, metadata)

    def query(self, text, n_results=3):  # type: ignore[no-untyped-def, override]
        return self._inside.query(text, n_results)

    def count(self):  # type: ignore[no-untyped-def, override]
        return self._inside.count()


class TestPlain(BackendContract):
    @pytest.fixture
    def backend(self) -> VectorBackend:
        return Plain()

    def test_k2_a_deleted_text_is_gone(self, backend: VectorBackend) -> None:
        assert self.filled(backend).delete("refund") is False
