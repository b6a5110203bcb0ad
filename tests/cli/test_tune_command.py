import json
from pathlib import Path

import pytest

from groundwire import Policy
from tests.cli.running import groundwire

EXAMPLE = Path(__file__).parents[2] / "examples" / "labelled.jsonl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rows.jsonl").write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def test_the_written_policy_is_honoured_by_verify_and_eval(folder: Path) -> None:
    ran = groundwire("tune", "rows.jsonl", "--false-alarms", "0.25", "--out", "tuned.yaml", "--no-model", cwd=folder)
    assert ran.status == 0
    assert "Policy written to tuned.yaml" in ran.err
    policy = Policy.from_yaml(folder / "tuned.yaml")
    assert policy.approve_on == "probability"
    verified = groundwire(
        "verify", "--response", "The desk is red.", "--source", "The desk is red.", "--policy", "tuned.yaml", "--json",
        "--no-model",
        cwd=folder,
    )  # fmt: skip
    result = json.loads(verified.out)
    assert result["policy_hash"] == policy.hash
    assert result["checks"][-1] == "support_probability"
    measured = json.loads(
        groundwire("eval", "rows.jsonl", "--policy", "tuned.yaml", "--json", "--no-model", cwd=folder).out
    )
    assert measured["files"][0]["threshold"] == round(policy.grounded_threshold, 4)
    refused = [row for row in _dump(folder) if row["label"] == 1 and not row["approved"]]
    assert len(refused) == 2  # k = floor(0.25 * 13) = 3: two of the twelve lie strictly below the third smallest


def test_json_says_what_is_promised(folder: Path) -> None:
    result = json.loads(groundwire("tune", "rows.jsonl", "--false-alarms", "0.25", "--json", cwd=folder).out)
    assert result["guarantee"] == round(3 / 13, 4)
    assert (result["supported_rows"], result["unsupported_rows"]) == (12, 12)
    assert result["policy"]["grounded_threshold"] == result["threshold"]


def test_a_policy_is_tuned_on_top_of_another(folder: Path) -> None:
    (folder / "base.yaml").write_text("candidates: 4\n", encoding="utf-8")
    arguments = ("tune", "rows.jsonl", "--false-alarms", "0.25", "--policy", "base.yaml", "--out", "tuned.yaml")
    assert groundwire(*arguments, cwd=folder).status == 0
    assert Policy.from_yaml(folder / "tuned.yaml").candidates == 4


def test_wrong_use_is_one_line_and_status_2(folder: Path) -> None:
    (folder / "kept.yaml").write_text("candidates: 4\n", encoding="utf-8")
    groundwire("tune", "rows.jsonl", cwd=folder).refused_with("12 supported rows are too few", "at least 19")
    groundwire("tune", "rows.jsonl", "--false-alarms", "2", cwd=folder).refused_with("false-alarm rate is 2")
    groundwire("tune", "missing.jsonl", cwd=folder).refused_with("does not exist")
    existing = ("tune", "rows.jsonl", "--false-alarms", "0.25", "--out", "kept.yaml")
    groundwire(*existing, cwd=folder).refused_with("'kept.yaml' exists already", "--overwrite")
    assert (folder / "kept.yaml").read_text(encoding="utf-8") == "candidates: 4\n"
    assert groundwire(*existing, "--overwrite", cwd=folder).status == 0
    over = ("tune", "rows.jsonl", "--false-alarms", "0.25", "--out", "rows.jsonl", "--overwrite")
    groundwire(*over, cwd=folder).refused_with("is one of the inputs")


def _dump(folder: Path) -> list[dict[str, object]]:
    groundwire("eval", "rows.jsonl", "--policy", "tuned.yaml", "--dump", "out.jsonl", "--no-model", cwd=folder)
    return [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]
