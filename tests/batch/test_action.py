"""The action file: its scripts are run as a runner would run them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.batch.made import rows, write_lines

ACTION: dict[str, Any] = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


def run(step: str, folder: Path, **inputs: str) -> int:
    """Run the script of a step with the variables that its inputs become."""
    given = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()} | {
        name.replace("_", "-"): value for name, value in inputs.items()
    }
    variables = {
        name: given[value.removeprefix("${{ inputs.").removesuffix(" }}")] for name, value in STEPS[step]["env"].items()
    }
    files = {name: str(folder / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # As GitHub runs `shell: bash`.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[step]["run"]]
    environment = {**os.environ, **variables, **files, "PATH": path}
    return subprocess.run(command, cwd=folder, env=environment, timeout=120, check=False).returncode


@pytest.mark.skipif(shutil.which("bash") is None, reason="the action's scripts are for bash")
def test_the_action_checks_reports_and_gates(tmp_path: Path) -> None:
    write_lines(tmp_path / "in.jsonl", [entry | {"label": None} for entry in rows(20)])
    good = [{**entry, "response": entry["source"].split(": ", 1)[1], "label": None} for entry in rows(20)]
    write_lines(tmp_path / "good.jsonl", good)
    assert run("Check", tmp_path, input="good.jsonl", output="base.jsonl", no_model="true") == 0
    assert run("Check", tmp_path, input="in.jsonl", output="new.jsonl", no_model="true") == 0
    assert "results=new.jsonl" in (tmp_path / "github_output").read_text(encoding="utf-8")
    assert run("Report", tmp_path, output="new.jsonl", baseline="base.jsonl", html="r.html") == 0
    assert "10 of 20 rows approved" in (tmp_path / "github_step_summary").read_text(encoding="utf-8")
    assert (tmp_path / "r.html").exists()
    assert run("Gate", tmp_path, output="new.jsonl", baseline="base.jsonl") == 1
    assert run("Gate", tmp_path, output="base.jsonl", baseline="new.jsonl", min_approved="0.99") == 0
    assert run("Gate", tmp_path, output="new.jsonl", min_approved="0.99") == 1


def test_no_input_is_pasted_into_a_script() -> None:
    assert not [name for name, step in STEPS.items() if "${{" in step["run"]]
