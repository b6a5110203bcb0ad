"""Many threads that read and write one store at once."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from groundwire.retrieval import VectorGroundTruthStore

TENANTS = [f"tenant{number}" for number in range(4)]


def run_mixed(store: VectorGroundTruthStore, fresh: VectorGroundTruthStore, *, threads: int, operations: int) -> None:
    """Write and read from every thread, then hold the store against a fresh one that one thread fills."""
    share = operations // threads

    def work(worker: int) -> list[str]:
        chance = random.Random(worker)
        kept: list[str] = []
        for number in range(share):
            tenant = TENANTS[(worker + number) % len(TENANTS)]
            key = f"w{worker}n{number}"
            if number % 2:
                found = store.retrieve_context_with_chunks(f"pump {tenant} worker {worker}", 5, tenant_id=tenant)
                for chunk in found:
                    assert f"belongs to {tenant}" in chunk.text, chunk
            else:
                store.add(key, _text(key, tenant), tenant_id=tenant)
                kept.append(f"{tenant}/{key}")
                if chance.random() < 0.2:
                    gone_tenant, gone = kept.pop(chance.randrange(len(kept))).split("/")
                    assert store.remove(gone, tenant_id=gone_tenant)
        return kept

    with ThreadPoolExecutor(threads) as pool:
        kept = [name for names in pool.map(work, range(threads)) for name in names]
    for tenant in TENANTS:
        assert store.count(tenant_id=tenant) == sum(name.startswith(f"{tenant}/") for name in kept)
    for name in sorted(kept):
        tenant, key = name.split("/")
        fresh.add(key, _text(key, tenant), tenant_id=tenant)
    for tenant in TENANTS:
        query = f"pump of worker 3 belongs to {tenant}"
        assert _answers(store, query, tenant) == pytest.approx(_answers(fresh, query, tenant))


def _text(key: str, tenant: str) -> str:
    return f"The pump {key} of worker {key[1:].split('n')[0]} belongs to {tenant}."


def _answers(store: VectorGroundTruthStore, query: str, tenant: str) -> dict[str, float]:
    return {chunk.text: chunk.distance for chunk in store.retrieve_context_with_chunks(query, 9_999, tenant_id=tenant)}
