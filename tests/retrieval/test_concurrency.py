"""Sixteen threads on one store: no lost write, no foreign tenant (the full run is among the extras)."""

from pathlib import Path

from groundwire.retrieval import SQLiteBackend, VectorGroundTruthStore
from tests.retrieval.mixed import run_mixed


def test_k9_threads_on_a_store_in_memory_lose_nothing_and_see_no_foreign_tenant() -> None:
    run_mixed(VectorGroundTruthStore(strict=True), VectorGroundTruthStore(), threads=16, operations=1_600)


def test_k9_threads_on_a_store_in_a_file_lose_nothing_and_see_no_foreign_tenant(tmp_path: Path) -> None:
    store = VectorGroundTruthStore(SQLiteBackend(tmp_path / "kb.sqlite"), strict=True)
    fresh = VectorGroundTruthStore(SQLiteBackend(tmp_path / "fresh.sqlite"), strict=True)
    run_mixed(store, fresh, threads=16, operations=480)
    store.close()
    fresh.close()
