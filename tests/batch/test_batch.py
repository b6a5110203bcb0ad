"""A file in, a file out: what is written, and that it does not depend on how the work is shared."""

import csv
import functools
import gc
import inspect
import json
import os
import signal
import tracemalloc
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from groundwire import Policy, VerifiedScorer
from groundwire.batch import BatchOptions, Columns, ModelChoice, Task, run_batch
from groundwire.batch.blocks import Block, choose_records, cut_blocks
from groundwire.batch.local import check_with_processes
from groundwire.batch.records import Record, read_records
from groundwire.batch.worker import Worker
from groundwire.errors import ModelError
from groundwire.evidence import SourceIndex
from tests.batch.made import files_of, read_lines, rows, write_lines
from tests.nli.tiny import write_embedded


def test_every_row_says_what_verify_says(tmp_path: Path) -> None:
    entries = [
        *rows(6),
        {"response": "30 days.", "source": "Refunds take 30 days.", "question": "How long do refunds take?"},
    ]
    out = tmp_path / "out.jsonl"
    run_batch(write_lines(tmp_path / "in.jsonl", entries), out)
    for entry, row in zip(entries, read_lines(out), strict=True):
        result = VerifiedScorer().verify(entry["response"], entry["source"], False, 1, question=entry.get("question"))
        plain = result.to_dict()
        assert row["id"] == entry.get("id")
        assert row["approved"] == result.approved
        assert row["support_probability"] == plain["support_probability"]
        assert row["policy_hash"] == Policy().hash
        assert [claim["verdict"] for claim in row["claims"]] == [claim["verdict"] for claim in plain["claims"]]
        for claim in row["claims"]:
            assert entry["response"][claim["start"] : claim["end"]] == claim["text"]
            for span in claim["evidence"]:
                assert entry["source"][span["start"] : span["end"]] == span["text"]


def test_the_metadata_names_policy_model_version_and_input(tmp_path: Path) -> None:
    model = write_embedded(tmp_path / "model")
    given = write_lines(tmp_path / "in.jsonl", rows(3))
    out = tmp_path / "out.jsonl"
    policy = Policy(fail_on=("contradicted",))
    task = Task(policy=policy, model=ModelChoice("embedded", str(model)))
    summary = run_batch(given, out, BatchOptions(task=task, processes=1))
    meta = json.loads((tmp_path / "out.jsonl.meta.json").read_text(encoding="utf-8"))
    assert meta["model"]["id"] == "tiny-embedded"
    assert summary.model is not None
    assert meta["model"]["hash"] == summary.model.hash
    assert meta["policy_hash"] == policy.hash
    assert meta["policy"]["fail_on"] == ["contradicted"]
    assert meta["input"]["records"] == meta["rows"] == 3
    assert meta["version"]


def test_two_processes_and_other_blocks_write_the_same_rows(tmp_path: Path) -> None:
    model = ModelChoice("embedded", str(write_embedded(tmp_path / "model")))
    given = write_lines(tmp_path / "in.jsonl", [*rows(30), {"response": 1, "source": ""}])
    task = Task(model=model)
    one, two, other = tmp_path / "one.jsonl", tmp_path / "two.jsonl", tmp_path / "other.jsonl"
    run_batch(given, one, BatchOptions(task=task, processes=1, block_rows=4))
    run_batch(given, two, BatchOptions(task=task, processes=2, block_rows=4))
    run_batch(given, other, BatchOptions(task=task, processes=1, block_rows=128))
    assert files_of(one) == files_of(two)
    assert one.read_bytes() == other.read_bytes()


def test_a_source_that_many_rows_share_is_indexed_once_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed = []
    original = SourceIndex.__init__

    def counting(self: SourceIndex, sources: Any) -> None:
        indexed.extend(sources)
        original(self, sources)

    monkeypatch.setattr(SourceIndex, "__init__", counting)
    shared = [{"response": f"It weighs {number} kg.", "source": f"It weighs {number % 2} kg."} for number in range(20)]
    run_batch(write_lines(tmp_path / "in.jsonl", shared), tmp_path / "out.jsonl", BatchOptions(processes=1))
    assert len(indexed) == 2
    assert [row["approved"] for row in read_lines(tmp_path / "out.jsonl")] == [True, True, *[False] * 18]


def test_csv_gives_what_json_lines_give(tmp_path: Path) -> None:
    entries = rows(8)
    entries[3]["response"] = 'He said "30 days",\nand more, in two lines.'
    with open(tmp_path / "in.csv", "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(entries[0]))
        writer.writeheader()
        writer.writerows(entries)
    run_batch(tmp_path / "in.csv", tmp_path / "a.jsonl")
    run_batch(write_lines(tmp_path / "in.jsonl", entries), tmp_path / "b.jsonl")
    first, second = read_lines(tmp_path / "a.jsonl"), read_lines(tmp_path / "b.jsonl")
    assert [row.pop("line") for row in first] == [2, 3, 4, 5, 7, 8, 9, 10]
    assert [row.pop("line") for row in second] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert first == second


def test_columns_are_mapped_and_optional_ones_switched_off(tmp_path: Path) -> None:
    given = write_lines(tmp_path / "in.jsonl", [{"a": "It is 5 kg.", "ctx": ["It is 5 kg."], "label": "yes", "k": 7}])
    columns = Columns({"response": "a", "source": "ctx", "label": "", "id": "k"})
    run_batch(given, tmp_path / "out.jsonl", BatchOptions(task=Task(columns=columns)))
    (row,) = read_lines(tmp_path / "out.jsonl")
    assert (row["id"], row["label"], row["approved"]) == ("7", None, True)
    assert row["claims"][0]["evidence"][0]["source_id"] == "source-1"


def test_limit_takes_the_first_rows_and_a_sample_is_drawn_by_its_seed(tmp_path: Path) -> None:
    given = write_lines(tmp_path / "in.jsonl", rows(40))

    def lines(name: str, **options: int) -> list[int]:
        run_batch(given, tmp_path / name, BatchOptions(**options))  # type: ignore[arg-type]
        return [row["line"] for row in read_lines(tmp_path / name)]

    assert lines("limit.jsonl", limit=3) == [1, 2, 3]
    first = lines("first.jsonl", sample=10, seed=1)
    assert first == sorted(first)
    assert len(first) == 10
    assert lines("same.jsonl", sample=10, seed=1) == first
    assert lines("other.jsonl", sample=10, seed=2) != first
    assert max(lines("both.jsonl", sample=5, limit=8)) <= 8
    assert len(lines("all.jsonl", sample=1000)) == 40


def test_poisoned_rows_stop_nothing(tmp_path: Path) -> None:
    """10 MB, binary, empty, nested, huge numbers: each is checked or listed with its line and reason."""
    good = json.dumps(rows(1)[0]).encode()
    huge = json.dumps({"response": "The lamp costs 5 euros. " * 430_000, "source": "The lamp costs 5 euros."}).encode()
    lines = [
        good,
        huge,
        b"\x00\xff\xfe\x80 binary",
        b'{"response": "a\\u0000b", "source": "c"}',
        b"",
        b"[1, 2]",
        b"[" * 100_000,
        b'{"response": ' + b"9" * 5_000 + b', "source": "x"}',
        b'{"response": "x", "source": {"a": 1}}',
        b'{"response": "\\ud800 broken surrogate is 5 kg.", "source": "\\ud800 broken surrogate is 5 kg."}',
        b'{"response": "", "source": ""}',
        b'{"response": "It is 5 kg.", "source": "It is 5 kg.", "id": {"a": 1}}',
        good,
    ]
    given = tmp_path / "in.jsonl"
    given.write_bytes(b"\n".join(lines) + b"\n")
    before = given.read_bytes()
    summary = run_batch(given, tmp_path / "out.jsonl", BatchOptions(processes=2, block_rows=3))
    checked = {row["line"]: row for row in read_lines(tmp_path / "out.jsonl")}
    bad = {row["line"]: row["why"] for row in read_lines(tmp_path / "out.jsonl.bad.jsonl")}
    assert sorted(checked) == [1, 2, 10, 11, 13]
    assert checked[2]["status"] == "truncated"
    assert checked[11]["status"] == "nothing_to_check"
    assert bad.keys() == {3, 4, 5, 6, 7, 8, 9, 12}
    assert "UTF-8" in bad[3]
    assert "NUL" in bad[4]
    assert bad[5] == "empty line"
    assert "too deeply" in bad[7] or "not JSON" in bad[7]
    assert (summary.rows, summary.bad_rows) == (5, 8)
    assert given.read_bytes() == before


def test_a_line_beyond_the_limit_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundwire.batch.records.MAX_RECORD_BYTES", 1_000)
    given = write_lines(tmp_path / "in.jsonl", [*rows(1), {"response": "x" * 5_000_000, "source": ""}, *rows(1)])
    run_batch(given, tmp_path / "out.jsonl")
    assert [row["line"] for row in read_lines(tmp_path / "out.jsonl")] == [1, 3]
    assert read_lines(tmp_path / "out.jsonl.bad.jsonl")[0]["line"] == 2


def test_broken_csv_rows_are_listed(tmp_path: Path) -> None:
    given = tmp_path / "in.csv"
    given.write_bytes(
        b'response,source\nIt is 5 kg.,It is 5 kg.\none cell\n"a"b,c\n\xff\xfe,x\n"It is 6 kg.",It is 5 kg.\n'
    )
    run_batch(given, tmp_path / "out.jsonl")
    assert [row["line"] for row in read_lines(tmp_path / "out.jsonl")] == [2, 6]
    bad = {row["line"]: row["why"] for row in read_lines(tmp_path / "out.jsonl.bad.jsonl")}
    assert bad == {
        3: "1 cells where the header has 2",
        4: "not CSV, ',' expected after '\"'",
        5: "response is not UTF-8",
    }


def test_blocks_close_early_when_rows_are_large() -> None:
    records = [Record(number, b"x" * (900 if number == 2 else 10)) for number in range(6)]
    blocks = list(cut_blocks(records, 6, rows=3, size=500))
    assert [[record.line for record in block.records] for block in blocks] == [[0, 1], [2], [3, 4, 5]]
    assert [block.number for block in blocks] == [0, 1, 2]


def test_the_last_blocks_are_small_so_that_nobody_waits_long_for_them() -> None:
    records = [Record(number, b"") for number in range(5_000)]
    sizes = [len(block.records) for block in cut_blocks(records, len(records))]
    assert sizes[0] == 128
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes[-8:]) <= 8
    assert sum(sizes) == 5_000
    assert [len(block.records) for block in cut_blocks(records[:100], 100)] == [100]


def test_a_sample_of_more_than_there_is_takes_all() -> None:
    records = [Record(number, b"") for number in range(3)]
    assert list(choose_records(records, 3, limit=None, sample=5, seed=0)) == records


def test_a_model_that_cannot_be_loaded_is_said_before_any_row(tmp_path: Path) -> None:
    given = write_lines(tmp_path / "in.jsonl", rows(3))
    task = Task(model=ModelChoice("embedded", str(tmp_path / "nowhere")))
    with pytest.raises(ModelError, match="not a model folder"):
        run_batch(given, tmp_path / "out.jsonl", BatchOptions(task=task))
    assert not list(tmp_path.glob("out.jsonl*"))


@pytest.mark.skipif(os.name != "posix", reason="the test kills as POSIX systems do")
def test_a_row_that_kills_its_process_is_listed_and_the_others_are_checked(tmp_path: Path) -> None:
    entries = [entry | ({"poison": 1} if number == 1 else {}) for number, entry in enumerate(rows(6))]
    records = [Record(line, json.dumps(entry).encode()) for line, entry in enumerate(entries, start=1)]
    blocks = [Block(0, tuple(records[:3])), Block(1, tuple(records[3:]))]
    done = {item.block: item for item in check_with_processes(Task(columns=Columns(Poison())), blocks, 2)}
    assert [json.loads(line)["line"] for line in done[0].rows.splitlines()] == [1, 3]
    assert [json.loads(line)["line"] for line in done[0].bad.splitlines()] == [2]
    assert b"died" in done[0].bad
    assert done[1].row_count == 3


class Poison(Mapping[str, str]):
    """Names of columns that end the process which meets the column `poison`: what a lack of memory would do."""

    def __getitem__(self, role: str) -> str:
        raise KeyError(role)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def get(self, role: str, default: Any = None) -> Any:
        frame = inspect.currentframe()
        while frame is not None:
            if "poison" in (frame.f_locals.get("entry") or ()):
                os.kill(os.getpid(), signal.SIGKILL)
            frame = frame.f_back
        return default


def test_memory_does_not_grow_with_the_rows() -> None:
    """Every cache a row passes through has a size, and none keeps more than some megabytes of words."""
    worker = Worker(Task())
    worker.check(Block(0, (Record(1, json.dumps(rows(1)[0]).encode()),)))
    caches = [item for item in gc.get_objects() if isinstance(item, functools._lru_cache_wrapper)]
    ours = [item for item in caches if item.__module__.startswith(("groundwire.text", "groundwire.signals"))]
    takes_text = [item for item in ours if inspect.signature(item).parameters]
    sizes = {item.__qualname__: item.cache_parameters()["maxsize"] for item in takes_text}
    assert "analyse" in sizes
    unbounded = {name for name, size in sizes.items() if size is None}
    # These are asked with names of the lexicon, of which there is a fixed number.
    assert unbounded <= {"load_rows", "load_words", "load_map", "_lead", "_first_words"}
    assert all(size <= 16_384 for size in sizes.values() if size is not None)


def test_the_parent_holds_few_rows_at_a_time(tmp_path: Path) -> None:
    """Three times the rows cost the reading side no more memory."""
    peaks = []
    for count in (2_500, 7_500):
        given = write_lines(tmp_path / "in.jsonl", [{"response": "x" * 500, "source": "y" * 500}] * count)
        tracemalloc.start()
        try:
            for block in cut_blocks(read_records(given), count):
                assert len(block.records) <= 128
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]
    assert peaks[1] < 2 * 2**20
