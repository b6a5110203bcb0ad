import json
import lzma
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import groundwire

EXAMPLE = Path(__file__).parents[2] / "examples" / "labelled.jsonl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = EXAMPLE.read_text(encoding="utf-8")
    (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
    (tmp_path / "packed.jsonl.xz").write_bytes(lzma.compress(rows.encode()))
    (tmp_path / "broken.jsonl").write_text(rows + '{"label": 3}\nno\n', encoding="utf-8")
    return tmp_path


def test_figures_are_shown_and_the_status_is_0(folder: Path) -> None:
    ran = groundwire("eval", "rows.jsonl", "--no-model", cwd=folder)
    assert (ran.status, ran.err) == (0, "")
    assert "rows.jsonl: 24 rows, 12 supported, 12 not" in ran.out
    for words in ("balanced accuracy at 0.5", "AUC", "F1 of flagging", "calibration error", "span F1", "time a row"):
        assert words in ran.out
    assert "model: none" in ran.out


def test_json_holds_files_mean_model_and_policy(folder: Path) -> None:
    ran = groundwire("eval", "rows.jsonl", "packed.jsonl.xz", "--no-model", "--json", cwd=folder)
    result = json.loads(ran.out)
    one, two = result["files"]
    assert {**one, "name": "", "milliseconds": {}} == {**two, "name": "", "milliseconds": {}}
    assert result["mean"]["auc"] == one["auc"]
    assert result["mean"]["files"] == 2
    assert result["model"] is None
    assert set(one["milliseconds"]) == {"p50", "p95", "p99"}
    assert one["balanced_accuracy_interval"][0] <= one["balanced_accuracy"] <= one["balanced_accuracy_interval"][1]


def test_the_dump_has_one_line_a_row_and_the_report_is_a_page(folder: Path) -> None:
    ran = groundwire("eval", "rows.jsonl", "--dump", "out.jsonl", "--html", "out.html", cwd=folder)
    assert ran.status == 0
    assert "24 rows written to out.jsonl" in ran.err
    lines = [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["line"] for line in lines] == list(range(1, 25))
    assert all(0 <= line["support_probability"] <= 1 and line["claims"] for line in lines)
    assert (folder / "out.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_standard_input_is_read(folder: Path) -> None:
    assert "standard input: 24 rows" in groundwire("eval", "-", stdin=EXAMPLE.read_bytes()).out


def test_broken_lines_are_refused_or_named(folder: Path) -> None:
    groundwire("eval", "broken.jsonl", cwd=folder).refused_with(
        "2 broken lines", "line 25: no claim or response", "line 26: not JSON", "--skip-bad"
    )
    ran = groundwire("eval", "broken.jsonl", "--skip-bad", cwd=folder)
    assert ran.status == 0
    assert "Note: left out 2 broken lines (line 25: no claim or response; line 26: not JSON" in ran.out
    result = json.loads(groundwire("eval", "broken.jsonl", "--skip-bad", "--json", cwd=folder).out)
    assert [item["line"] for item in result["files"][0]["bad_lines"]] == [25, 26]


def test_wrong_use_is_one_line_and_status_2(folder: Path) -> None:
    (folder / "empty.jsonl").write_text("", encoding="utf-8")
    (folder / "one.jsonl").write_text('{"premise": "a", "claim": "b", "label": 1}\n', encoding="utf-8")
    (folder / "label.jsonl").write_text('{"premise": "a", "claim": "b", "label": "yes"}\n', encoding="utf-8")
    groundwire("eval").refused_with("Missing argument")
    groundwire("eval", "missing.jsonl", cwd=folder).refused_with("'missing.jsonl' does not exist")
    groundwire("eval", "empty.jsonl", cwd=folder).refused_with("empty.jsonl has no rows")
    groundwire("eval", "one.jsonl", cwd=folder).refused_with("no row with label 0", "add rows of the other class")
    groundwire("eval", "label.jsonl", cwd=folder).refused_with('line 1: label is "yes", not 0 or 1')
    groundwire("eval", "-", "-", stdin=b"x").refused_with("twice")
    groundwire("eval", "rows.jsonl", "--dump", "rows.jsonl", cwd=folder).refused_with("is one of the inputs")
    groundwire("eval", "rows.jsonl", "--html", "-", cwd=folder).refused_with("give a file name")
    groundwire("eval", "rows.jsonl", "--policy", "none.yaml", cwd=folder).refused_with("none.yaml")


def test_progress_is_shown_on_a_terminal_alone(folder: Path) -> None:
    main, side = pty.openpty()
    command = [sys.executable, "-m", "groundwire", "eval", "rows.jsonl", "--json"]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=side, timeout=60, check=True)
    os.close(side)
    shown = os.read(main, 100_000).decode()
    os.close(main)
    assert "rows.jsonl: 1 of 24 rows" in shown
    assert shown.endswith("\x1b[K")
    assert json.loads(done.stdout)
