import json
from pathlib import Path

import pytest

from groundwire import Policy, VerifiedScorer
from groundwire.evals import judge_rows, load_dataset, mean, measure, metrics
from groundwire.evals.figures import dump_line
from groundwire.evals.view import worst_errors
from tests.evals.rows import judged

EXAMPLE = Path(__file__).parents[2] / "examples" / "labelled.jsonl"


def test_the_figures_are_those_of_the_pure_functions() -> None:
    rows = [judged(1, 0.9), judged(1, 0.4), judged(0, 0.3), judged(0, 0.6), judged(0, 0.1)]
    figures = measure("x", rows, 0.5)
    labels, scores = [1, 1, 0, 0, 0], [0.9, 0.4, 0.3, 0.6, 0.1]
    assert figures.balanced_accuracy == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert figures.auc == metrics.auc(labels, scores)
    assert figures.calibration_error == metrics.calibration_error(labels, scores)
    assert figures.precision == pytest.approx(2 / 3)
    assert figures.recall == pytest.approx(2 / 3)
    interval, value = figures.balanced_accuracy_interval, figures.balanced_accuracy
    assert interval is not None
    assert value is not None
    assert interval[0] <= value <= interval[1]


def test_the_threshold_of_the_policy_moves_the_accuracy_and_not_the_rank() -> None:
    rows = [judged(1, 0.4), judged(1, 0.35), judged(0, 0.2), judged(0, 0.1)]
    assert measure("x", rows, 0.5).balanced_accuracy == 0.5
    assert measure("x", rows, 0.3).balanced_accuracy == 1.0
    assert measure("x", rows, 0.5).auc == measure("x", rows, 0.3).auc == 1.0


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.9])
def test_a_row_with_nothing_to_check_is_counted_and_not_called_grounded(threshold: float) -> None:
    figures = measure("x", [judged(1, None), judged(1, 0.95), judged(0, 0.05)], threshold)
    assert figures.nothing_to_check == 1
    assert figures.balanced_accuracy == pytest.approx(0.75)


def test_span_figures_count_characters_over_all_marked_rows() -> None:
    rows = [
        judged(0, 0.1, truth=((0, 10),), found=((5, 10),)),
        judged(1, 0.9, truth=None, found=((0, 5),)),  # supported: whatever is marked here is wrong
        judged(0, 0.2, truth=None, found=((0, 25),)),  # nobody said which part is wrong
    ]
    figures = measure("x", rows, 0.5)
    assert figures.span_rows == 2
    assert (figures.span_precision, figures.span_recall) == (0.5, 0.5)


def test_without_marked_spans_no_span_figure_is_given() -> None:
    figures = measure("x", [judged(1, 0.9), judged(0, 0.1)], 0.5)
    assert (figures.span_rows, figures.span_f1) == (0, None)


def test_kinds_are_listed_when_there_are_some() -> None:
    rows = [judged(0, 0.1, kind="number"), judged(0, 0.9, kind="number"), judged(1, 0.9)]
    kinds = measure("x", rows, 0.5).kinds
    assert kinds["number"].rows == 2
    assert kinds["number"].right == 0.5
    assert kinds["number"].auc is None
    assert kinds["(none)"].supported == 1
    assert measure("x", [judged(1, 0.9), judged(0, 0.1)], 0.5).kinds == {}


def test_the_mean_weighs_files_alike() -> None:
    good = measure("a", [judged(1, 0.9), judged(0, 0.1)], 0.5)
    bad = measure("b", [judged(1, 0.1), judged(0, 0.9)] * 10, 0.5)
    averages = mean([good, bad])
    assert averages["files"] == 2
    assert averages["auc"] == averages["balanced_accuracy"] == 0.5
    assert averages["span_f1"] is None


def test_latencies_are_percentiles_of_the_rows() -> None:
    rows = [judged(place % 2, 0.5, milliseconds=float(place + 1)) for place in range(100)]
    assert measure("x", rows, 0.5).milliseconds == {"p50": 50.0, "p95": 95.0, "p99": 99.0}


def test_the_worst_errors_come_first() -> None:
    rows = [judged(0, 0.7, line=1), judged(1, 0.01, line=2), judged(1, 0.9, line=3), judged(0, 0.95, line=4)]
    assert [item.row.line for item in worst_errors(rows, 0.5)] == [2, 4, 1]
    assert len(worst_errors(rows, 0.5, count=1)) == 1


def test_the_shipped_example_is_judged_by_the_real_scorer() -> None:
    data = load_dataset(EXAMPLE)
    seen: list[tuple[int, int]] = []
    scorer = VerifiedScorer()
    rows = judge_rows(data.rows, scorer, Policy(), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(place, 24) for place in range(1, 25)]
    for row in rows:
        result = scorer.verify(row.row.response, row.row.source, question=row.row.question)
        assert (row.probability, row.approved) == (result.support_probability, result.approved)
        assert all(0 <= start < end <= len(row.row.response) for start, end in row.spans)
    plain = measure(data.name, rows, 0.5).to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["span_rows"] == 24


def test_a_dumped_line_leads_to_its_row_and_holds_no_text() -> None:
    data = load_dataset(EXAMPLE)
    item = judge_rows(data.rows[4:5], VerifiedScorer(), Policy())[0]
    line = dump_line(data.name, item)
    assert (line["line"], line["label"], line["approved"]) == (5, 0, False)
    assert line["claims"][0]["verdict"] == "contradicted"
    assert line["claims"][0]["reasons"] == ["number_mismatch"]
    assert "carries" not in json.dumps(line)
