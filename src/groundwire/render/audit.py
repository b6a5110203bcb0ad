"""One screen of an audit: why an answer is not STRICT, which sentence, which rule, what to change."""

from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from textwrap import wrap

from groundwire.render.marks import Mark, cut
from groundwire.render.plain import visible, visible_lines

_LONGEST_QUOTE = 300
_GREEN, _RED, _YELLOW = "\x1b[1;32m", "\x1b[1;31m", "\x1b[1;33m"
_PLAIN = "\x1b[0m"
_ASCII = str.maketrans({"“": '"', "”": '"', "…": "...", "·": "|", "✓": "+", "✗": "x"})


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One thing that keeps an answer from being STRICT."""

    rule: str
    sentence: str
    why: str
    change: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class AuditUnit:
    """One unit of the answer with what the audit found for it."""

    text: str
    label: str
    verified: bool
    evidence: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class AuditView:
    """Everything a person is shown of an audit."""

    mode: str
    rung: str
    method: str
    verified: int
    units_total: int
    answer: str
    units: tuple[AuditUnit, ...]
    findings: tuple[AuditFinding, ...]
    semantic: tuple[tuple[str, str], ...] = ()

    @property
    def strict(self) -> bool:
        """Tell whether nothing is left to change."""
        return self.mode == "STRICT"


def render_audit_terminal(view: AuditView, *, width: int = 80, colour: bool = False, unicode: bool = True) -> str:
    """Return the text a terminal shows for an audit."""
    sign = "✓" if view.strict else "✗"
    lines = [
        _coloured(f"{sign} {view.mode} · {view.rung}", _GREEN if view.strict else _RED, colour),
        f"{view.verified} of {view.units_total} verified · decided by {view.method}",
    ]
    for unit in view.units:
        head = f"{'✓' if unit.verified else '✗'} {visible(unit.label)}"
        lines += ["", _coloured(head, _GREEN if unit.verified else _RED, colour), *_wrapped(unit.text, width)]
        for line in unit.evidence:
            lines += _wrapped(line, width, "    ")
    for text, verdict in view.semantic:
        lines += ["", f"model: {visible(verdict)}", *_wrapped(text, width)]
    if view.findings:
        lines += ["", "Why it is not STRICT"]
    for number, finding in enumerate(view.findings, start=1):
        lines += ["", _coloured(f"{number} {visible(finding.rule)}", _YELLOW, colour)]
        lines += _wrapped(f"“{_short(finding.sentence)}”", width) if finding.sentence else []
        lines += [*_wrapped(finding.why, width), *_wrapped(f"Change: {finding.change}", width)]
    text = "\n".join(lines)
    return text if unicode else text.translate(_ASCII)


def render_audit_html(view: AuditView) -> str:
    """Return the audit as one self-contained page; every text in it is escaped."""
    return _page().substitute(
        style=_file("style.css"),
        mode=_text(view.mode),
        rung=_text(view.rung),
        decision_class="approved" if view.strict else "refused",
        decision_sign="✓" if view.strict else "✗",
        lead=_text(f"{view.verified} of {view.units_total} verified, decided by {view.method}"),
        answer=_answer(view),
        units="".join(map(_unit, view.units)),
        findings="".join(map(_finding, view.findings)) or "<li>Nothing to change.</li>",
        semantic="".join(f"<li><strong>{_text(verdict)}</strong> {_text(text)}</li>" for text, verdict in view.semantic)
        or "<li>No model was asked.</li>",
    )


def _answer(view: AuditView) -> str:
    marks = [
        Mark(unit.start, unit.end, "supported" if unit.verified else "contradicted")
        for unit in view.units
        if unit.start is not None and unit.end is not None
    ]
    parts = []
    for piece in cut(len(view.answer), marks):
        shown = escape(visible_lines(view.answer[piece.start : piece.end]), quote=True)
        parts.append(f'<span class="claim v-{piece.labels[0]}">{shown}</span>' if piece.labels else shown)
    return "".join(parts)


def _unit(unit: AuditUnit) -> str:
    kind = "supported" if unit.verified else "contradicted"
    evidence = "".join(f'<p class="evidence">{_text(line)}</p>' for line in unit.evidence)
    badge = f'<span class="badge">{_text(unit.label)}</span>'
    return f'<li class="v-{kind}">{badge}<p>{_text(unit.text)}</p>{evidence}</li>'


def _finding(finding: AuditFinding) -> str:
    sentence = f"<blockquote>{_text(finding.sentence)}</blockquote>" if finding.sentence else ""
    return (
        f"<li><h3>{_text(finding.rule)}</h3>{sentence}<p>{_text(finding.why)}</p>"
        f"<p><strong>Change:</strong> {_text(finding.change)}</p></li>"
    )


@cache
def _file(name: str) -> str:
    return (files("groundwire.render") / "report" / name).read_text(encoding="utf-8")


@cache
def _page() -> Template:
    return Template(_file("audit.html"))


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


def _short(text: str) -> str:
    shown = visible(" ".join(text.split()))
    return shown if len(shown) <= _LONGEST_QUOTE else shown[: _LONGEST_QUOTE - 1] + "…"


def _wrapped(text: str, width: int, indent: str = "  ") -> list[str]:
    return wrap(_short(text), width, initial_indent=indent, subsequent_indent=indent) or [indent]


def _coloured(text: str, code: str, colour: bool) -> str:
    return f"{code}{text}{_PLAIN}" if colour else text
