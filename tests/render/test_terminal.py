import unicodedata

import pytest
from rich.cells import cell_len

from groundwire.render.terminal import render_terminal
from groundwire.types import Reason, Source, Status, Verdict
from tests.render.sample import claim, result_of, sample


def test_each_claim_has_sign_verdict_reason_and_both_marked_spans() -> None:
    text = render_terminal(sample()[0], width=110)
    assert "2 ✗ contradicted  It was introduced on ⟦21 March 2024⟧." in text
    assert "The date differs. The response says “21 March 2024”, the source says “12 March 2024”." in text
    assert "source.txt: “It was introduced on ⟦12 March 2024⟧.”" in text
    assert "7 ! fabricated" in text
    assert "6 ? unverifiable" in text
    assert "✗ Not approved: 3 of 7 claims contradicted, 1 fabricated." in text


@pytest.mark.parametrize("width", [20, 30, 44, 63, 64, 80, 110, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    text = render_terminal(sample()[0], width=width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert all(word in text.replace("\n", " ") for word in ("contradicted", "fabricated", "unverifiable"))


@pytest.mark.parametrize("width", [20, 80])
def test_wide_characters_do_not_run_over(width: int) -> None:
    response = "退款在三十天内支付，所有客户都可以在三十天之内申请退款。" * 4
    text = render_terminal(result_of([claim(response, response, Verdict.SUPPORTED)]), width=width)
    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_without_colour_there_is_no_escape_and_with_it_the_words_are_the_same() -> None:
    plain = render_terminal(sample()[0])
    coloured = render_terminal(sample()[0], colour=True)
    assert "\x1b" not in plain
    assert "\x1b[" in coloured
    for word in ("✗ contradicted", "⟦15 years⟧", "! fabricated"):
        assert word in plain
        assert word in coloured


def test_without_unicode_every_sign_is_ascii() -> None:
    assert render_terminal(sample()[0], unicode=False).isascii()


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.CHECKED])
def test_the_status_is_never_silent(status: Status) -> None:
    text = render_terminal(result_of([], status=status))
    assert "Note: " in text


def test_text_cannot_drive_the_terminal() -> None:
    evil = "a\x1b[31m\x07\x08\x9b2J\u202e\ud800\r\n[bold]x[/bold] :smile: b"
    source = Source("\x1b[2Jname", evil)
    text = render_terminal(result_of([claim(evil, evil, Verdict.SUPPORTED, source, evil)]), width=200)
    assert not [char for char in text if unicodedata.category(char) in ("Cc", "Cs") and char != "\n"]
    assert "\u202e" not in text
    assert "[bold]x[/bold] :smile:" in text


def test_a_very_long_evidence_sentence_is_shortened_around_the_clash() -> None:
    source = Source("s", "x" * 5000 + " 10 years " + "y" * 5000)
    clash = (Reason.NUMBER_MISMATCH, "15 years", "10 years")
    item = claim("It is 15 years.", "It is 15 years.", Verdict.CONTRADICTED, source, source.text, clash)
    text = render_terminal(result_of([item]), width=80)
    assert "⟦10 years⟧" in text
    assert len(text) < 1200


def test_a_unit_that_is_not_checkable_shows_no_evidence() -> None:
    source = Source("s", "Refunds take 30 days.")
    item = claim("Hello!", "Hello!", Verdict.UNVERIFIABLE, source, source.text, reasons=(Reason.NOT_CHECKABLE,))
    assert "Refunds" not in render_terminal(result_of([item]))
