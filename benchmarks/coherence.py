"""Time a review: `python -m benchmarks.coherence` writes benchmarks/results/coherence.json."""

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks import record
from benchmarks.texts import make
from groundwire import CoherenceScorer, GroundTruthStore, NLIScorer, VectorGroundTruthStore

COMMAND = "python -m benchmarks.coherence"
FACTS = 1_000
ROUNDS = 300
MODEL_ROUNDS = 60
TARGETS = {"one_sentence_keyword_store": 2.0, "three_sentences_with_model": 60.0}


def main() -> None:
    """Measure every figure and write the result file."""
    facts = make(1, FACTS, seed=3)[1].split(". ")
    facts = [f"{fact.rstrip('.')}." for fact in facts][:FACTS]
    keyword, memory = GroundTruthStore(), VectorGroundTruthStore()
    for store in (keyword, memory):
        store.add_many([(f"fact {number}", fact) for number, fact in enumerate(facts)])
    times: dict[str, dict[str, float]] = {}
    for sentences, words in ((1, "one_sentence"), (3, "three_sentences")):
        for store, kind in ((keyword, "keyword_store"), (memory, "vector_store")):
            scorer = CoherenceScorer(ground_truth_store=store)
            times[f"{words}_{kind}"] = _measure(scorer.review, facts, sentences, ROUNDS)
    cached = CoherenceScorer(ground_truth_store=keyword, cache_size=10)
    cached.review("Same?", facts[0])
    times["cache_hit"] = _time(lambda: cached.review("Same?", facts[0]), ROUNDS)
    model = NLIScorer()
    not_run = {}
    if model.model_available:
        scorer = CoherenceScorer(ground_truth_store=keyword, nli_scorer=model)
        times["three_sentences_with_model"] = _measure(scorer.review, facts, 3, MODEL_ROUNDS)
    else:
        not_run["three_sentences_with_model"] = "the package carries no model"
    figures: dict[str, Any] = {
        "inputs": {
            "facts": FACTS,
            "rounds": ROUNDS,
            "statistic": "milliseconds, one thread, fresh texts on every call",
        },
        "times_ms": times,
        "targets_ms": TARGETS,
        "targets_met": {name: times[name]["median"] < limit for name, limit in TARGETS.items() if name in times},
        "not_run": not_run,
    }
    path = record.write("coherence", COMMAND, figures)
    print(path.read_text(encoding="utf-8"))


def _measure(
    review: Callable[[str, str], object], facts: list[str], sentences: int, rounds: int
) -> dict[str, float]:  # fmt: skip
    """Time answers that repeat facts, every other one with a number changed."""
    rng = random.Random(sentences)
    inputs = []
    for number in range(rounds):
        chosen = rng.sample(facts, sentences)
        subject = " ".join(chosen[0].split()[1:4])
        answer = " ".join(chosen)
        if number % 2:
            answer = answer.replace("1", "7").replace("3", "8")
        inputs.append((f"What do we know about {subject}, case {number}?", answer))
    for prompt, answer in inputs[:10]:
        review(prompt, answer)
    durations = [_once(partial(review, *item)) for item in inputs[10:]]
    return _summary(durations)


def _time(call: Callable[[], object], rounds: int) -> dict[str, float]:
    return _summary([_once(call) for _ in range(rounds)])


def _once(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - started)


def _summary(durations: list[float]) -> dict[str, float]:
    ordered = sorted(durations)
    return {
        "median": round(statistics.median(ordered), 3),
        "p95": round(ordered[int(0.95 * len(ordered))], 3),
    }


if __name__ == "__main__":
    main()
