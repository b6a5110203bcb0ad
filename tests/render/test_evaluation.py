import re
from html.parser import HTMLParser
from pathlib import Path

from groundwire import Policy, VerifiedScorer
from groundwire.evals import Row, judge_rows, measure
from groundwire.evals.datasets import BadLine
from groundwire.evals.view import view_of
from groundwire.render.evaluation import EvaluationView, render_evaluation_html, render_evaluation_terminal

PAYLOADS = (Path(__file__).parent / "xss_payloads.txt").read_text(encoding="utf-8").splitlines()
VOID = {"meta", "line", "circle", "polyline"}


def view(files: int = 1, name: str = "rows.jsonl", text: str = "") -> EvaluationView:
    rows = [
        Row(
            f"The desk weighs 30 kg. {text}", f"The desk weighs 40 kg. {text}", 0, f"number{text}", None, ((16, 21),), 1
        ),
        Row(f"The desk weighs 30 kg. {text}", f"The desk weighs 30 kg. {text}", 1, "", None, None, 2),
        Row("Anna leads the team.", "The team is led by a woman called Anna.", 1, "", None, None, 3),
        Row("Anna leads the team.", "Anna leads the team today.", 0, "addition", None, None, 4),
    ]
    judged = judge_rows(rows, VerifiedScorer(), Policy())
    figures = measure(name, judged, 0.5, (BadLine(9, f"not JSON {text}"),))
    return view_of([(figures, judged)] * files, "Groundwire · model: none")


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def parsed(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == []
    return page


def test_the_page_is_well_formed_and_asks_nobody_for_anything() -> None:
    html = render_evaluation_html(view())
    page = parsed(html)
    assert not [tag for tag, _ in page.tags if tag in ("script", "link", "img", "iframe", "object")]
    assert not [attrs for _, attrs in page.tags if {"src", "href", "style"} & set(attrs)]
    assert "default-src 'none'" in html
    assert "prefers-color-scheme: dark" in html


def test_the_page_shows_curve_diagram_kinds_notes_and_worst_errors() -> None:
    html = render_evaluation_html(view())
    assert html.count("<svg viewBox") == 2
    assert "ROC curve" in html
    assert "Reliability" in html
    assert "By kind" in html
    assert "1 broken line (line 9: not JSON" in html
    assert "Not supported, but not flagged" in html
    assert "Supported, but flagged" in html


def test_the_text_of_rows_and_names_stays_text() -> None:
    for payload in PAYLOADS:
        html = render_evaluation_html(view(name=payload, text=payload))
        tags = {tag for tag, _ in parsed(html).tags}
        assert tags <= {tag for tag, _ in parsed(render_evaluation_html(view())).tags}, payload
        assert not re.search(r"<[^>]*\son\w+=", html), payload


def test_several_files_have_a_mean() -> None:
    assert "Mean of 3 files" in render_evaluation_html(view(3))
    assert "mean of 3 files" in render_evaluation_terminal(view(3))
    assert "mean of" not in render_evaluation_terminal(view(1))


def test_the_terminal_is_not_driven_by_names_and_takes_ascii() -> None:
    text = render_evaluation_terminal(view(name="evil\x1b[2J.jsonl"), unicode=False)
    assert "\x1b" not in text
    assert "·" not in text
