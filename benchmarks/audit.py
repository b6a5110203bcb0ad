"""Measure the audit: `python -m benchmarks.audit` writes benchmarks/results/audit.json."""

import json
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from groundwire.audit import (
    EvidenceDocument,
    build_evidence_map,
    index_context,
    index_evidence,
    lenient_json_parse,
    verify_claim_lattice,
    verify_claim_lattice_json,
    verify_quotes,
)

RESULT = Path(__file__).parent / "results" / "audit.json"
CONTEXT_CHARS = 200_000
SPANS, CLAIMS, SENTENCES = 30, 12, 12
SEED = 20


def main() -> None:
    """Measure every figure and write the result file."""
    rng = random.Random(SEED)
    words = _words(rng, 6_000)
    context = _prose(rng, words, CONTEXT_CHARS)
    index = index_context(context)
    spans = [_prose(rng, words, 400) for _ in range(SPANS)]
    evidence = build_evidence_map(
        EvidenceDocument(str(place), span, " ".join(span.split()[:4])) for place, span in enumerate(spans)
    )
    ready = index_evidence(evidence)
    claims = [(" ".join(spans[place].split()[:12]) + ".", f"E{place + 1}") for place in range(CLAIMS)]
    lines = "\n".join(f"{text} [{pointer}]" for text, pointer in claims)
    in_json = json.dumps({"claims": [{"text": text, "evidence_ids": [pointer]} for text, pointer in claims]})
    sentences = rng.sample([piece + "." for piece in context.split(". ") if len(piece) > 40], SENTENCES)
    other_words = [" ".join(rng.sample(sentence[:-1].split(), len(sentence.split()))) + "." for sentence in sentences]
    figures = {
        "lattice_30_spans_12_claims_ms": _median_ms(lambda: verify_claim_lattice(lines, ready)),
        "lattice_30_spans_12_claims_map_not_indexed_ms": _median_ms(lambda: verify_claim_lattice(lines, evidence)),
        "lattice_json_30_spans_12_claims_ms": _median_ms(lambda: verify_claim_lattice_json(in_json, ready)),
        "index_200_kb_context_ms": _median_ms(lambda: index_context(context), 10),
        "quotes_in_200_kb_context_ms": _median_ms(lambda: verify_quotes(_quoted(sentences), index)),
        "verbatim_sentences_in_200_kb_context_ms": _median_ms(lambda: verify_quotes("\n".join(sentences), index)),
        "paraphrases_in_200_kb_context_ms": _median_ms(lambda: verify_quotes("\n".join(other_words), index)),
        "local_paraphrases_in_200_kb_context_ms": _median_ms(
            lambda: verify_quotes("\n".join(other_words), index, local_paraphrase=True)
        ),
        "lenient_json_parse_of_a_cut_answer_ms": _median_ms(lambda: lenient_json_parse(in_json[:-40])),
    }
    targets = {
        "lattice_30_spans_12_claims_ms": 2.0,
        "quotes_in_200_kb_context_ms": 20.0,
        "verbatim_sentences_in_200_kb_context_ms": 20.0,
        "paraphrases_in_200_kb_context_ms": 20.0,
    }
    report: dict[str, Any] = {
        "command": "python -m benchmarks.audit",
        "commit": _commit(),
        "machine": _machine(),
        "inputs": {
            "context_chars": len(context),
            "sentences_per_answer": SENTENCES,
            "span_chars": 400,
            "seed": SEED,
            "statistic": "median of repeated runs in one process, milliseconds",
        },
        "figures": figures,
        "targets_ms": targets,
        "targets_met": {name: figures[name] < limit for name, limit in targets.items()},
    }
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=2))


def _median_ms(call: Callable[[], object], rounds: int = 50) -> float:
    call()
    durations = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        durations.append(1000 * (time.perf_counter() - started))
    return round(statistics.median(durations), 3)


def _words(rng: random.Random, count: int) -> list[str]:
    return ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 10))) for _ in range(count)]


def _prose(rng: random.Random, words: list[str], chars: int) -> str:
    sentences: list[str] = []
    length = 0
    while length < chars:
        # Squared, so that some words are common and most are rare, as in a language.
        drawn = [words[int(rng.random() ** 2 * len(words))] for _ in range(rng.randint(8, 24))]
        drawn[rng.randrange(len(drawn))] = str(rng.randint(1, 2_100))
        sentences.append(" ".join(drawn).capitalize() + ".")
        length += len(sentences[-1]) + 1
    return " ".join(sentences)[:chars]


def _quoted(sentences: list[str]) -> str:
    return " ".join(f'It says "{sentence}"' for sentence in sentences)


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def _machine() -> dict[str, str]:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
        cpu = f"{names[0]} ({len(names)} cores)" if names else cpu
    return {"cpu": cpu, "system": platform.platform(), "python": sys.version.split()[0]}


if __name__ == "__main__":
    main()
