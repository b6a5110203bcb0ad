"""Write a result as one self-contained page."""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from itertools import groupby
from string import Template

from groundwire.ledger import sha256_hex
from groundwire.render.marks import Mark, Piece, clashes_in_claim, clashes_in_evidence, cut, shown_evidence
from groundwire.render.plain import visible, visible_lines
from groundwire.render.words import explain, headline, status_note, verdict_words
from groundwire.types import ClaimVerdict, Source, SourceSpan, Status, Verdict, VerificationResult

# A source longer than this is shown in parts: what surrounds its evidence.
WHOLE_SOURCE_CHARS = 300_000
_AROUND = 1_500


def render_html(
    result: VerificationResult, response: str, sources: Sequence[Source], *, question: str | None = None
) -> str:
    """Return the report page of a result; every text in it is escaped."""
    style, script = _file("style.css"), _file("script.js")
    decision = "Approved" if result.approved else "Not approved"
    return _fill(
        "page.html",
        style=style,
        script=script,
        style_hash=_csp_hash(style),
        script_hash=_csp_hash(script),
        decision=decision,
        decision_class="approved" if result.approved else "refused",
        decision_sign="✓" if result.approved else "✗",
        lead=_text(headline(result).partition(": ")[2]),
        notes=_notes(result),
        bar=_bar(result),
        bar_label=_text(", ".join(f"{count} {name}" for name, count in _counts(result))),
        legend=_legend(result),
        figures=_figures(result),
        question=f'<p class="question" dir="auto">Question: {_text(question)}</p>' if question else "",
        response=_response(result, response),
        filter=_filter(result),
        cards="".join(_card(number, claim, sources) for number, claim in enumerate(result.claims, start=1)),
        sources="".join(_source(number, source, result, sources) for number, source in enumerate(sources, start=1)),
        footer=_footer(result),
    )


@cache
def _file(name: str) -> str:
    return (files("groundwire.render") / "report" / name).read_text(encoding="utf-8")


@cache
def _template(name: str) -> Template:
    return Template(_file(name))


def _fill(template: str, **values: object) -> str:
    return _template(template).substitute(values)


def _csp_hash(content: str) -> str:
    return "sha256-" + b64encode(bytes.fromhex(sha256_hex(content.encode("utf-8")))).decode("ascii")


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


def _lines(text: str) -> str:
    return escape(visible_lines(text), quote=True)


def _verdict_class(verdict: str) -> str:
    # The verdict becomes part of a class name, so only known ones get in.
    return str(verdict) if verdict in set(Verdict) else str(Verdict.UNVERIFIABLE)


def _counts(result: VerificationResult) -> list[tuple[Verdict, int]]:
    return [
        (Verdict.SUPPORTED, result.supported_count),
        (Verdict.CONTRADICTED, result.contradicted_count),
        (Verdict.FABRICATED, result.fabricated_count),
        (Verdict.UNVERIFIABLE, result.unverifiable_count),
    ]


def _notes(result: VerificationResult) -> str:
    if result.status == Status.CHECKED:
        return ""
    return f'<p class="note"><strong>Note:</strong> {_text(status_note(result.status))}</p>'


def _bar(result: VerificationResult) -> str:
    total = sum(count for _, count in _counts(result))
    parts, left = [], 0.0
    for name, count in _counts(result):
        if not count:
            continue
        width = 100.0 * count / total
        place = f'x="{left:.3f}%" width="{width:.3f}%" height="18"'
        parts.append(f'<g class="v-{name}"><rect class="base" {place}/><rect {place} fill="url(#p-{name})"/></g>')
        if left:
            parts.append(f'<rect class="gap" x="{left:.3f}%" width="2" height="18"/>')
        left += width
    return "".join(parts)


def _legend(result: VerificationResult) -> str:
    return "".join(
        f'<li class="v-{name}{"" if count else " none"}"><span aria-hidden="true">{verdict_words(name).sign}</span>'
        f" {count} {name}</li>"
        for name, count in _counts(result)
    )


def _figures(result: VerificationResult) -> str:
    rows = [
        ("Coverage", f"{result.coverage:.0%}"),
        ("Score", f"{result.overall_score:.2f}"),
        ("Confidence", result.confidence),
    ]
    if result.support_probability is not None:
        rows.append(("Support probability", f"{result.support_probability:.2f}"))
    return "".join(f"<div><dt>{name}</dt><dd>{_text(value)}</dd></div>" for name, value in rows)


def _filter(result: VerificationResult) -> str:
    buttons = ['<button type="button" data-show="" aria-pressed="true">All claims</button>']
    buttons += [
        f'<button type="button" data-show="{name}" aria-pressed="false">{verdict_words(name).sign} {name}</button>'
        for name, count in _counts(result)
        if count
    ]
    return "".join(buttons)


def _footer(result: VerificationResult) -> str:
    model = "none" if result.model is None else f"{result.model.id} ({result.model.hash[:12]})"
    rows = [f"Groundwire {result.version}", f"model: {model}"]
    if result.checks:
        rows.append(f"checks: {', '.join(result.checks)}")
    if result.policy_hash:
        rows.append(f"policy {result.policy_hash[:12]}")
    return _text(" · ".join(rows))


def _response(result: VerificationResult, response: str) -> str:
    marks = []
    for number, claim in enumerate(result.claims, start=1):
        marks.append(Mark(claim.start, claim.end, f"c{number}"))
        marks += [Mark(claim.start + m.start, claim.start + m.end, "clash") for m in clashes_in_claim(claim)]
    out, linked = [], set()
    for label, run in groupby(cut(len(response), marks), _claim_label):
        text = _pieces(response, list(run))
        if not label:
            out.append(text)
            continue
        number = int(label[1:])
        claim = result.claims[number - 1]
        words = verdict_words(claim.verdict)
        identity = "" if label in linked else f' id="r{number}"'
        linked.add(label)
        out.append(
            f'<a class="claim v-{_verdict_class(claim.verdict)}"{identity} href="#c{number}" data-claim="{number}">'
            f"{text}"
            f'&NoBreak;<span class="tag"><span class="away">, {_text(words.label.lower())}, claim </span>'
            f'<span aria-hidden="true">{_text(words.sign)}</span>{number}</span></a>'
        )
    return "".join(out)


def _claim_label(piece: Piece) -> str:
    return next((label for label in piece.labels if label != "clash"), "")


def _pieces(text: str, pieces: Sequence[Piece]) -> str:
    return "".join(
        f'<mark class="clash">{_lines(text[piece.start : piece.end])}</mark>'
        if "clash" in piece.labels
        else _lines(text[piece.start : piece.end])
        for piece in pieces
    )


def _card(number: int, claim: ClaimVerdict, sources: Sequence[Source]) -> str:
    words = verdict_words(claim.verdict)
    reasons = [*explain(claim), *_uncovered(claim)]
    return _fill(
        "card.html",
        number=number,
        verdict=_verdict_class(claim.verdict),
        sign=_text(words.sign),
        label=_text(words.label),
        confidence=f"{claim.confidence:.2f}",
        claim=_pieces(claim.claim, cut(len(claim.claim), clashes_in_claim(claim))),
        reasons="".join(f"<li>{_text(reason)}</li>" for reason in reasons),
        evidence="".join(_evidence(number, claim, span, sources) for span in shown_evidence(claim)),
        signals="".join(_signals(claim)),
    )


def _uncovered(claim: ClaimVerdict) -> list[str]:
    if claim.conflicts or claim.verdict == Verdict.SUPPORTED or claim.start < 0:
        return []
    spans = [claim.claim[start - claim.start : end - claim.start] for start, end in claim.unsupported_spans]
    words = [f"“{span.strip()}”" for span in spans if span.strip()]
    return [f"Not found in the evidence: {', '.join(words)}."] if words else []


def _evidence(number: int, claim: ClaimVerdict, span: SourceSpan, sources: Sequence[Source]) -> str:
    place = _source_of(span.source_id, sources)
    name = _text(_name(sources[place], place) if place is not None else span.source_id or "source")
    where = name
    if place is not None and span.start >= 0:
        where = f'<a href="#e{number}" data-goes="{number}">{name}<span class="away">, show in the source</span></a>'
    marks = clashes_in_evidence(claim, span)
    if not marks and claim.verdict != Verdict.SUPPORTED:
        where = f"nearest in {where}"
    return _fill("evidence.html", where=where, quote=_pieces(span.text, cut(len(span.text), marks)))


def _signals(claim: ClaimVerdict) -> list[str]:
    number = {True: ("agree", 1.0, "good"), False: ("differ", 1.0, "bad"), None: ("none to compare", 0.0, "")}
    rows = [
        ("Divergence", f"{claim.nli_divergence:.2f}", claim.nli_divergence, "bad"),
        ("Names", f"{claim.entity_match:.2f}", claim.entity_match, "good"),
        ("Numbers", *number[claim.numerical_match]),
        ("Negation", *(("turned round", 1.0, "bad") if claim.negation_flip else ("same", 0.0, ""))),
        ("Traceability", f"{claim.traceability:.2f}", claim.traceability, "good"),
    ]
    return [
        _fill("signal.html", name=name, value=value, percent=f"{100 * min(1.0, max(0.0, share)):.0f}", tone=tone)
        for name, value, share, tone in rows
    ]


def _name(source: Source, place: int) -> str:
    return source.title or source.id or f"Source {place + 1}"


def _source_of(source_id: str, sources: Sequence[Source]) -> int | None:
    places = [place for place, source in enumerate(sources) if source.id == source_id]
    if places:
        return places[0]
    # A plain text has no id; with one source there is no doubt which is meant.
    return 0 if len(sources) == 1 else None


def _source(number: int, source: Source, result: VerificationResult, sources: Sequence[Source]) -> str:
    marks = []
    for claim_number, claim in enumerate(result.claims, start=1):
        for span in shown_evidence(claim):
            if _source_of(span.source_id, sources) != number - 1 or span.start < 0:
                continue
            marks.append(Mark(span.start, span.end, f"e{claim_number}"))
            clashes = clashes_in_evidence(claim, span)
            marks += [Mark(span.start + m.start, span.start + m.end, f"x{claim_number}") for m in clashes]
    pieces = cut(len(source.text), marks)
    anchored: set[str] = set()
    out = []
    for place, piece in enumerate(pieces):
        following = pieces[place + 1].labels if place + 1 < len(pieces) else ()
        ended = [label for label in piece.labels if label.startswith("e") and label not in following]
        out.append(_source_piece(source.text, piece, anchored))
        out += [_reference(int(label[1:]), result) for label in ended]
    text = "".join(out) if source.text else '<span class="left-out">This source is empty.</span>'
    return _fill("source.html", number=number, name=_text(_name(source, number - 1)), text=text)


def _source_piece(text: str, piece: Piece, anchored: set[str]) -> str:
    if not piece.labels:
        return _unmarked(text, piece)
    cited = [label[1:] for label in piece.labels if label.startswith("e")]
    clash = [label[1:] for label in piece.labels if label.startswith("x")]
    spots = "".join(f'<span class="spot" id="e{number}"></span>' for number in cited if number not in anchored)
    anchored.update(cited)
    clashing = f' data-clash="{" ".join(clash)}"' if clash else ""
    return (
        f'{spots}<mark class="ev{" clash" if clash else ""}" data-for="{" ".join(cited)}"{clashing}>'
        f"{_lines(text[piece.start : piece.end])}</mark>"
    )


def _unmarked(text: str, piece: Piece) -> str:
    length = piece.end - piece.start
    if len(text) <= WHOLE_SOURCE_CHARS or length <= 2 * _AROUND:
        return _lines(text[piece.start : piece.end])
    # At the borders of the text there is evidence on one side only.
    before = text[piece.start : piece.start + (_AROUND if piece.start else 0)]
    after = text[piece.end - (_AROUND if piece.end < len(text) else 0) : piece.end]
    if not piece.start and piece.end == len(text):
        before = text[:_AROUND]
    hidden = length - len(before) - len(after)
    return f'{_lines(before)}<span class="left-out">{hidden:,} characters not shown</span>{_lines(after)}'


def _reference(number: int, result: VerificationResult) -> str:
    claim = result.claims[number - 1]
    words = verdict_words(claim.verdict)
    return (
        f'<a class="ref v-{_verdict_class(claim.verdict)}" href="#c{number}" data-claim="{number}">'
        f'<span class="away">{_text(words.label)} claim </span>'
        f'<span aria-hidden="true">{_text(words.sign)}</span>{number}</a>'
    )
