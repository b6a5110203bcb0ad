from hypothesis import given
from hypothesis import strategies as st

from groundwire.render.marks import Mark, Piece, clashes_in_evidence, cut, shown_evidence
from groundwire.render.plain import visible, visible_lines
from tests.render.sample import sample

MARKS = st.lists(st.builds(Mark, st.integers(-3, 40), st.integers(-3, 40), st.sampled_from("abc")), max_size=8)


@given(st.integers(0, 30), MARKS)
def test_pieces_cover_the_text_once_and_carry_exactly_their_marks(length: int, marks: list[Mark]) -> None:
    pieces = cut(length, marks)
    assert [place for piece in pieces for place in range(piece.start, piece.end)] == list(range(length))
    for piece in pieces:
        for place in range(piece.start, piece.end):
            assert set(piece.labels) == {mark.label for mark in marks if mark.start <= place < mark.end}


def test_nested_and_overlapping_marks() -> None:
    assert cut(6, [Mark(0, 4, "a"), Mark(2, 6, "b")]) == [
        Piece(0, 2, ("a",)),
        Piece(2, 4, ("a", "b")),
        Piece(4, 6, ("b",)),
    ]


@given(st.text())
def test_visible_text_keeps_every_offset(text: str) -> None:
    for shown in (visible(text), visible_lines(text)):
        assert len(shown) == len(text)
        shown.encode("utf-8")
        assert not set(shown) & {chr(code) for code in (0, 7, 8, 0x1B, 0x7F, 0x9B, 0x202E, 0x2066)}
    assert "\n" not in visible(text)


def test_harmless_text_is_untouched() -> None:
    text = "Grüße, 世界 · مرحبا · नमस्ते 👩‍🚀 — “ok” 3×"
    assert visible(text) == visible_lines(text) == text


def test_evidence_that_clashes_is_preferred_to_the_best() -> None:
    result, _, _ = sample()
    claim = result.claims[2]
    assert clashes_in_evidence(claim, claim.evidence_spans[0])
    claim.evidence_spans.insert(0, result.claims[0].evidence_spans[0])
    assert [span.text for span in shown_evidence(claim)] == [claim.evidence_spans[1].text]
