"""Sentence units."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.text.sentences import shorten, split_cells, split_sentences


def texts(text: str) -> list[str]:
    return [unit.text for unit in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Dr. Ito joined the U.S. office in 2015.", 1),
        ("He moved to the U.S. The office was small.", 2),
        ("Use a solvent, e.g. acetone, to clean it.", 1),
        ("See Fig. 3 and Sec. 4 for details.", 1),
        ("The value is 3.14 in v2.0.1 of config.yaml today.", 1),
        ("J. R. Smith met A. Jones.", 1),
        ("We sell bolts, nuts, etc. The shop is closed.", 2),
        ("Is it open? Yes! Come in.", 3),
        ("Visit https://example.com/a.b?c=d. Then log in.", 2),
        ("Invoice No. 5 is due. No. It is paid.", 3),
        ("It costs approx. 5 euros on Jan. 3 at noon.", 1),
        ('He said "Stop." Then he left.', 2),
        ("Acme Inc. sells tools. Ltd. companies too.", 2),
        ("Am 3. März beginnt der Kurs. Er dauert 8 Wochen.", 2),
    ],
)
def test_stops_that_end_a_sentence_and_stops_that_do_not(text: str, count: int) -> None:
    assert len(texts(text)) == count, texts(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("今天下雨。明天晴天！真的吗？", 3),
        ("これは本です。それはペンです。", 2),
        ("هل هذا صحيح؟ نعم هو صحيح.", 2),
        ("यह एक किताब है। वह एक कलम है।", 2),
        ("วันนี้อากาศดีมากครับ พรุ่งนี้ฝนจะตกหนัก", 2),
    ],
)
def test_sentence_ends_of_other_scripts(text: str, count: int) -> None:
    assert len(texts(text)) == count, texts(text)


def test_lists_headings_and_tables_are_units_without_their_marks() -> None:
    items = "# Prices\n- Basic plan\n* Team plan\n1. First step\n2) Second step\n\n"
    text = items + "| Plan | Seats |\n|---|---|\n| Basic | 5 |"
    units = split_sentences(text)
    assert [unit.text for unit in units] == [
        "Prices", "Basic plan", "Team plan", "First step", "Second step", "| Plan | Seats |", "| Basic | 5 |",
    ]  # fmt: skip
    assert units[0].heading
    assert [unit.row for unit in units[-2:]] == [True, True]
    assert [cell for cell, _, _ in split_cells("| Basic | 5 |")] == ["Basic", "5"]


def test_a_comma_table_is_cut_into_rows() -> None:
    units = split_sentences("plan,seats,price\nBasic,5,20\nTeam,25,80\n\nA sentence, with commas, stays whole.")
    assert [unit.row for unit in units] == [True, True, True, False]


def test_time_is_linear_in_the_text() -> None:
    def seconds(text: str) -> float:
        # The best of three: a busy machine makes single runs slow.
        runs = []
        for _ in range(3):
            begin = time.process_time()
            split_sentences(text)
            runs.append(time.process_time() - begin)
        return min(runs)

    for piece in ("a. ", "A.", "Dr. ", '"', "1. ", "... ", "x", "ก ข", "|", "((", "https://a.b/"):
        small, large = seconds(piece * 20_000), seconds(piece * 80_000)
        assert large < 8 * small + 0.25, piece


def test_a_page_without_stops_is_cut_into_readable_pieces() -> None:
    text = "He was killed by a speeding car in Kiev in 2008.His wife had returned for a glove.She said so " * 20
    (unit,) = split_sentences(text.strip().replace(". ", " "))
    pieces = shorten(unit, 400)
    assert max(len(piece.text) for piece in pieces) <= 400
    assert "His wife had returned for a glove." in [piece.text for piece in pieces]


@given(st.text(alphabet="ab .;,:AB1", max_size=400))
def test_pieces_of_a_long_unit_keep_their_places(text: str) -> None:
    for unit in split_sentences(text):
        for piece in shorten(unit, 40):
            assert text[piece.start : piece.end] == piece.text
            assert len(piece.text) <= 40


def test_prose_with_a_stray_border_is_no_table_row() -> None:
    units = split_sentences("Home | News | " + "The mayor opened the bridge. " * 40)
    assert len(units) == 40


def test_a_stop_between_spaces_ends_a_sentence_without_capitals() -> None:
    units = split_sentences("the film is long . critics liked it ! it cost 2 . 5 million")
    assert [unit.text for unit in units] == ["the film is long .", "critics liked it !", "it cost 2 .", "5 million"]


def test_a_lost_space_after_a_stop_is_a_sentence_end_in_a_source() -> None:
    (unit,) = split_sentences("He was hit in 2008.His wife left System.Text alone")
    assert [piece.text for piece in shorten(unit, 400)] == ["He was hit in 2008.", "His wife left System.Text alone"]
