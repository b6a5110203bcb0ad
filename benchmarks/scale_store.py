"""Measure how stores grow: `python -m benchmarks.scale_store` writes benchmarks/results/scale_store.json.

Every size of every backend is filled and asked in a process of its own, so that its memory is its own too.
"""

import json
import math
import os
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
PLOT = record.ROOT / "docs" / "images" / "store_growth.svg"
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 600, 40, 300
_COLOURS = {"memory": "#00796b", "sqlite": "#c2410c"}


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
    PLOT.write_text(draw(rows), encoding="utf-8")
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
        times, own_times, found = [], [], 0
        for _ in range(QUERIES):
            wanted = chance.randrange(size)
            words = chunk(wanted).split()
            start = chance.randrange(len(words) - WORDS_A_QUERY)
            query = " ".join(words[start : start + WORDS_A_QUERY])
            begin, own_begin = time.perf_counter(), time.process_time()
            hits = backend.query(query, 3)
            times.append(1000 * (time.perf_counter() - begin))
            # What this process used: how busy the machine is with other things does not show in it.
            own_times.append(1000 * (time.process_time() - own_begin))
            found += str(wanted) in [hit["id"] for hit in hits]
        backend.close()
        return {
            "ingestion_s": round(seconds, 2),
            "query_median_ms": round(statistics.median(times), 2),
            "query_median_processor_ms": round(statistics.median(own_times), 2),
            "query_p95_ms": round(sorted(times)[int(0.95 * len(times))], 2),
            "own_chunk_in_first_3": round(found / QUERIES, 3),
            "peak_mb": round(peak_mb(), 1),
            "peak_mb_before": round(empty, 1),
            "load_average": round(os.getloadavg()[0], 1),
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


def draw(rows: list[dict[str, Any]]) -> str:
    """Draw the median time of a query over the size of the store, both on logarithmic scales."""
    ticks = (0.1, 1.0, 10.0, 100.0)
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 340" font-family="sans-serif" font-size="12">',
        "<title>Median time of a query over the number of passages</title>",
        '<rect width="640" height="340" fill="#fff"/>',
        f'<text x="{_LEFT}" y="20">median time of a query, by number of passages</text>',
    ]
    for tick in ticks:
        y = _height(tick, ticks)
        parts.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g} ms</text>')
    parts += [
        f'<text x="{_across(size):.1f}" y="{_BOTTOM + 18}" text-anchor="middle">{size:,}</text>' for size in SIZES
    ]
    for name in BACKENDS:
        points = [
            (_across(row["chunks"]), _height(row["query_median_ms"], ticks)) for row in rows if row["backend"] == name
        ]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{_COLOURS[name]}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_COLOURS[name]}"/>' for x, y in points]
        x, y = points[-1]
        label = {"memory": "in memory", "sqlite": "one SQLite file"}[name]
        parts.append(f'<text x="{x:.1f}" y="{y - 8:.1f}" text-anchor="end" fill="{_COLOURS[name]}">{label}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _across(size: int) -> float:
    share = math.log(size / SIZES[0]) / math.log(SIZES[-1] / SIZES[0])
    return _LEFT + share * (_RIGHT - _LEFT)


def _height(milliseconds: float, ticks: tuple[float, ...]) -> float:
    share = math.log(max(milliseconds, ticks[0]) / ticks[0]) / math.log(ticks[-1] / ticks[0])
    return _BOTTOM - share * (_BOTTOM - _TOP)


def peak_mb() -> float:
    """Read the peak memory of this process; not ru_maxrss, which remembers the process that started this one."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


if __name__ == "__main__":
    main()
