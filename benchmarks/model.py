"""Measure what the embedded model costs: time per claim, batch sizes, memory, load time.

Needs nothing but the project; every number comes from a process of its own or from medians over fresh texts.
"""

import json
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import record, texts
from groundwire import NLIScorer, VerifiedScorer

WORDS, CLAIMS, ROUNDS = 1_000, 5, 40
BATCHES = (1, 4, 16)
THREADS = 2


def per_claim(scorer: VerifiedScorer) -> dict[str, float]:
    """Return the milliseconds of a claim against a source of 1,000 words, index included."""
    taken = []
    for seed in range(ROUNDS):
        response, source = texts.make_words(CLAIMS, WORDS, seed)
        started = time.perf_counter()
        claims = scorer.verify(response, source).claims
        taken.append(1000 * (time.perf_counter() - started) / len(claims))
    taken.sort()
    return {"median_ms": round(statistics.median(taken), 2), "p95_ms": round(taken[int(0.95 * len(taken))], 2)}


def by_batch_size() -> dict[str, float]:
    """Return pairs a second for several batch sizes, on the same pairs in one run."""
    pairs = []
    for seed in range(32):
        response, source = texts.make_words(2, 90, seed)
        pairs += [(source, claim + ".") for claim in response.rstrip(".").split(". ")]
    rates: dict[str, list[float]] = {str(size): [] for size in BATCHES}
    scorers = {str(size): NLIScorer(batch_size=size, intra_op_num_threads=THREADS) for size in BATCHES}
    for name, scorer in scorers.items():
        scorer.probabilities(pairs[:2])
        for _ in range(3):
            started = time.perf_counter()
            scorer.probabilities(pairs)
            rates[name].append(len(pairs) / (time.perf_counter() - started))
    return {name: round(max(found), 1) for name, found in rates.items()}


def peak_mb(model: bool) -> float:
    """Return the peak memory of a fresh process that verifies one text."""
    code = (
        "from benchmarks import texts; from groundwire import NLIScorer, VerifiedScorer\n"
        f"scorer = VerifiedScorer(nli_scorer={'NLIScorer()' if model else 'None'})\n"
        f"scorer.verify(*texts.make_words({CLAIMS}, {WORDS}))\n"
        "print(open('/proc/self/status').read())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=record.ROOT, timeout=300
    )
    match = re.search(r"VmHWM:\s+(\d+) kB", done.stdout)
    assert match is not None
    return round(int(match[1]) / 1024, 1)


def main() -> None:
    """Measure, print, write the result."""
    started = time.perf_counter()
    model = NLIScorer(intra_op_num_threads=THREADS)
    info = model.model_info
    model.score("a b", "a b")
    loaded = time.perf_counter() - started
    folder = record.ROOT / "src" / "groundwire" / "models" / "embedded"
    figures: dict[str, Any] = {
        "model": {"id": info.id, "hash": info.hash},
        "inputs": {"words": WORDS, "claims": CLAIMS, "rounds": ROUNDS, "threads": THREADS},
        "load_and_first_pair_ms": round(1000 * loaded, 1),
        "per_claim": {"no model": per_claim(VerifiedScorer()), "embedded": per_claim(VerifiedScorer(model))},
        "pairs_a_second_by_batch_size": by_batch_size(),
        "peak_mb": {"no model": peak_mb(model=False), "embedded": peak_mb(model=True)},
        "package_mb": round(sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6, 2),
    }
    print(json.dumps(figures, indent=1))
    path = record.write("model", "python -m benchmarks.model", figures)
    print(f"written to {path.relative_to(record.ROOT)}")


if __name__ == "__main__":
    main()
