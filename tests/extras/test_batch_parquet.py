"""Batches in Parquet, which needs pyarrow."""

import json
from pathlib import Path
from typing import Any

import pytest

from groundwire.batch import BatchOptions, Existing, run_batch
from groundwire.batch.results import read_results
from groundwire.errors import InputError
from tests.batch.made import files_of, read_lines, rows, write_lines

pytestmark = pytest.mark.extras


def write_parquet(path: Path, entries: list[dict[str, Any]], **columns: Any) -> Path:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(entries), path, **columns)
    return path


def test_parquet_in_and_out_hold_what_json_lines_hold(tmp_path: Path) -> None:
    entries = [*rows(300), {"response": "\ud800 is 5 kg.".encode("utf-8", "replace").decode(), "source": "It is 5 kg."}]
    write_parquet(tmp_path / "in.parquet", entries, row_group_size=50)
    run_batch(tmp_path / "in.parquet", tmp_path / "a.parquet", BatchOptions(processes=1))
    run_batch(write_lines(tmp_path / "in.jsonl", entries), tmp_path / "b.jsonl", BatchOptions(processes=1))
    assert list(read_results(tmp_path / "a.parquet")) == read_lines(tmp_path / "b.jsonl")


def test_the_file_itself_names_policy_model_and_version(tmp_path: Path) -> None:
    from pyarrow import parquet

    run_batch(write_lines(tmp_path / "in.jsonl", rows(3)), tmp_path / "out.parquet")
    inside = json.loads(parquet.read_schema(tmp_path / "out.parquet").metadata[b"groundwire"])
    assert inside == json.loads((tmp_path / "out.parquet.meta.json").read_text(encoding="utf-8"))
    assert inside["policy_hash"]
    assert inside["model"] is None


def test_an_interrupted_run_ends_in_the_same_bytes(tmp_path: Path) -> None:
    given = write_lines(tmp_path / "in.jsonl", [*rows(40), {"response": 0}])
    run_batch(given, tmp_path / "whole.parquet", BatchOptions(block_rows=8))

    class Killed(BaseException):
        pass

    def kill_half_way(done: int, total: int, resumed: int) -> None:
        if done > total / 2:
            raise Killed

    with pytest.raises(Killed):
        run_batch(given, tmp_path / "cut.parquet", BatchOptions(block_rows=8), progress=kill_half_way)
    resumed = run_batch(given, tmp_path / "cut.parquet", BatchOptions(block_rows=8, existing=Existing.RESUME))
    assert 0 < resumed.resumed_rows < 41
    assert files_of(tmp_path / "cut.parquet") == files_of(tmp_path / "whole.parquet")


def test_a_truncated_file_is_one_clear_error(tmp_path: Path) -> None:
    whole = write_parquet(tmp_path / "in.parquet", rows(100)).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.parquet").write_bytes(b"hello")
    for name in ("cut.parquet", "text.parquet"):
        with pytest.raises(InputError, match="cannot be read as Parquet"):
            run_batch(tmp_path / name, tmp_path / "out.jsonl")
    assert not list(tmp_path.glob("out*"))


def test_damaged_pages_are_one_clear_error_and_keep_what_was_done(tmp_path: Path) -> None:
    data = bytearray(write_parquet(tmp_path / "in.parquet", rows(5_000), row_group_size=500).read_bytes())
    middle = len(data) // 2
    data[middle : middle + 2_000] = b"\xff" * 2_000
    (tmp_path / "bad.parquet").write_bytes(data)
    with pytest.raises(InputError, match="cannot be read as Parquet after row"):
        run_batch(tmp_path / "bad.parquet", tmp_path / "out.jsonl", BatchOptions(processes=1, limit=5_000, sample=9))


def test_columns_of_other_types_are_bad_rows_and_missing_ones_an_error(tmp_path: Path) -> None:
    entries = [
        {"response": b"It is 5 kg.", "source": ["It is 5 kg."], "n": 1},
        {"response": b"\xff", "source": [], "n": 2},
    ]
    write_parquet(tmp_path / "in.parquet", entries)
    run_batch(tmp_path / "in.parquet", tmp_path / "out.jsonl")
    assert [row["approved"] for row in read_lines(tmp_path / "out.jsonl")] == [True]
    assert "UTF-8" in read_lines(tmp_path / "out.jsonl.bad.jsonl")[0]["why"]
    write_parquet(tmp_path / "other.parquet", [{"answer": "x", "n": 1}])
    with pytest.raises(InputError, match="'answer', 'n'"):
        run_batch(tmp_path / "other.parquet", tmp_path / "out2.jsonl")
