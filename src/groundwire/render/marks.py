"""Cut a text along spans that may touch, nest or overlap."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from groundwire.types import ClaimVerdict, Reason, SourceSpan


class Mark(NamedTuple):
    """A span of a text and what it stands for."""

    start: int
    end: int
    label: str


class Piece(NamedTuple):
    """A run of text that lies in the same marks from end to end."""

    start: int
    end: int
    labels: tuple[str, ...]


def cut(length: int, marks: Iterable[Mark]) -> list[Piece]:
    """Cut a text of the given length into pieces, each with its labels in the order of the marks."""
    inside = [(max(0, m.start), min(length, m.end), m.label) for m in marks if m.start < length and m.end > 0]
    inside = [mark for mark in inside if mark[0] < mark[1]]
    edges: dict[int, tuple[list[int], list[int]]] = {}
    for place, (start, end, _) in enumerate(inside):
        edges.setdefault(start, ([], []))[0].append(place)
        edges.setdefault(end, ([], []))[1].append(place)
    pieces: list[Piece] = []
    open_marks: dict[int, str] = {}
    here = 0
    for edge in sorted({0, length, *edges}):
        if edge > here:
            labels = tuple(dict.fromkeys(open_marks[place] for place in sorted(open_marks)))
            pieces.append(Piece(here, edge, labels))
            here = edge
        opened, closed = edges.get(edge, ([], []))
        for place in closed:
            open_marks.pop(place, None)
        for place in opened:
            open_marks[place] = inside[place][2]
    return pieces


def clashes_in_claim(claim: ClaimVerdict) -> list[Mark]:
    """Return the clashing spans of a claim, counted from its first character."""
    return [
        Mark(conflict.claim_start - claim.start, conflict.claim_end - claim.start, "clash")
        for conflict in claim.conflicts
        if conflict.claim_start >= claim.start >= 0
    ]


def clashes_in_evidence(claim: ClaimVerdict, span: SourceSpan) -> list[Mark]:
    """Return the clashing spans that lie in one evidence sentence, counted from its first character."""
    return [
        Mark(conflict.source_start - span.start, conflict.source_end - span.start, "clash")
        for conflict in claim.conflicts
        if conflict.source_id == span.source_id and 0 <= span.start <= conflict.source_start < span.end
    ]


def shown_evidence(claim: ClaimVerdict) -> Sequence[SourceSpan]:
    """Pick the evidence a reader needs: what clashes, or else the best sentence, or none where it has no bearing."""
    clashing = [span for span in claim.evidence_spans if clashes_in_evidence(claim, span)]
    unrelated = {Reason.NOT_CHECKABLE, Reason.LOW_TRACEABILITY, Reason.NO_SOURCE}.intersection(claim.reasons)
    return clashing or ([] if unrelated else claim.evidence_spans[:1])
