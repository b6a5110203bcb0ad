import io
import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.errors import InputError
from groundwire.evals import BadLine, Row, load_dataset, read_dataset, require_both_classes
from groundwire.evals import datasets as module

GOOD = {"premise": "Refunds take 30 days.", "claim": "Refunds take 60 days.", "label": 0}


def lines(*entries: Any) -> io.BytesIO:
    return io.BytesIO(
        b"".join(entry if isinstance(entry, bytes) else json.dumps(entry).encode() + b"\n" for entry in entries)
    )


def test_both_spellings_of_the_fields_are_read() -> None:
    other = {"source": "A.", "response": "B c.", "label": 1, "kind": "k", "question": "Q?", "spans": [[0, 1]]}
    data = read_dataset(lines(GOOD, other), "x")
    assert data.rows == (
        Row("Refunds take 30 days.", "Refunds take 60 days.", 0, line=1),
        Row("A.", "B c.", 1, "k", "Q?", ((0, 1),), 2),
    )
    assert data.supported == 1


def test_a_premise_goes_before_a_source() -> None:
    assert read_dataset(lines({**GOOD, "source": "name of the set"}), "x").rows[0].source == GOOD["premise"]


def test_a_packed_file_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.xz"
    path.write_bytes(lzma.compress(json.dumps(GOOD).encode()))
    assert len(load_dataset(path).rows) == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{\n", "not JSON"),
        (b"[1]\n", "not a JSON object"),
        (b"\xff\n", "not UTF-8, byte 0xff at offset 0"),
        (b"\n", "empty"),
        (b"[" * 100_000 + b"\n", "nested too deeply"),
        (b'{"premise": "a", "claim": "b", "label": ' + b"1" * 5000 + b"}\n", "a number is too long"),
        ({"claim": "b", "label": 1}, "no premise or source"),
        ({"premise": "a", "label": 1}, "no claim or response"),
        ({"premise": "a", "claim": " ", "label": 1}, "claim is empty"),
        ({"premise": ["a"], "claim": "b", "label": 1}, "premise is a list, not text"),
        ({"premise": "a", "claim": "b"}, "no label"),
        ({"premise": "a", "claim": "b", "label": 2}, "label is 2, not 0 or 1"),
        ({"premise": "a", "claim": "b", "label": True}, "label is true, not 0 or 1"),
        ({"premise": "a", "claim": "b", "label": "1"}, 'label is "1", not 0 or 1'),
        ({"premise": "a", "claim": "b", "label": 1.0}, "label is 1.0, not 0 or 1"),
        ({"premise": "a", "claim": "b", "label": None}, "label is null, not 0 or 1"),
        ({"premise": "a", "claim": "b", "label": 0, "spans": [[0, 2]]}, "span [0, 2] lies outside the 1 characters"),
        ({"premise": "a", "claim": "b", "label": 0, "spans": [[0]]}, "a span is not [start, end]"),
        ({"premise": "a", "claim": "b", "label": 0, "spans": "all"}, "spans is text, not a list"),
        ({"premise": "a", "claim": "b", "label": 0, "kind": 3}, "kind is a number, not text"),
        ({"premise": "a", "claim": "b", "label": 0, "question": {}}, "question is an object, not text"),
    ],
)
def test_a_broken_line_is_named_with_its_number_and_reason(line: Any, why: str) -> None:
    with pytest.raises(InputError) as caught:
        read_dataset(lines(GOOD, line, GOOD), "rows.jsonl")
    assert "rows.jsonl: 1 broken line (line 2: " in str(caught.value)
    assert why in str(caught.value)
    assert "--skip-bad" in str(caught.value)


def test_skipped_lines_are_returned_beside_the_rows() -> None:
    data = read_dataset(lines(GOOD, b"{\n", GOOD, {**GOOD, "label": 7}), "x", skip_bad=True)
    assert [row.line for row in data.rows] == [1, 3]
    assert [(bad.line, bad.why[:8]) for bad in data.bad] == [(2, "not JSON"), (4, "label is")]


def test_many_broken_lines_are_counted_and_the_first_ones_named() -> None:
    with pytest.raises(InputError, match=r"1,000 broken lines \(line 1: .*line 5: .*; and 995 more\)"):
        read_dataset(lines(*[b"no\n"] * 1000), "x")


def test_blank_lines_at_the_end_are_no_rows() -> None:
    assert len(read_dataset(lines(GOOD, b"\n", b"  \n"), "x").rows) == 1


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert len(read_dataset(lines(b"\xef\xbb\xbf" + json.dumps(GOOD).encode()), "x").rows) == 1


def test_a_file_without_rows_is_refused() -> None:
    with pytest.raises(InputError, match="has no rows"):
        read_dataset(lines(), "x")
    with pytest.raises(InputError, match="no usable row is left; 1 broken line"):
        read_dataset(lines(b"no\n"), "x", skip_bad=True)


@pytest.mark.parametrize(("label", "missing"), [(0, 1), (1, 0)])
def test_an_empty_class_is_refused(label: int, missing: int) -> None:
    data = read_dataset(lines({**GOOD, "label": label}), "x")
    with pytest.raises(InputError, match=f"no row with label {missing}"):
        require_both_classes(data)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        load_dataset(tmp_path / "missing.jsonl")
    with pytest.raises(InputError, match="is a directory"):
        load_dataset(tmp_path)
    (tmp_path / "half.jsonl.xz").write_bytes(lzma.compress(b"x" * 1000)[:-20])
    with pytest.raises(InputError, match="cannot be unpacked"):
        load_dataset(tmp_path / "half.jsonl.xz")
    (tmp_path / "plain.xz").write_bytes(b"not packed")
    with pytest.raises(InputError, match="cannot be unpacked"):
        load_dataset(tmp_path / "plain.xz")


def test_a_packed_bomb_stops_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE_BYTES", 10_000)
    path = tmp_path / "bomb.xz"
    path.write_bytes(lzma.compress(b"a" * 10_000_000))
    with pytest.raises(InputError, match="too large at line 1"):
        load_dataset(path)


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_an_input_error(content: bytes) -> None:
    try:
        data = read_dataset(io.BytesIO(content), "x", skip_bad=True)
    except InputError:
        return
    assert data.rows


@given(st.lists(st.sampled_from([b"no\n", json.dumps(GOOD).encode() + b"\n"]), min_size=1, max_size=20))
def test_every_line_is_a_row_or_a_named_broken_line(content: list[bytes]) -> None:
    try:
        data = read_dataset(io.BytesIO(b"".join(content)), "x", skip_bad=True)
    except InputError:
        assert b"no\n" in content
        return
    seen = [row.line for row in data.rows] + [bad.line for bad in data.bad]
    assert sorted(seen) == list(range(1, len(content) + 1))
    assert all(isinstance(bad, BadLine) for bad in data.bad)
