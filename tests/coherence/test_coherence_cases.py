"""Right and wrong answers over small stores of facts: every case comes out right with every preset, without a model."""

import json
from pathlib import Path
from typing import Any

import pytest

from groundwire import CoherenceScorer, GroundTruthStore, VectorGroundTruthStore
from groundwire.coherence import PRESETS

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "golden" / "coherence_own.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("kind", [GroundTruthStore, VectorGroundTruthStore])
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case_comes_out_right_with_every_preset(case: dict[str, Any], kind: type[GroundTruthStore]) -> None:
    store = kind()
    store.add_many(case["facts"])
    for name, weights in PRESETS.items():
        if case.get("needs_logic") and not weights.counts_logic:
            continue
        approved, score = CoherenceScorer.from_preset(name, ground_truth_store=store).review(
            case["prompt"], case["response"]
        )
        assert approved == (case["expect"] == "approved"), (name, score)
        if not approved:
            assert score.evidence is not None
            assert score.evidence.chunks


def test_there_are_cases_of_every_kind_and_ids_are_unique() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES) >= 60
    assert {case["kind"] for case in CASES} >= {
        "restatement", "negation", "number", "name", "date", "paraphrase", "unrelated"
    }  # fmt: skip
