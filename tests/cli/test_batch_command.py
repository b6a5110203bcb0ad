"""The command as a user meets it: options, messages, exit status."""

import json
import re
from pathlib import Path

import pytest

from groundwire.cli.batch import progress_text
from tests.batch.made import read_lines, rows, write_lines
from tests.cli.running import groundwire


@pytest.fixture
def given(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "in.jsonl", rows(4))


def test_a_batch_says_what_it_did(tmp_path: Path, given: Path) -> None:
    with open(given, "a", encoding="utf-8") as file:
        file.write("broken\n")
    ran = groundwire("batch", given, tmp_path / "out.jsonl", "--no-model")
    assert ran.status == 0
    assert f"{tmp_path}/out.jsonl: 4 rows checked" in ran.out
    assert "out.jsonl.bad.jsonl: 1 row that could not be checked" in ran.out
    assert ran.err == ""
    assert [row["approved"] for row in read_lines(tmp_path / "out.jsonl")] == [False, True, False, True]


def test_an_existing_output_is_refused_and_replaced_when_told(tmp_path: Path, given: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert groundwire("batch", given, out, "--no-model", "--quiet").out == ""
    before = out.read_bytes()
    groundwire("batch", given, out, "--no-model").refused_with("out.jsonl' exists already", "--overwrite")
    again = groundwire("batch", given, out, "--no-model", "--resume")
    assert "complete already, 4 rows" in again.out
    assert groundwire("batch", given, out, "--no-model", "--overwrite", "--limit", "2").status == 0
    assert out.read_bytes() == b"".join(before.splitlines(keepends=True)[:2])


def test_an_unfinished_run_is_not_thrown_away_silently(tmp_path: Path, given: Path) -> None:
    (tmp_path / "out.jsonl.work").mkdir()
    ran = groundwire("batch", given, tmp_path / "out.jsonl", "--no-model")
    ran.refused_with("holds an unfinished run", "--resume", "--overwrite")


def test_unknown_columns_are_listed(tmp_path: Path) -> None:
    given = write_lines(tmp_path / "in.jsonl", [{"answer": "a", "context": "b"}] * 2)
    ran = groundwire("batch", given, tmp_path / "out.jsonl", "--no-model")
    ran.refused_with("no column 'response'", "'answer', 'context'", "--columns response=answer")
    ran = groundwire("batch", given, tmp_path / "out.jsonl", "--columns", "response=answer,source=contex")
    ran.refused_with("no column 'contex'")
    (tmp_path / "in.csv").write_text("answer,context\na,b\n", encoding="utf-8")
    groundwire("batch", tmp_path / "in.csv", tmp_path / "out.jsonl").refused_with("'answer', 'context'")
    assert not list(tmp_path.glob("out*"))


def test_rows_of_another_schema_are_bad_rows_with_what_they_have(tmp_path: Path) -> None:
    given = write_lines(tmp_path / "in.jsonl", [*rows(1), {"answer": "a", "source": "b"}])
    assert groundwire("batch", given, tmp_path / "out.jsonl", "--no-model").status == 0
    (bad,) = read_lines(tmp_path / "out.jsonl.bad.jsonl")
    assert bad == {"line": 2, "why": "no column 'response'; present: 'answer', 'source'"}


def test_a_file_of_bad_rows_alone_ends_with_status_one(tmp_path: Path) -> None:
    given = write_lines(tmp_path / "in.jsonl", [{"response": 1, "source": 2}])
    assert groundwire("batch", given, tmp_path / "out.jsonl", "--no-model").status == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("missing.jsonl", "out.jsonl"), "does not exist"),
        (("in.txt", "out.jsonl"), "does not tell the format"),
        (("in.jsonl", "out.csv"), "cannot be CSV"),
        (("in.jsonl", "nowhere/out.jsonl"), "does not exist"),
        (("in.jsonl", "in.jsonl"), "is the input"),
        (("-", "out.jsonl"), "reads and writes files"),
        (("in.jsonl", "out.jsonl", "--engine", "spark"), "local or ray"),
        (("in.jsonl", "out.jsonl", "--ray-address", "x:1"), "--engine ray"),
        (("in.jsonl", "out.jsonl", "--columns", "answer"), "part=column"),
        (("in.jsonl", "out.jsonl", "--columns", "text=answer"), "no part 'text'"),
        (("in.jsonl", "out.jsonl", "--limit", "0"), "--limit"),
        (("in.jsonl", "out.jsonl", "--resume", "--overwrite"), "exclude each other"),
        (("in.jsonl", "out.jsonl", "--processes", "100000"), "processes is 100000"),
        ((".", "out.jsonl"), "format"),
    ],
)
def test_wrong_usage_is_one_clear_line(tmp_path: Path, given: Path, arguments: tuple[str, ...], said: str) -> None:
    before = given.read_bytes()
    groundwire("batch", *arguments, cwd=tmp_path).refused_with(said)
    assert given.read_bytes() == before


def test_parquet_without_its_extra_names_the_extra(tmp_path: Path, given: Path) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ImportError", encoding="utf-8")
    ran = groundwire("batch", given, tmp_path / "out.parquet", PYTHONPATH=str(tmp_path))
    ran.refused_with("pip install 'groundwire[batch]'")


def test_ray_without_its_extra_names_the_extra(tmp_path: Path, given: Path) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError", encoding="utf-8")
    ran = groundwire("batch", given, tmp_path / "out.jsonl", "--no-model", "--engine", "ray", PYTHONPATH=str(tmp_path))
    ran.refused_with("pip install 'groundwire[ray]'")
    assert not list(tmp_path.glob("out.jsonl*"))


def test_an_empty_file_is_a_batch_of_no_rows(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(b"")
    ran = groundwire("batch", tmp_path / "in.jsonl", tmp_path / "out.jsonl", "--no-model", "--json")
    assert ran.status == 0
    assert json.loads(ran.out)["rows"] == 0
    assert (tmp_path / "out.jsonl").read_bytes() == b""


def test_progress_tells_rate_and_time_left() -> None:
    assert progress_text(50, 200, 0, 10.0) == "50 of 200 rows (25%), 5.0 rows a second, 0:30 left"
    assert progress_text(50, 100_000, 40, 10.0).endswith("1.0 rows a second, 27:45:50 left")
    assert progress_text(40, 200, 40, 10.0) == "40 of 200 rows (20%)"


@pytest.fixture
def two_runs(tmp_path: Path) -> tuple[Path, Path]:
    """Return two outputs over the same rows; the second run's answers are all wrong."""
    good = [entry | {"response": entry["source"].split(": ", 1)[1]} for entry in rows(40)]
    first = write_lines(tmp_path / "good.jsonl", [entry | {"label": None} for entry in good])
    second = write_lines(tmp_path / "poor.jsonl", [entry | {"label": None} for entry in rows(40)])
    for given in (first, second):
        assert groundwire("batch", given, given.with_suffix(".out.jsonl"), "--no-model").status == 0
    return first.with_suffix(".out.jsonl"), second.with_suffix(".out.jsonl")


def test_compare_is_a_gate_for_ci(two_runs: tuple[Path, Path]) -> None:
    good, poor = two_runs
    ran = groundwire("compare", good, poor, "--fail-if-worse")
    assert ran.status == 1
    assert "20 lost, 0 gained" in ran.out
    assert ran.out.rstrip().endswith("worse")
    assert groundwire("compare", good, poor).status == 0
    assert groundwire("compare", poor, good, "--fail-if-worse").status == 0
    told = json.loads(groundwire("compare", good, poor, "--json").out)
    assert told["worse"] is True
    assert told["p_value"] == pytest.approx(2 / 2**20)
    assert told["probability"]["high"] < 0


def test_compare_refuses_what_cannot_be_paired(tmp_path: Path, two_runs: tuple[Path, Path]) -> None:
    other = tmp_path / "other.jsonl"
    write_lines(other, [json.loads(two_runs[0].read_text(encoding="utf-8").splitlines()[0]) | {"id": "x"}])
    groundwire("compare", two_runs[0], other).refused_with("no row in common")
    write_lines(other, [{"a": 1}])
    groundwire("compare", two_runs[0], other).refused_with("no output of groundwire batch", "has no field 'line'")
    groundwire("compare", two_runs[0], two_runs[1], "--alpha", "2").refused_with("alpha is 2")
    groundwire("compare", two_runs[0], tmp_path / "none.jsonl").refused_with("does not exist")


def test_a_report_has_rates_reasons_and_drift(tmp_path: Path, two_runs: tuple[Path, Path]) -> None:
    good, poor = two_runs
    ran = groundwire("report", poor, "--against", good)
    assert ran.status == 0
    assert "20 of 40 rows approved" in ran.out
    assert re.search(r"\| Contradicted \| 20 \| 25.0% \|", ran.out)
    assert re.search(r"\| approved \| 100.0% \| 50.0% \| \\-50.0% \|", ran.out)
    page = groundwire("report", poor, "--html", tmp_path / "r.html", "--markdown", tmp_path / "r.md")
    assert page.out == ""
    assert "Worst claims" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert groundwire("report", poor, "--min-approved", "0.5", "--quiet").status == 0
    low = groundwire("report", poor, "--min-approved", "0.6", "--html", tmp_path / "r.html")
    assert low.status == 1
    assert "20 of 40 rows are approved" in low.err
    groundwire("report", poor, "--html", poor).refused_with("one of the inputs")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"support_probability": "x"}, "another kind of 'support_probability'"),
        ({"status": 5}, "another kind of 'status'"),
        ({"status": "fine"}, "status in line 1 is unknown"),
        ({"label": "yes"}, "label in line 1"),
        ({"claims": [{}]}, "claim 1 in line 1 has no field 'text'"),
        ({"claims": ["x"]}, "claim 1 in line 1 is no object"),
    ],
)
def test_a_report_of_something_else_is_refused(
    tmp_path: Path, two_runs: tuple[Path, Path], change: dict[str, object], said: str
) -> None:
    first = read_lines(two_runs[0])[0]
    other = write_lines(tmp_path / "other.jsonl", [first | change])
    groundwire("report", other).refused_with("no output of groundwire batch", said)
    groundwire("compare", two_runs[0], other).refused_with("no output of groundwire batch", said)


def test_a_report_never_writes_over_what_it_is_made_of(two_runs: tuple[Path, Path]) -> None:
    meta = f"{two_runs[0]}.meta.json"
    groundwire("report", two_runs[0], "--html", meta).refused_with("one of the inputs")
    groundwire("report", two_runs[1], "--against", two_runs[0], "--markdown", meta).refused_with("one of the inputs")


def test_a_quote_that_is_never_closed_is_told_where_it_opens(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('response,source\na,b\n"never closed\nc,d\n', encoding="utf-8")
    assert groundwire("batch", tmp_path / "in.csv", tmp_path / "out.jsonl", "--no-model").status == 0
    (bad,) = read_lines(tmp_path / "out.jsonl.bad.jsonl")
    assert bad["line"] == 3
    assert "never closed" in bad["why"]
