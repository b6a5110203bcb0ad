"""Text out of files, and passages out of text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.errors import InputError
from groundwire.retrieval.chunks import cut_chunks
from groundwire.retrieval.documents import extract
from groundwire.retrieval.html_text import html_to_text
from groundwire.retrieval.ingest import cut_document


@given(
    text=st.text(alphabet="ab .!?\n|,中。é\u200b1", max_size=600),
    size=st.integers(5, 80),
    share=st.floats(0, 0.9),
)
@settings(max_examples=150, deadline=None)
def test_every_passage_is_a_slice_that_fits_and_no_word_is_lost(text: str, size: int, share: float) -> None:
    chunks = cut_chunks(text, size, int(size * share))
    covered: set[int] = set()
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert 0 < len(chunk.text) <= size
        covered.update(range(chunk.start, chunk.end))
    assert [chunk.end for chunk in chunks] == sorted({chunk.end for chunk in chunks})
    assert all(place in covered for place, sign in enumerate(text) if sign.isalnum() and sign not in "ab1")


def test_passages_end_at_sentences_and_overlap_by_whole_ones() -> None:
    text = "One pump is red. Two pumps are blue. Three pumps are green. Four pumps are grey."
    chunks = [chunk.text for chunk in cut_chunks(text, 45, 25)]
    assert chunks == [
        "One pump is red. Two pumps are blue.",
        "Two pumps are blue. Three pumps are green.",
        "Three pumps are green. Four pumps are grey.",
    ]


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (-1, 0), (10, 10), (10, -1)])
def test_sizes_that_cannot_be_used_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(InputError, match="cannot be used"):
        cut_chunks("text", size, overlap)


def test_html_gives_what_a_reader_sees() -> None:
    page = (
        "<!doctype html><title>Terms</title><style>p{}</style><h1>Refunds &amp; returns</h1><!-- hidden -->"
        "<p>Paid within\n 30&nbsp;days<br>or never.</p><script>alert('x')</script>"
        "<table><tr><th>City</th><th>Days</th></tr><tr><td>Oslo</td><td>5</td></tr></table>"
    )
    assert html_to_text(page).split("\n") == [
        "Terms",
        "Refunds & returns",
        "Paid within 30 days",
        "or never.",
        "City | Days",
        "Oslo | 5",
    ]


@pytest.mark.parametrize(
    "page", ["<p", "<script>x", "</p></p><td>", "<" * 5_000, "<div>" * 5_000 + "end", "&#0;&bogus;"]
)
def test_broken_html_does_no_harm(page: str) -> None:
    html_to_text(page)


def test_json_lines_keep_their_records_apart() -> None:
    found = extract("a.jsonl", b'{"id": "w1", "text": "One pump."}\n\n{"text": "Two valves."}\n')
    cut = list(cut_document(found, 800, 100))
    assert [(chunk.text, metadata) for chunk, metadata in cut] == [
        ("One pump.", {"record": "w1"}),
        ("Two valves.", {"record": "3"}),
    ]
    assert all(found.text[chunk.start : chunk.end] == chunk.text for chunk, _ in cut)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.jsonl", b'{"text": "x"}\nnonsense', "Line 2 of 'a.jsonl' is not JSON"),
        ("a.jsonl", b'{"title": "x"}', "Line 1 of 'a.jsonl' has no text"),
        ("a.jsonl", b"[1]", "Line 1 of 'a.jsonl' has no text"),
        ("a.jsonl", b"[" * 100_000, "is not JSON"),
        ("a.txt", b"caf\xe9", "not UTF-8"),
        ("a.txt", b"a\0b", "binary"),
        ("a.md", b" \n", "has no text"),
        ("a.html", b"<script>x</script>", "has no text"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(name: str, data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        extract(name, data)
