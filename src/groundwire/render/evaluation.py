"""Show what was measured on labelled data: as text for a terminal, as one self-contained page."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from string import Template

from groundwire.ledger import sha256_hex
from groundwire.render.plain import visible, visible_lines

_SIZE, _LEFT, _TOP = 260, 44, 10  # of the square in which a curve is drawn
_MOST_POINTS = 400
_ASCII = str.maketrans({"·": "|", "–": "-"})
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class MeasuredFigure:
    """One line of figures: what, how much, and what to know about it."""

    name: str
    value: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredKind:
    """The rows of one kind in words."""

    name: str
    rows: int
    supported: int
    right: str
    auc: str


@dataclass(frozen=True, slots=True)
class MeasuredBin:
    """A dot of the reliability diagram."""

    score: float
    supported: float
    rows: int


@dataclass(frozen=True, slots=True)
class WorstError:
    """A row that was judged wrongly, and how surely."""

    line: int
    label: int
    probability: str
    response: str
    source: str
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MeasuredFile:
    """Everything a person is shown of one file."""

    name: str
    lead: str
    notes: tuple[str, ...]
    figures: tuple[MeasuredFigure, ...]
    kinds: tuple[MeasuredKind, ...]
    roc: tuple[Point, ...]
    operating_point: Point
    bins: tuple[MeasuredBin, ...]
    errors: tuple[WorstError, ...]
    wrong: int


@dataclass(frozen=True, slots=True)
class EvaluationView:
    """Everything a person is shown of a measurement."""

    files: tuple[MeasuredFile, ...]
    mean: tuple[MeasuredFigure, ...]
    footer: str


def render_evaluation_terminal(view: EvaluationView, *, unicode: bool = True) -> str:
    """Return the text a terminal shows for a measurement."""
    lines: list[str] = []
    for file in view.files:
        lines += [f"{visible(file.name)}: {file.lead}", *_figure_lines(file.figures)]
        if file.kinds:
            width = max(len(visible(kind.name)) for kind in file.kinds)
            lines.append("  by kind, with the number of rows")
            lines += [
                f"    {visible(kind.name):<{width}}  {kind.rows:>5}  {kind.right:>5} right  AUC {kind.auc}"
                for kind in file.kinds
            ]
        lines += [*(f"  Note: {visible(note)}" for note in file.notes), ""]
    if view.mean:
        lines += [f"mean of {len(view.files)} files", *_figure_lines(view.mean), ""]
    text = "\n".join([*lines, visible(view.footer)])
    return text if unicode else text.translate(_ASCII)


def render_evaluation_html(view: EvaluationView) -> str:
    """Return the measurement as one self-contained page; every text in it is escaped."""
    return template("evaluation.html").substitute(
        styled(),
        lead=escaped(", ".join(file.name for file in view.files)),
        mean=_mean(view),
        files="".join(_section(number, file) for number, file in enumerate(view.files, start=1)),
        footer=escaped(view.footer),
    )


def _figure_lines(figures: Sequence[MeasuredFigure]) -> list[str]:
    width = max((len(figure.name) for figure in figures), default=0)
    return [
        f"  {figure.name:<{width}}  {figure.value}{f'  {figure.detail}' if figure.detail else ''}" for figure in figures
    ]


def _mean(view: EvaluationView) -> str:
    if not view.mean:
        return ""
    table = f'<div class="wide">{figure_table(view.mean)}</div>'
    return f'<section class="measured"><h2>Mean of {len(view.files)} files</h2>{table}</section>'


def _section(number: int, file: MeasuredFile) -> str:
    return template("evaluation_file.html").substitute(
        number=number,
        name=escaped(file.name),
        lead=escaped(file.lead),
        notes="".join(f'<p class="note">{escaped(note)}</p>' for note in file.notes),
        figures=figure_table(file.figures),
        roc=_roc(file),
        reliability=reliability_chart(file.bins),
        kinds=_kinds(file.kinds),
        wrong=escaped(f"{file.wrong:,} of the rows were judged wrongly; the {len(file.errors)} surest are shown."),
        errors="".join(map(_error, file.errors)),
    )


def figure_table(figures: Sequence[MeasuredFigure]) -> str:
    """Draw figures as a table, one a line."""
    rows = "".join(
        f'<tr><th scope="row">{escaped(item.name)}</th><td class="value">{escaped(item.value)}</td>'
        f"<td>{escaped(item.detail)}</td></tr>"
        for item in figures
    )
    return f'<table class="numbers">{rows}</table>'


def _kinds(kinds: Sequence[MeasuredKind]) -> str:
    if not kinds:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escaped(kind.name)}</th><td class="value">{kind.rows}</td>'
        f'<td class="value">{kind.supported}</td><td class="value">{escaped(kind.right)}</td>'
        f'<td class="value">{escaped(kind.auc)}</td></tr>'
        for kind in kinds
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Kind", "Rows", "Supported", "Right", "AUC"))
    return f'<h3>By kind</h3><div class="wide"><table class="numbers"><tr>{head}</tr>{rows}</table></div>'


def _roc(file: MeasuredFile) -> str:
    points = _thinned(file.roc)
    line = " ".join(f"{_x(x)},{_y(y)}" for x, y in points)
    alarms, found = file.operating_point
    label = f"At the threshold {found:.0%} of the wrong answers are found at {alarms:.0%} false alarms."
    drawn = f'<polyline class="curve" points="{line}"/><circle class="dot" cx="{_x(alarms)}" cy="{_y(found)}" r="5"/>'
    return _chart("ROC curve", "supported answers flagged (false alarms)", "wrong answers found", label, drawn)


def reliability_chart(bins: Sequence[MeasuredBin]) -> str:
    """Draw how often rows of a probability are supported."""
    most = max((item.rows for item in bins), default=1)
    line = " ".join(f"{_x(item.score)},{_y(item.supported)}" for item in bins)
    dots = "".join(
        f'<circle class="dot" cx="{_x(item.score)}" cy="{_y(item.supported)}" r="{3 + 6 * item.rows / most:.1f}">'
        f"<title>{item.rows} rows: probability {item.score:.2f}, supported {item.supported:.2f}</title></circle>"
        for item in bins
    )
    label = "On the dashed line as many rows are supported as the probability says. Both classes weigh alike."
    drawn = f'<polyline class="curve" points="{line}"/>{dots}'
    return _chart("Reliability", "support probability", "share supported", label, drawn)


def _chart(title: str, across: str, up: str, label: str, drawn: str) -> str:
    end = _LEFT + _SIZE
    floor = _TOP + _SIZE
    ticks = "".join(
        f'<line class="grid" x1="{_x(share)}" y1="{_TOP}" x2="{_x(share)}" y2="{floor}"/>'
        f'<line class="grid" x1="{_LEFT}" y1="{_y(share)}" x2="{end}" y2="{_y(share)}"/>'
        f'<text x="{_x(share)}" y="{floor + 16}" text-anchor="middle">{share:g}</text>'
        f'<text x="{_LEFT - 8}" y="{float(_y(share)) + 4:.1f}" text-anchor="end">{share:g}</text>'
        for share in (0, 0.25, 0.5, 0.75, 1)
    )
    middle = _TOP + _SIZE / 2
    return (
        f'<figure class="chart"><figcaption><strong>{title}</strong> {escaped(label)}</figcaption>'
        f'<svg viewBox="0 0 {end + 12} {floor + 42}" role="img" aria-label="{escaped(f"{title}. {label}")}">{ticks}'
        f'<line class="chance" x1="{_LEFT}" y1="{floor}" x2="{end}" y2="{_TOP}"/>{drawn}'
        f'<text x="{_LEFT + _SIZE / 2:g}" y="{floor + 35}" text-anchor="middle">{across}</text>'
        f'<text x="12" y="{middle:g}" text-anchor="middle" transform="rotate(-90 12 {middle:g})">{up}</text>'
        "</svg></figure>"
    )


def _error(error: WorstError) -> str:
    kind = "contradicted" if error.label else "fabricated"
    what = "Supported, but flagged" if error.label else "Not supported, but not flagged"
    said = "".join(f"<li>{escaped(line)}</li>" for line in error.said)
    return (
        f'<li class="card v-{kind}"><p class="head"><span class="badge">{what}</span><span>line {error.line}</span>'
        f'<span class="sure">probability {escaped(error.probability)}</span></p>'
        f'<p class="said" dir="auto">{escaped_lines(error.response)}</p><ul class="why">{said}</ul>'
        f'<details><summary>Source</summary><p class="text" dir="auto">{escaped_lines(error.source)}</p></details></li>'
    )


def _thinned(points: Sequence[Point]) -> Sequence[Point]:
    if len(points) <= _MOST_POINTS:
        return points
    step = (len(points) - 1) / (_MOST_POINTS - 1)
    return [points[round(place * step)] for place in range(_MOST_POINTS)]


def _x(share: float) -> str:
    return f"{_LEFT + _SIZE * share:.1f}"


def _y(share: float) -> str:
    return f"{_TOP + _SIZE * (1 - share):.1f}"


def escaped(text: str) -> str:
    """Make a text of anybody safe to stand in a page, on one line."""
    return escape(visible(text), quote=True)


def escaped_lines(text: str) -> str:
    """Make a text of anybody safe to stand in a page, with its lines."""
    return escape(visible_lines(text), quote=True)


@cache
def styled() -> dict[str, str]:
    """Return the style of pages with tables and charts, and the hash by which a page allows it."""
    style = _file("style.css") + _file("evaluation.css")
    digest = bytes.fromhex(sha256_hex(style.encode("utf-8")))
    return {"style": style, "style_hash": "sha256-" + b64encode(digest).decode("ascii")}


@cache
def _file(name: str) -> str:
    return (files("groundwire.render") / "report" / name).read_text(encoding="utf-8")


@cache
def template(name: str) -> Template:
    """Read a page of the folder `report`."""
    return Template(_file(name))
