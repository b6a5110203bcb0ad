"""Show a result in a terminal, with or without colour, narrow or wide."""

from collections.abc import Sequence
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from groundwire.render.marks import Mark, clashes_in_claim, clashes_in_evidence, cut, shown_evidence
from groundwire.render.plain import visible
from groundwire.render.words import explain, figures, headline, status_note, verdict_words
from groundwire.types import ClaimVerdict, SourceSpan, Status, Verdict, VerificationResult

_NARROW = 64  # below this a column for the verdict leaves too little for the text
_LONGEST_QUOTE = 400
_STYLES = {
    Verdict.SUPPORTED: "green",
    Verdict.CONTRADICTED: "bold red",
    Verdict.FABRICATED: "bold magenta",
    Verdict.UNVERIFIABLE: "yellow",
}
_ASCII = str.maketrans({"“": '"', "”": '"', "…": "...", "⟦": "[[", "⟧": "]]", "·": "|", "✓": "+", "✗": "x"})


def render_terminal(result: VerificationResult, *, width: int = 80, colour: bool = False, unicode: bool = True) -> str:
    """Return the text a terminal shows for a result."""
    return lay_out(_blocks(result, width), width=width, colour=colour, unicode=unicode)


def render_claim(claim: ClaimVerdict, *, width: int = 80, colour: bool = False, unicode: bool = True) -> str:
    """Return the text a terminal shows for one claim alone."""
    number = claim.claim_index + 1
    blocks = [_claim(number, claim, len(str(number)), narrow=width < _NARROW)]
    return lay_out(blocks, width=width, colour=colour, unicode=unicode)


def lay_out(blocks: Sequence[RenderableType], *, width: int, colour: bool, unicode: bool) -> str:
    """Set blocks one below the other and return them as text."""
    buffer = StringIO()
    console = Console(
        file=buffer,
        width=width,
        color_system="standard" if colour else None,
        force_terminal=colour,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for block in blocks:
        console.print(block)
    lines = [line.rstrip() for line in buffer.getvalue().splitlines()]
    text = "\n".join(lines).strip("\n")
    return text if unicode else text.translate(_ASCII)


def _blocks(result: VerificationResult, width: int) -> list[RenderableType]:
    blocks = claim_blocks(result.claims, width)
    blocks += [Text(f"Note: {note}", "bold yellow") for note in _notes(result)]
    sign, style = ("✓", "bold green") if result.approved else ("✗", "bold red")
    blocks.append(Text(f"{sign} {headline(result)}", style))
    blocks.append(Text(" · ".join(figures(result)), "dim"))
    return blocks


def claim_blocks(claims: Sequence[ClaimVerdict], width: int) -> list[RenderableType]:
    """Show claims with their verdicts, reasons and evidence."""
    blocks: list[RenderableType] = []
    for number, claim in enumerate(claims, start=1):
        blocks += [_claim(number, claim, len(str(len(claims))), narrow=width < _NARROW), Text()]
    return blocks


def _notes(result: VerificationResult) -> list[str]:
    return [status_note(result.status)] if result.status != Status.CHECKED else []


def _claim(number: int, claim: ClaimVerdict, digits: int, *, narrow: bool) -> RenderableType:
    words = verdict_words(claim.verdict)
    style = _STYLES.get(Verdict(claim.verdict), "") if claim.verdict in set(Verdict) else ""
    head = Text(f"{number:>{digits}} {words.sign} {claim.verdict}", style)
    body = Group(*_body(claim))
    if narrow:
        return Group(head, Padding(body, (0, 0, 0, digits + 1)))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=digits + 3 + len(Verdict.CONTRADICTED), no_wrap=True)
    table.add_column(ratio=1)
    table.add_row(head, body)
    return table


def _body(claim: ClaimVerdict) -> list[Text]:
    lines = [_marked(claim.claim, clashes_in_claim(claim))]
    if claim.verdict != Verdict.SUPPORTED or claim.reasons:
        lines += [Text(visible(sentence), "bold") for sentence in explain(claim)]
    return lines + [_evidence(claim, span) for span in shown_evidence(claim)]


def _evidence(claim: ClaimVerdict, span: SourceSpan) -> Text:
    text, marks = _excerpt(span.text, clashes_in_evidence(claim, span))
    # A sentence that neither supports nor clashes is shown, yet not as if it were proof.
    nearest = "" if marks or claim.verdict == Verdict.SUPPORTED else "nearest in "
    line = Text(f"{nearest}{visible(span.source_id) or 'source'}: ", "dim")
    return line.append("“").append_text(_marked(text, marks)).append("”")


def _marked(text: str, marks: Sequence[Mark]) -> Text:
    line = Text()
    for piece in cut(len(text), marks):
        shown = visible(text[piece.start : piece.end])
        line.append(f"⟦{shown}⟧" if piece.labels else shown, "bold underline" if piece.labels else "")
    return line


def _excerpt(text: str, marks: Sequence[Mark]) -> tuple[str, Sequence[Mark]]:
    """Shorten a very long sentence around its first mark."""
    if len(text) <= _LONGEST_QUOTE:
        return text, marks
    middle = marks[0].start if marks else 0
    start = max(0, min(middle - _LONGEST_QUOTE // 2, len(text) - _LONGEST_QUOTE))
    end = start + _LONGEST_QUOTE
    before, after = "…" if start else "", "…" if end < len(text) else ""
    moved = [Mark(m.start - start + len(before), m.end - start + len(before), m.label) for m in marks]
    return before + text[start:end] + after, moved
