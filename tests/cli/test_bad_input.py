"""Every bad input ends in one line on stderr and exit status 2."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from groundwire.cli import inputs
from tests.cli.running import groundwire


def test_missing_file(texts: Path) -> None:
    groundwire("verify", "nowhere.txt", "source.txt", cwd=texts).refused_with("'nowhere.txt' does not exist")
    groundwire("verify", "right.txt", "nowhere.txt", cwd=texts).refused_with("'nowhere.txt' does not exist")


def test_a_positional_is_never_taken_as_text(texts: Path) -> None:
    ran = groundwire("verify", "Refunds are paid within 30 days.", "source.txt", cwd=texts)
    ran.refused_with("does not exist", "--response")


def test_directory(texts: Path) -> None:
    (texts / "folder").mkdir()
    groundwire("verify", "right.txt", "folder", cwd=texts).refused_with("'folder' is a directory")


def test_binary(texts: Path) -> None:
    (texts / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    groundwire("verify", "right.txt", "image.png", cwd=texts).refused_with("is binary", "offset 8")
    groundwire("verify", "-", "source.txt", stdin=b"a\0b", cwd=texts).refused_with("Standard input is binary")


def test_not_utf8_names_the_byte_offset(texts: Path) -> None:
    (texts / "latin.txt").write_bytes("Das kostet fünf Euro.".encode("latin-1"))
    groundwire("verify", "right.txt", "latin.txt", cwd=texts).refused_with("not UTF-8", "0xfc at offset 12")


def test_utf16_is_named(texts: Path) -> None:
    (texts / "wide.txt").write_bytes("Refunds".encode("utf-16"))
    groundwire("verify", "right.txt", "wide.txt", cwd=texts).refused_with("is UTF-16", "save it as UTF-8")


def test_too_large(texts: Path) -> None:
    with (texts / "huge.txt").open("wb") as file:
        file.truncate(inputs.MAX_BYTES + 1)
    groundwire("verify", "right.txt", "huge.txt", cwd=texts).refused_with("too large", "64 MiB")


def test_an_endless_file_does_not_fill_the_memory(texts: Path) -> None:
    groundwire("verify", "right.txt", "/dev/zero", cwd=texts).refused_with("'/dev/zero' is too large")


def test_unreadable_file(texts: Path) -> None:
    (texts / "loop.txt").symlink_to("loop.txt")
    groundwire("verify", "right.txt", "loop.txt", cwd=texts).refused_with("'loop.txt' cannot be read", "Cause:")


def test_empty_standard_input(texts: Path) -> None:
    groundwire("verify", "-", "source.txt", stdin=b"", cwd=texts).refused_with("Standard input is empty")
    groundwire("verify", "-", "source.txt", stdin=b" \n", cwd=texts).refused_with("Standard input is empty")


def test_text_and_file_together(texts: Path) -> None:
    both = groundwire("verify", "right.txt", "--response", "x", "--source", "y", cwd=texts)
    both.refused_with("response was given both as text and as a file")
    both = groundwire("verify", "right.txt", "source.txt", "--source", "y", cwd=texts)
    both.refused_with("sources were given both as text and as files")
    both = groundwire("verify", "right.txt", "--response-file", "right.txt", "--source", "y", cwd=texts)
    both.refused_with("given as two files")


def test_standard_input_twice(texts: Path) -> None:
    groundwire("verify", "-", "-", stdin=b"x", cwd=texts).refused_with("named twice")
    groundwire("verify", "-", "--source-file", "-", stdin=b"x", cwd=texts).refused_with("named twice")


def test_nothing_given(texts: Path) -> None:
    groundwire("verify").refused_with("No response was given")
    groundwire("verify", "right.txt", cwd=texts).refused_with("No source was given")
    groundwire("verify", "", "source.txt", cwd=texts).refused_with("file name is empty")


@pytest.mark.parametrize("wanted", ["wrong", "contradicted,nonsense", "", ","])
def test_unknown_verdict_in_fail_on(texts: Path, wanted: str) -> None:
    ran = groundwire("verify", "right.txt", "source.txt", "--fail-on", wanted, cwd=texts)
    ran.refused_with("--fail-on", "supported, contradicted, fabricated, unverifiable")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"fail_on: [nonsense]", "nonsense"),
        (b"unknown_field: 1", "unknown field 'unknown_field'"),
        (b"- a\n- b", "no mapping"),
        (b"a: [", "not valid YAML"),
        (b"\xff\xfe", "not valid YAML"),
        (b"nli_threshold: 7", "nli_threshold"),
        (b"!!python/object/apply:os.system ['true']", "not valid YAML"),
    ],
)
def test_unreadable_policy(texts: Path, content: bytes, said: str) -> None:
    (texts / "policy.yaml").write_bytes(content)
    groundwire("verify", "right.txt", "source.txt", "--policy", "policy.yaml", cwd=texts).refused_with(said)


def test_missing_policy(texts: Path) -> None:
    groundwire("verify", "right.txt", "source.txt", "--policy", "no.yaml", cwd=texts).refused_with("cannot be read")


def test_output_file_that_cannot_be_written(texts: Path) -> None:
    ran = groundwire("verify", "right.txt", "source.txt", "--html", "no/such/place.html", cwd=texts)
    ran.refused_with("cannot be written")
    groundwire("verify", "right.txt", "source.txt", "--html", ".", cwd=texts).refused_with("cannot be written")
    groundwire("verify", "right.txt", "source.txt", "--html", "-", cwd=texts).refused_with("give a file name")


def test_the_report_never_overwrites_an_input(texts: Path) -> None:
    groundwire("verify", "right.txt", "source.txt", "--html", "./source.txt", cwd=texts).refused_with(
        "one of the inputs"
    )
    assert (texts / "source.txt").read_text(encoding="utf-8") == "Refunds are paid within 30 days."


@pytest.mark.parametrize("arguments", [("nonsense",), ("verify", "--nonsense"), ("verify", "--top-k", "-1"), ("--x",)])
def test_usage_errors_are_one_line(arguments: tuple[str, ...]) -> None:
    groundwire(*arguments).refused_with("groundwire --help")


def test_quiet_and_json_exclude_each_other(texts: Path) -> None:
    groundwire("verify", "right.txt", "source.txt", "--quiet", "--json", cwd=texts).refused_with("exclude")


def test_a_file_name_cannot_drive_the_terminal(texts: Path) -> None:
    ran = groundwire("verify", "right.txt", "evil\x1b[2J\n.txt", cwd=texts)
    ran.refused_with("does not exist")
    assert "\x1b" not in ran.err


def test_an_argument_that_is_not_utf8() -> None:
    ran = groundwire("verify", b"--response", b"\xff\xfe broken", b"--source", b"x")
    ran.refused_with("--response is not UTF-8")


def test_a_closed_pipe_is_one_line(texts: Path) -> None:
    (texts / "long.txt").write_text("Refunds are paid within 30 days. " * 3000, encoding="utf-8")
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [sys.executable, "-m", "groundwire", "verify", "long.txt", "source.txt"],
        stdout=write_end,
        stderr=subprocess.PIPE,
        cwd=texts,
        timeout=60,
        check=False,
    )
    os.close(write_end)
    assert done.returncode == 141
    assert done.stderr.decode().splitlines() == [
        "groundwire: The reader closed the output before everything was written."
    ]


def test_ctrl_c_is_one_line(texts: Path) -> None:
    os.mkfifo(texts / "pipe")
    started = subprocess.Popen(
        [sys.executable, "-m", "groundwire", "verify", "pipe", "source.txt"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=texts,
    )
    with (texts / "pipe").open("wb"):  # opens once the other side reads
        # A signal between opening and reading would wait for the read to end: give it time to block.
        time.sleep(1.0)
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=30)
    assert started.returncode == 130
    assert out == b""
    assert err.decode().splitlines() == ["groundwire: Interrupted."]
