"""A kill at any moment costs nothing, and the result is the same to the byte."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.batch import BatchOptions, Existing, run_batch
from groundwire.batch.journal import Journal, keep_all
from groundwire.batch.worker import Checked
from groundwire.errors import InputError, IntegrityError
from tests.batch.made import files_of, rows, write_lines

RESUME = Existing.RESUME


def checked(number: int) -> Checked:
    return Checked(number, f'{{"line":{number}}}\n'.encode(), b"", 1, 0)


@pytest.mark.skipif(os.name != "posix", reason="the test kills as POSIX systems do")
def test_three_kills_at_random_moments_and_resume_give_the_undisturbed_result(tmp_path: Path) -> None:
    given = write_lines(tmp_path / "in.jsonl", [*rows(450), {"response": None}, *rows(50, seed=1)])
    whole = tmp_path / "whole.jsonl"
    run_batch(given, whole, BatchOptions(block_rows=4, processes=1))
    out = tmp_path / "killed.jsonl"
    command = [
        sys.executable,
        "-m",
        "groundwire",
        "batch",
        str(given),
        str(out),
        "--resume",
        "--no-model",
        "--block-rows",
        "4",
    ]
    command += ["--processes", "2", "--quiet"]
    rng = random.Random(7)
    sizes = []
    for _ in range(3):
        running = subprocess.Popen(command)
        journal = Path(f"{out}.work") / "journal.jsonl"
        before = journal.stat().st_size if journal.exists() else 0
        deadline = time.monotonic() + 60
        # Not before it has done some work, so that there is something to lose.
        while (not journal.exists() or journal.stat().st_size < before + 200) and running.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.1))
        running.send_signal(signal.SIGKILL)
        running.wait(30)
        sizes.append(journal.stat().st_size if journal.exists() else -1)
    assert not out.exists(), "the run ended before the third kill: make the input larger"
    assert 0 < sizes[0] < sizes[1] < sizes[2], sizes
    assert subprocess.run(command, timeout=120, check=False).returncode == 0
    assert files_of(out) == files_of(whole)


def test_a_finished_run_is_left_alone(tmp_path: Path) -> None:
    given = write_lines(tmp_path / "in.jsonl", rows(5))
    out = tmp_path / "out.jsonl"
    run_batch(given, out)
    before = files_of(out)
    again = run_batch(given, out, BatchOptions(existing=RESUME))
    assert again.already_complete
    assert again.rows == 5
    assert files_of(out) == before


def test_a_run_killed_while_the_output_is_put_together_goes_on(tmp_path: Path) -> None:
    given = write_lines(tmp_path / "in.jsonl", rows(20))
    out, other = tmp_path / "out.jsonl", tmp_path / "other.jsonl"
    run_batch(given, other)

    class Killed(BaseException):
        pass

    def kill_at_the_end(done: int, total: int, resumed: int) -> None:
        if done == total:
            raise Killed

    with pytest.raises(Killed):
        run_batch(given, out, BatchOptions(block_rows=128), progress=kill_at_the_end)
    out.with_name("out.jsonl.partial").write_bytes(b"half a li")
    done = run_batch(given, out, BatchOptions(existing=RESUME))
    assert done.resumed_rows == 20
    assert files_of(out) == files_of(other)


def test_a_torn_line_of_the_journal_is_forgotten_and_its_block_done_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "work", {"a": 1}, resume=False)
    journal.add(checked(0))
    journal.add(checked(1))
    journal.close()
    file = tmp_path / "work" / "journal.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    again = Journal(tmp_path / "work", {"a": 1}, resume=True)
    assert list(again.entries) == [0]
    again.add(checked(1))
    assert [rows for rows, _ in again.blocks()] == [b'{"line":0}\n', b'{"line":1}\n']
    again.close()


def test_changed_data_is_noticed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "work", {}, resume=False)
    journal.add(checked(0))
    (tmp_path / "work" / "blocks.data").write_bytes(b'{"line":7}\n')
    with pytest.raises(IntegrityError, match="hash"):
        list(journal.blocks())
    journal.close()


def test_a_slow_disk_keeps_no_block_from_those_who_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are taken on while one is written, though not without end, and each is told when it is safe."""
    journal = Journal(tmp_path / "work", {}, resume=False)
    disk = threading.Event()
    add = journal.add

    def add_when_the_disk_answers(block: Checked) -> None:
        disk.wait(30)
        add(block)

    monkeypatch.setattr(journal, "add", add_when_the_disk_answers)
    taken = []

    def results() -> Iterator[Checked]:
        for number in range(60):
            taken.append(number)
            if number == 10:
                disk.set()
            yield checked(number)

    for done in keep_all(results(), journal):
        assert done.block in journal.entries
        assert len(taken) - done.block <= 20
    assert sorted(journal.entries) == list(range(60))
    journal.close()


def test_two_runs_cannot_work_in_one_folder(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    journal = Journal(tmp_path / "work", {}, resume=False)
    with pytest.raises(InputError, match="Another run"):
        Journal(tmp_path / "work", {}, resume=True)
    journal.close()


def test_other_options_or_another_input_do_not_go_on(tmp_path: Path) -> None:
    given = write_lines(tmp_path / "in.jsonl", rows(5))
    out = tmp_path / "out.jsonl"
    run_batch(given, out)
    with pytest.raises(InputError, match="limit differ"):
        run_batch(given, out, BatchOptions(existing=RESUME, limit=3))
    write_lines(given, rows(5, seed=2))
    with pytest.raises(InputError, match="input differ"):
        run_batch(given, out, BatchOptions(existing=RESUME))
