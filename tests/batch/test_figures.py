"""Figures, drift, comparison and what is shown of them."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.batch.compare import compare_runs
from groundwire.batch.figures import figures_of, stability_index
from groundwire.batch.view import view_of_run
from groundwire.errors import InputError
from groundwire.evals.paired import mcnemar, paired_difference
from groundwire.render.run import render_run_html, render_run_markdown

PAYLOADS = (Path(__file__).parents[1] / "render" / "xss_payloads.txt").read_text(encoding="utf-8").splitlines()


def row(line: int, approved: bool = True, **changes: Any) -> dict[str, Any]:
    claim = {
        "text": "It is 5 kg.", "verdict": "supported" if approved else "contradicted", "confidence": 0.7,
        "support_probability": 0.9 if approved else 0.2, "reasons": [] if approved else ["number_mismatch"],
        "evidence": [{"text": "It is 6 kg."}],
    }  # fmt: skip
    plain = {
        "line": line, "id": None, "source_id": "s", "label": None, "approved": approved, "status": "checked",
        "support_probability": 0.9 if approved else 0.2, "claims": [claim],
    }  # fmt: skip
    return plain | changes


def test_rates_are_counted_by_verdict_and_source() -> None:
    found = figures_of([row(1), row(2, False), row(3, False, source_id="t"), row(4, status="truncated")])
    assert (found.rows, found.approved) == (4, 2)
    assert found.claims == {"supported": 2, "contradicted": 2, "fabricated": 0, "unverifiable": 0}
    assert found.reasons == {"number_mismatch": 2}
    assert [(item.source_id, item.rows, item.refused) for item in found.sources] == [("s", 3, 1), ("t", 1, 1)]
    assert found.labelled is None
    assert [claim.line for claim in found.worst] == [2, 3]


def test_the_worst_claims_are_the_surest_and_no_more_than_wanted() -> None:
    rows = [row(number, False) for number in range(1, 9)]
    for number, entry in enumerate(rows):
        entry["claims"][0]["confidence"] = number / 10
    assert [claim.line for claim in figures_of(rows, worst=3).worst] == [8, 7, 6]


def test_calibration_is_measured_where_rows_have_labels() -> None:
    found = figures_of([row(1, label=1), row(2, False, label=0), row(3, label=0)])
    assert found.labelled is not None
    assert (found.labelled.rows, found.labelled.supported) == (3, 1)
    assert found.labelled.approval_right == pytest.approx(2 / 3)
    assert found.labelled.auc == 0.75
    page = render_run_html(view_of_run("x", found, {}))
    assert "Reliability" in page


def test_no_rows_are_no_shares() -> None:
    found = figures_of([])
    assert found.mean_probability is None
    assert "–" in render_run_markdown(view_of_run("x", found, {}))


def test_drift_is_zero_without_change_and_grows_with_it() -> None:
    assert stability_index([5, 5], [5, 5]) == 0
    assert stability_index([0, 0], [5, 5]) is None
    small, large = stability_index([50, 50], [45, 55]), stability_index([50, 50], [5, 95])
    assert small is not None
    assert large is not None
    assert 0 < small < 0.1 < 0.25 < large


def test_mcnemar_agrees_with_values_worked_out_by_hand() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(0, 5) == pytest.approx(2 / 32)
    assert mcnemar(1, 9) == pytest.approx(2 * 11 / 1024)
    assert mcnemar(7, 7) == 1.0
    assert mcnemar(100_000, 101_000) == pytest.approx(0.0259, abs=5e-4)  # z = 2.23


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_a_probability_and_knows_no_side(first: int, second: int) -> None:
    p_value = mcnemar(first, second)
    assert 0 < p_value <= 1
    assert p_value == mcnemar(second, first)


def test_the_paired_bootstrap_holds_the_mean_and_is_repeatable() -> None:
    first = [0.1 * (number % 7) for number in range(200)]
    second = [value + 0.05 + 0.01 * (number % 3) for number, value in enumerate(first)]
    found = paired_difference(first, second)
    assert found is not None
    assert found.low < found.mean < found.high
    assert found.mean == pytest.approx(0.06, abs=0.001)
    assert found.low > 0.05
    assert paired_difference(first, second) == found
    assert paired_difference([], []) is None


def test_labels_decide_what_better_means() -> None:
    first = [row(number, label=0) for number in range(10)]  # approves what it should not
    second = [row(number, False, label=0) for number in range(10)]
    found = compare_runs(first, second)
    assert (found.measure, found.lost, found.gained, found.worse) == ("right approvals", 0, 10, False)
    assert found.significant
    unlabelled = compare_runs([row(number) for number in range(10)], [row(number, False) for number in range(10)])
    assert (unlabelled.measure, unlabelled.worse) == ("approvals", True)


def test_rows_are_paired_by_id_before_line() -> None:
    found = compare_runs([row(1, id="a"), row(2, id="b")], [row(1, id="b"), row(2, False, id="a"), row(3, id="c")])
    assert (found.rows, found.lost, found.only_in_second) == (2, 1, 1)
    assert found.changed[0].key == "id a"
    with pytest.raises(InputError, match="twice"):
        compare_runs([row(1, id="a"), row(2, id="a")], [row(1, id="a")])


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize("payload", PAYLOADS[:40])
def test_no_text_of_a_row_can_act_in_page_or_markdown(payload: str) -> None:
    hostile = row(1, False, id=payload, source_id=payload)
    hostile["claims"][0] |= {"text": payload, "evidence": [{"text": payload}], "reasons": [payload]}
    found = figures_of([hostile, hostile])
    view = view_of_run(payload, found, {"version": payload, "input": {"name": payload}}, (payload, found))
    page = Tags()
    page.feed(render_run_html(view))
    assert not page.tags & {"script", "img", "svg", "iframe", "a", "object", "link", "form", "input"}
    assert not {name for name in page.attributes if name.startswith("on")} | page.attributes & {"href", "src", "style"}
    text = render_run_markdown(view)
    plain = text.replace("\\<", "").replace("\\[", "")
    assert "<" not in plain
    assert "[" not in plain
