"""Run the coherence cases without a model: `python -m benchmarks.heuristic_coherence_pipeline`.

A regression record: which cases come out right, with which numbers. It measures no time. With
--data (or GROUNDWIRE_DATA) it also reviews the dev part of the contrast claims, which are written
to be hard for words: free paraphrases, small errors, sums.
"""

import argparse
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks import data, record
from groundwire import CoherenceScorer, GroundTruthStore, VectorGroundTruthStore
from groundwire.coherence import PRESETS
from groundwire.evals import Row
from groundwire.ledger import hash_json

CASES = Path(__file__).parents[1] / "tests" / "golden" / "coherence_own.jsonl"
COMMAND = "python -m benchmarks.heuristic_coherence_pipeline"


def main() -> None:
    """Score every case with every preset and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with dev/, train/ and ours/ (or GROUNDWIRE_DATA)")
    given = parser.parse_args().data or os.environ.get("GROUNDWIRE_DATA")
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    found = {**figures(cases), "contrast": contrast(data.ours(dev=True))}
    # Rows last: a reader wants the counts first.
    found["rows"] = found.pop("rows")
    path = record.write("heuristic_coherence_pipeline", COMMAND + (" --data DATA" if given else ""), found)
    print(path.read_text(encoding="utf-8").partition('"rows"')[0])


def contrast(rows: list[Row]) -> dict[str, Any]:
    """Review each claim alone against a store of all its sources; count what is approved, by kind of error."""
    store = VectorGroundTruthStore()
    sources = dict.fromkeys(row.source for row in rows)
    store.ingest({f"source {number}": text for number, text in enumerate(sources)})
    scorers = {name: CoherenceScorer.from_preset(name, ground_truth_store=store) for name in PRESETS}
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        entry = counts.setdefault("right" if row.label else row.kind, Counter())
        entry["claims"] += 1
        for name, scorer in scorers.items():
            entry[name] += scorer.score("", row.response).approved
    return {
        "sources": len(sources),
        "passages": store.count(),
        "approved_by_kind": {kind: dict(counts[kind]) for kind in sorted(counts)},
    }


def figures(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Count the cases that come out right, by preset and by kind, and keep every score."""
    rows = [_row(case) for case in cases]
    kinds = Counter(row["kind"] for row in rows)
    right = Counter(row["kind"] for row in rows if all(row["right"].values()))
    return {
        "cases": len(rows),
        "cases_sha256": hash_json(cases),
        "right_by_preset": {
            name: {
                "right": sum(row["right"].get(name, False) for row in rows),
                "cases": sum(name in row["right"] for row in rows),
            }
            for name in PRESETS
        },
        "right_with_every_preset_by_kind": {
            kind: {"right": right[kind], "cases": count} for kind, count in sorted(kinds.items())
        },
        "rows": rows,
    }


def _row(case: dict[str, Any]) -> dict[str, Any]:
    store = GroundTruthStore()
    store.add_many(case["facts"])
    scores, right = {}, {}
    for name, weights in PRESETS.items():
        if case.get("needs_logic") and not weights.counts_logic:
            continue  # the preset does not look at the prompt, by definition
        score = CoherenceScorer.from_preset(name, ground_truth_store=store).score(case["prompt"], case["response"])
        scores[name] = [round(value, 4) for value in (score.score, score.h_logical, score.h_factual)]
        right[name] = score.approved == (case["expect"] == "approved")
    return {"id": case["id"], "kind": case["kind"], "expect": case["expect"], "right": right, "scores": scores}


if __name__ == "__main__":
    main()
