"""Importing and verifying touch neither the network nor the disk, and importing costs next to nothing."""

import json
import subprocess
import sys

import pytest

HEAVY = ("numpy", "onnxruntime", "typer", "rich", "yaml")

WATCH = """
import sys
seen = []

def watch(event, arguments):
    if event.startswith("socket.") or event in ("subprocess.Popen", "os.system", "os.exec", "os.fork"):
        seen.append(event)
    elif event == "open":
        path, mode, flags = arguments
        writes = isinstance(mode, str) and set(mode) & set("wax+")
        # os.open has no mode: O_WRONLY, O_RDWR, O_CREAT and O_TRUNC are what writes.
        import os
        writes = writes or (mode is None and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))
        if writes:
            seen.append(f"{event} {path}")
    elif event in ("os.mkdir", "os.remove", "os.rename", "os.truncate", "os.link", "os.symlink", "shutil.copyfile"):
        seen.append(event)
"""

VERIFY = """
import groundwire
scorer = groundwire.VerifiedScorer()
result = scorer.verify("Refunds within 60 days. Hello!", ["Refunds within 30 days only.", "Other."], atomic=True)
result.to_dict()
assert not result.approved
"""

REVIEW = """
import groundwire
store = groundwire.GroundTruthStore()
store.add("refund", "Refunds within 30 days only.")
scorer = groundwire.CoherenceScorer(ground_truth_store=store, cache_size=8)
assert not scorer.review("The shop is red. What about refunds?", "Refunds within 60 days.")[0]
"""


def run(code: str, *options: str) -> str:
    # -B: byte code that Python itself may write is not ours to answer for.
    command = [sys.executable, "-B", *options, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("deed", [VERIFY, REVIEW], ids=["verify", "review"])
def test_importing_and_verifying_open_no_socket_and_write_no_file(deed: str) -> None:
    out = run(f"{WATCH}\nsys.addaudithook(watch)\n{deed}\nimport json\nprint(json.dumps(seen))")
    assert json.loads(out) == []


def test_the_watch_sees_a_socket_and_a_written_file() -> None:
    deeds = "import socket, os, tempfile\nsocket.socket().close()\nopen(os.devnull, 'w').close()"
    out = run(f"{WATCH}\nsys.addaudithook(watch)\n{deeds}\nimport json\nprint(json.dumps(seen))")
    assert any(event.startswith("socket.") for event in json.loads(out))
    assert any(event.startswith("open ") for event in json.loads(out))


@pytest.mark.parametrize("names", ["", "; groundwire.VerifiedScorer", "; groundwire.CoherenceScorer"])
def test_import_takes_less_than_150_ms(names: str) -> None:
    # Processor time: how busy the machine is with other things is not ours to answer for.
    code = f"from time import process_time as t; a = t(); import groundwire{names}; print(t() - a)"
    assert min(float(run(code)) for _ in range(5)) < 0.150


# The word index of a store is made of numpy's arrays.
@pytest.mark.parametrize(("deed", "needed"), [(VERIFY, ()), (REVIEW, ("numpy",))], ids=["verify", "review"])
def test_importing_and_verifying_load_nothing_heavy(deed: str, needed: tuple[str, ...]) -> None:
    heavy = [name for name in HEAVY if name not in needed]
    out = run(f"import sys\n{deed}\nprint([name for name in {heavy!r} if name in sys.modules])")
    assert out.strip() == "[]"
