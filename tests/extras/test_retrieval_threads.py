"""Sixteen threads, ten thousand reads and writes."""

from pathlib import Path

import pytest

from groundwire.retrieval import SQLiteBackend, VectorGroundTruthStore
from tests.retrieval.mixed import run_mixed

pytestmark = pytest.mark.extras


def test_k9_ten_thousand_mixed_calls_in_memory() -> None:
    run_mixed(VectorGroundTruthStore(strict=True), VectorGroundTruthStore(), threads=16, operations=10_000)


def test_k9_ten_thousand_mixed_calls_on_a_file(tmp_path: Path) -> None:
    store = VectorGroundTruthStore(SQLiteBackend(tmp_path / "kb.sqlite"), strict=True)
    fresh = VectorGroundTruthStore(SQLiteBackend(tmp_path / "fresh.sqlite"), strict=True)
    run_mixed(store, fresh, threads=16, operations=10_000)
    store.close()
    fresh.close()
