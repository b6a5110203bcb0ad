"""The stream command lets text through as it comes and stops at the first wrong claim."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import groundwire

SOURCE = "Refunds are accepted within 30 days of purchase. The Pro plan costs $20 per month."
RIGHT = "The Pro plan costs $20 per month. Refunds are accepted within 30 days of purchase."
WRONG = "The Pro plan costs $20 per month. Refunds are accepted within 60 days of purchase. Bye."


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "handbook.txt"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def test_a_right_answer_goes_through(source: Path) -> None:
    ran = groundwire("stream", source, stdin=RIGHT.encode())
    assert (ran.status, ran.out, ran.err) == (0, RIGHT + "\n", "")


def test_a_wrong_answer_is_halted_with_status_3_and_evidence_on_stderr(source: Path) -> None:
    ran = groundwire("stream", source, stdin=WRONG.encode())
    assert (ran.status, ran.out) == (3, "The Pro plan costs $20 per month.\n")
    assert "the source says “30 days”" in " ".join(ran.err.split())
    assert "halted: contradicted (number_mismatch), see handbook.txt:0-48" in ran.err
    assert "suggestion: Refunds are accepted within [-60 days-]{+30 days+} of purchase." in ran.err


@pytest.mark.parametrize(("mode", "shown"), [("immediate", WRONG[: WRONG.index(" Bye")] + "\n"), ("buffered", "")])
def test_the_modes_decide_what_is_seen(source: Path, mode: str, shown: str) -> None:
    ran = groundwire("stream", source, "--mode", mode, "--no-model", stdin=WRONG.encode())
    assert (ran.status, ran.out) == (3, shown)


def test_json_gives_texts_claims_and_the_end(source: Path) -> None:
    ran = groundwire("stream", source, "--json", stdin=WRONG.encode())
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [line["type"] for line in lines] == ["text", "claim", "claim", "halt"]
    assert [line.get("rejected") for line in lines[1:3]] == [False, True]
    assert WRONG[lines[2]["start"] : lines[2]["end"]] == lines[2]["claim"]
    assert (ran.status, ran.err) == (3, "")
    ran = groundwire("stream", "--source", SOURCE, "--json", stdin=RIGHT.encode())
    assert json.loads(ran.out.splitlines()[-1]) == {"type": "end"}


def test_keep_going_reports_and_lets_everything_through(source: Path) -> None:
    ran = groundwire("stream", source, "--keep-going", stdin=WRONG.encode())
    assert (ran.status, ran.out) == (0, WRONG + "\n")
    assert "contradicted" in ran.err


def test_events_are_written_without_text(source: Path, tmp_path: Path) -> None:
    groundwire("stream", source, "--events", tmp_path / "events.jsonl", stdin=WRONG.encode())
    (line,) = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["policy_decision"] == "halt"
    assert "days" not in line


def test_text_is_shown_while_the_writer_still_writes(source: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "groundwire", "stream", str(source)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(b"The Pro plan costs $20 per month. Is the caf")
    process.stdin.flush()
    assert os.read(process.stdout.fileno(), 100) == b"The Pro plan costs $20 per month."
    process.stdin.write("é".encode()[:1])
    process.stdin.flush()
    process.stdin.write("é".encode()[1:] + b" open?")
    process.stdin.close()
    assert process.stdout.read().decode() == " Is the café open?\n"
    assert process.wait(30) == 0
    process.stdout.close()
    process.stderr.close()


def test_wrong_use_is_one_line_and_status_2(source: Path) -> None:
    groundwire("stream", stdin=b"x").refused_with("No source was given")
    groundwire("stream", source, stdin=b"").refused_with("Standard input is empty")
    groundwire("stream", "-", stdin=b"x").refused_with("A source was named '-'")
    groundwire("stream", source, "--mode", "fast", stdin=b"x").refused_with("choose from immediate, hold_sentence")
    groundwire("stream", source, stdin=b"a\0b").refused_with("NUL byte at offset 1")
    groundwire("stream", source, stdin=b"\xff\xfe\x41").refused_with("not UTF-8")
    groundwire("stream", source, stdin=b"abc\xc3").refused_with("ends inside a character")
    groundwire("stream", source, "--fail-on", "bad", stdin=b"x").refused_with("unknown verdict 'bad'")
