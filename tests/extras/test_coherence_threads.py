"""Sixteen threads, ten thousand reviews and writes on one scorer and one store."""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from groundwire import CoherenceScorer, GroundTruthStore, VectorGroundTruthStore
from groundwire.retrieval import SQLiteBackend

pytestmark = pytest.mark.extras

THREADS = 16
TENANTS = ("north", "south")
PUMPS = 40


class Outcome(NamedTuple):
    approved: bool
    score: float
    h_logical: float
    h_factual: float
    source: str


def fill(store: GroundTruthStore) -> GroundTruthStore:
    for place, tenant in enumerate(TENANTS):
        for number in range(PUMPS):
            store.add(
                f"{tenant} pump {number}",
                f"The pump Quill{number} weighs {20 + number + 100 * place} kilograms.",
                tenant_id=tenant,
            )
    return store


def review(scorer: CoherenceScorer, tenant: str, number: int, weight: int) -> Outcome:
    approved, score = scorer.review(
        f"What does the pump Quill{number} weigh?",
        f"The pump Quill{number} weighs {weight} kilograms.",
        tenant_id=tenant,
    )
    assert score.evidence is not None
    assert all(chunk.source.startswith(tenant) for chunk in score.evidence.chunks)
    return Outcome(approved, score.score, score.h_logical, score.h_factual, score.attributions[0].source_sentence)


@pytest.mark.parametrize("cache_size", [0, 500])
@pytest.mark.parametrize("kind", ["keyword", "vector", "sqlite"])
def test_ten_thousand_mixed_reviews_and_writes(kind: str, cache_size: int, tmp_path: Path) -> None:
    total = 10_000 if kind != "sqlite" else 2_000
    store: GroundTruthStore = (
        GroundTruthStore()
        if kind == "keyword"
        else VectorGroundTruthStore(SQLiteBackend(tmp_path / "kb.db") if kind == "sqlite" else None, strict=True)
    )
    scorer = CoherenceScorer(ground_truth_store=fill(store), cache_size=cache_size)
    questions = [
        (tenant, number, 20 + number + 100 * place + wrong)
        for place, tenant in enumerate(TENANTS)
        for number in range(PUMPS)
        for wrong in (0, 7)
    ]
    expected = {question: review(scorer, *question) for question in questions}
    assert {question: outcome.approved for question, outcome in expected.items()} == {
        (tenant, number, weight): weight == 20 + number + 100 * TENANTS.index(tenant)
        for tenant, number, weight in questions
    }

    def work(thread: int) -> tuple[list[str], int]:
        chance = random.Random(thread)
        strange, written = [], 0
        for step in range(total // THREADS):
            tenant = TENANTS[(thread + step) % 2]
            if chance.random() < 0.3:
                store.add(f"{tenant} note {thread}-{step}", f"Ledger {thread}x{step} was archived.", tenant_id=tenant)
                written += 1
            else:
                question = chance.choice(questions)
                found = review(scorer, *question)
                if found != expected[question]:
                    strange.append(f"{question}: {found} instead of {expected[question]}")
        return strange, written

    with ThreadPoolExecutor(THREADS) as pool:
        done = list(pool.map(work, range(THREADS)))
    assert [line for strange, _ in done for line in strange] == []
    assert sum(store.count(tenant_id=tenant) for tenant in TENANTS) == 2 * PUMPS + sum(count for _, count in done)
    assert {question: review(scorer, *question) for question in questions} == expected
    store.close()
