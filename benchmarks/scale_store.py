"""Measure how stores grow: `python -m benchmarks.scale_store` writes benchmarks/results/scale_store.json.

Every size of every backend is filled and asked in a process of its own, so that its memory is its own too.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.texts import SYLLABLES
from groundwire.retrieval import InMemoryBackend, SQLiteBackend, VectorBackend

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
BACKENDS = ("memory", "sqlite")
QUERIES = 200
VOCABULARY = 50_000
WORDS_A_CHUNK = 110
WORDS_A_QUERY = 12
BATCH = 1_000
TARGET_MS = 20.0


def main() -> None:
    """Measure every size, or one of them when a process of its own was asked for."""
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
        return
    rows = []
    for backend in BACKENDS:
        for size in SIZES:
            command = [sys.executable, "-m", "benchmarks.scale_store", backend, str(size)]
            done = subprocess.run(command, cwd=record.ROOT, capture_output=True, text=True, check=True)
            rows.append({"backend": backend, "chunks": size, **json.loads(done.stdout)})
            print(rows[-1], flush=True)
    largest = {row["backend"]: row for row in rows if row["chunks"] == SIZES[-1]}
    record.write(
        "scale_store",
        "python -m benchmarks.scale_store",
        {
            "inputs": {
                "words_a_chunk": WORDS_A_CHUNK,
                "words_a_query": WORDS_A_QUERY,
                "queries": QUERIES,
                "vocabulary": VOCABULARY,
                "texts": "generated; a few words are common and most are rare",
            },
            "sizes": rows,
            "target_ms": TARGET_MS,
            "target_met": {name: row["query_median_ms"] < TARGET_MS for name, row in largest.items()},
        },
    )


def measure(name: str, size: int) -> dict[str, Any]:
    """Fill one store and ask it."""
    empty = peak_mb()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kb.sqlite"
        backend: VectorBackend = SQLiteBackend(path) if name == "sqlite" else InMemoryBackend()
        seconds = fill(backend, size)
        chance = random.Random(99)
        times, found = [], 0
        for _ in range(QUERIES):
            wanted = chance.randrange(size)
            words = chunk(wanted).split()
            start = chance.randrange(len(words) - WORDS_A_QUERY)
            query = " ".join(words[start : start + WORDS_A_QUERY])
            begin = time.perf_counter()
            hits = backend.query(query, 3)
            times.append(1000 * (time.perf_counter() - begin))
            found += str(wanted) in [hit["id"] for hit in hits]
        backend.close()
        return {
            "ingestion_s": round(seconds, 2),
            "query_median_ms": round(statistics.median(times), 2),
            "query_p95_ms": round(sorted(times)[int(0.95 * len(times))], 2),
            "own_chunk_in_first_3": round(found / QUERIES, 3),
            "peak_mb": round(peak_mb(), 1),
            "peak_mb_before": round(empty, 1),
            "file_mb": round(path.stat().st_size / 2**20, 1) if name == "sqlite" else None,
        }


def fill(backend: VectorBackend, size: int) -> float:
    """Add the chunks and return the seconds spent adding, without those spent writing the texts."""
    spent = 0.0
    for start in range(0, size, BATCH):
        batch: list[tuple[str, str, dict[str, Any] | None]] = [
            (str(number), chunk(number), None) for number in range(start, min(start + BATCH, size))
        ]
        begin = time.perf_counter()
        backend.add_many(batch)
        spent += time.perf_counter() - begin
    return spent


def chunk(number: int) -> str:
    """Write the chunk of a number, the same on every run."""
    chance = random.Random(number)
    return " ".join(_words(chance, WORDS_A_CHUNK))


def _words(chance: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        # The cube makes a few words common and most rare, as in a language.
        place = int(VOCABULARY * chance.random() ** 3)
        first, rest = divmod(place, len(SYLLABLES))
        yield SYLLABLES[rest] + SYLLABLES[first % len(SYLLABLES)] + "kat"


def peak_mb() -> float:
    """Read the peak memory of this process; not ru_maxrss, which remembers the process that started this one."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


if __name__ == "__main__":
    main()
