"""Run the coherence cases without a model: `python -m benchmarks.heuristic_coherence_pipeline`.

A regression record: which cases come out right, with which numbers. It measures no time.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks import record
from groundwire import CoherenceScorer, GroundTruthStore
from groundwire.coherence import PRESETS
from groundwire.ledger import hash_json

CASES = Path(__file__).parents[1] / "tests" / "golden" / "coherence_own.jsonl"
COMMAND = "python -m benchmarks.heuristic_coherence_pipeline"


def main() -> None:
    """Score every case with every preset and write the result file."""
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    path = record.write("heuristic_coherence_pipeline", COMMAND, figures(cases))
    print(path.read_text(encoding="utf-8"))


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
