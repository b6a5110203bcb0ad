"""Show what a batch found: as one self-contained page, and as Markdown for a pull request."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from groundwire.render.evaluation import (
    MeasuredBin,
    MeasuredFigure,
    escaped,
    escaped_lines,
    figure_table,
    reliability_chart,
    styled,
    template,
)
from groundwire.render.plain import visible
from groundwire.render.words import reason_label, verdict_words

_LONGEST_CELL = 300
# What Markdown would read as its own signs, HTML or a mention of somebody.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+!|~@&-])")


@dataclass(frozen=True, slots=True)
class RunTable:
    """A table with a heading; the first column names, the others count."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    hint: str = ""


@dataclass(frozen=True, slots=True)
class RunClaim:
    """A claim worth looking at first."""

    where: str
    verdict: str
    confidence: float
    text: str
    reasons: tuple[str, ...]
    evidence: str


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything a person is shown of a run."""

    name: str
    lead: str
    notes: tuple[str, ...]
    figures: tuple[MeasuredFigure, ...]
    tables: tuple[RunTable, ...]
    bins: tuple[MeasuredBin, ...]
    worst: tuple[RunClaim, ...]
    footer: str


def render_run_html(view: RunView) -> str:
    """Return the run as one self-contained page; every text in it is escaped."""
    return template("run.html").substitute(
        styled(),
        name=escaped(view.name),
        lead=escaped(view.lead),
        notes="".join(f'<p class="note">{escaped(note)}</p>' for note in view.notes),
        figures=figure_table(view.figures),
        charts=f'<div class="charts">{reliability_chart(view.bins)}</div>' if view.bins else "",
        tables="".join(map(_table, view.tables)),
        worst="".join(map(_card, view.worst)) or '<li class="hint">None was contradicted or fabricated.</li>',
        footer=escaped(view.footer),
    )


def render_run_markdown(view: RunView) -> str:
    """Return the run as Markdown in which no text of a row can act as Markdown or HTML."""
    lines = [f"## Groundwire: {_markdown(view.name)}", "", _markdown(view.lead), ""]
    lines += [f"> {_markdown(note)}" for note in view.notes] + ([""] if view.notes else [])
    lines += _rows(("", "", ""), [(item.name, item.value, item.detail) for item in view.figures])
    for table in view.tables:
        lines += [f"### {_markdown(table.title)}", "", *([_markdown(table.hint), ""] if table.hint else [])]
        lines += _rows(table.head, table.rows)
    if view.worst:
        lines += ["### Worst claims", ""]
        lines += _rows(
            ("where", "verdict", "claim", "why", "nearest evidence"),
            [
                (
                    claim.where,
                    f"{verdict_words(claim.verdict).label} {claim.confidence:.2f}",
                    claim.text,
                    ", ".join(map(reason_label, claim.reasons)),
                    claim.evidence,
                )
                for claim in view.worst
            ],
        )
    return "\n".join([*lines, _markdown(view.footer), ""])


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    body = [f"| {' | '.join(_markdown(cell) for cell in row)} |" for row in rows]
    return [f"| {' | '.join(map(_markdown, head))} |", "|" + "---|" * len(head), *body, ""]


def _markdown(text: str) -> str:
    flat = " ".join(visible(text).split())
    short = flat if len(flat) <= _LONGEST_CELL else flat[: _LONGEST_CELL - 1] + "…"
    return _MARKDOWN.sub(r"\\\1", short)


def _table(table: RunTable) -> str:
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in table.head)
    rows = "".join(
        f'<tr><th scope="row">{escaped(row[0])}</th>'
        + "".join(f'<td class="value">{escaped(cell)}</td>' for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    hint = f'<p class="hint">{escaped(table.hint)}</p>' if table.hint else ""
    return (
        f"<h3>{escaped(table.title)}</h3>{hint}"
        f'<div class="wide"><table class="numbers"><tr>{head}</tr>{rows}</table></div>'
    )


def _card(claim: RunClaim) -> str:
    words = verdict_words(claim.verdict)
    kind = claim.verdict if claim.verdict in ("supported", "contradicted", "fabricated") else "unverifiable"
    why = "".join(f"<li>{escaped(reason_label(reason))}</li>" for reason in claim.reasons)
    evidence = (
        f'<details><summary>Nearest evidence</summary><p class="text" dir="auto">{escaped_lines(claim.evidence)}</p>'
        "</details>"
        if claim.evidence
        else ""
    )
    return (
        f'<li class="card v-{kind}"><p class="head"><span class="badge">{escaped(words.label)}</span>'
        f'<span>{escaped(claim.where)}</span><span class="sure">confidence {claim.confidence:.2f}</span></p>'
        f'<p class="said" dir="auto">{escaped_lines(claim.text)}</p><ul class="why">{why}</ul>{evidence}</li>'
    )
