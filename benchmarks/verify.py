"""Time Groundwire and its peers on the same texts in one run, and count the golden cases each gets right.

A peer is named by the Python of an environment that has it:
    GROUNDWIRE_PEER_DIRECTOR=…/bin/python GROUNDWIRE_PEER_RAGGROUND=…/bin/python python -m benchmarks.verify
"""

import argparse
import json
import os
import select
import statistics
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import record, texts
from benchmarks.growth import power_exponent

WORKER = Path(__file__).resolve().parent / "worker.py"
GOLDEN = record.ROOT / "tests" / "golden" / "verify_visible.jsonl"
SHAPES = ((5, 50), (20, 500), (40, 2000))
SOURCE_WORDS = (1_000, 10_000, 100_000)
CLAIMS_PER_SIZE = 5
LIMIT_S = 120
SLOW_S = 5


class Worker:
    """One system in a process of its own, started anew when a call runs over the limit."""

    def __init__(self, system: str, python: str) -> None:
        self._command = [python, str(WORKER), system]
        self._process = self._start()
        self.hello = self._read()

    def ask(self, response: str, source: str, *, atomic: bool = False, timed: bool = True) -> dict[str, Any]:
        """Verify once and return seconds, verdicts, approval and peak memory, or the error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"response": response, "source": source, "atomic": atomic, "timed": timed}
        print(json.dumps(request), file=self._process.stdin)
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], LIMIT_S)[0]:
            self._process.kill()
            self.close()
            self._process = self._start()
            self._read()
            return {"error": f"over {LIMIT_S} s", "peak_mb": None}
        return self._read()

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait(timeout=60)

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, cwd=record.ROOT,
            env={**os.environ, "PYTHONSAFEPATH": "1"},  # the worker's folder must not shadow a peer's modules
        )  # fmt: skip

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker ended with status {self._process.wait()}; run it by hand to see why")
        answer: dict[str, Any] = json.loads(line)
        return answer


def is_right(case: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Say whether every claim got an acceptable verdict and the approval is the expected one."""
    expect = case["expect"]
    if "error" in answer or len(answer["verdicts"]) != len(expect["verdicts"]):
        return False
    for given, accepted in zip(answer["verdicts"], expect["verdicts"], strict=True):
        if not set(given) & set(accepted):
            return False
    return "approved" not in expect or answer["approved"] == expect["approved"]


def golden(worker: Worker) -> dict[str, Any]:
    """Run the golden cases and count right ones, approved bad answers and refused good ones."""
    cases = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    answers = [worker.ask(case["response"], case["source"], atomic=case["atomic"]) for case in cases]
    pairs = list(zip(cases, answers, strict=True))
    return {
        "cases": len(cases),
        "right": sum(is_right(case, answer) for case, answer in pairs),
        "bad_approved": sum(
            case["expect"].get("approved") is False and answer.get("approved") is True for case, answer in pairs
        ),
        "good_refused": sum(
            case["expect"].get("approved") is True and answer.get("approved") is not True for case, answer in pairs
        ),
        "wrong": [case["id"] for case, answer in pairs if not is_right(case, answer)],
    }


def time_side_by_side(
    workers: dict[str, Worker], make: Callable[[int], tuple[str, str]], rounds: int
) -> dict[str, tuple[float, ...]]:
    """Return each system's milliseconds over fresh texts, none for a system that failed.

    The systems take turns, so that a slow moment hits all of them; no text comes twice, so that no cache answers.
    """
    taken: dict[str, list[float]] = {name: [] for name in workers}
    turning = dict(workers)
    for turn in range(rounds + 1):
        response, source = make(turn)
        for name, worker in list(turning.items()):
            answer = worker.ask(response, source)
            if "error" in answer:
                del turning[name]
                continue
            slow = answer["seconds"] > SLOW_S
            if turn or slow:  # the first turn loads word lists, which does not matter to a call of seconds
                taken[name].append(1000 * answer["seconds"])
            if slow:
                del turning[name]
    return {name: tuple(times) for name, times in taken.items()}


def peak_memory(system: str, python: str, *, with_large: bool) -> dict[str, float | None]:
    """Return the peak of a fresh process after a small call and, if it can be had, after the largest source."""
    worker = Worker(system, python)
    small = worker.ask(*texts.make(*SHAPES[0]))["peak_mb"]
    large = worker.ask(*texts.make_words(CLAIMS_PER_SIZE, SOURCE_WORDS[-1]))["peak_mb"] if with_large else None
    worker.close()
    return {"after_5x50": small and round(small, 1), "after_100k_words": large and round(large, 1)}


def measure(pythons: dict[str, str], rounds: int) -> dict[str, Any]:
    """Run everything once and return the figures."""
    workers: dict[str, Worker] = {}
    not_run = {}
    for system, python in pythons.items():
        if not python:
            not_run[system] = "no interpreter given"
            continue
        try:
            workers[system] = Worker(system, python)
        except (OSError, RuntimeError) as error:
            if system == "groundwire":
                raise
            not_run[system] = str(error)
    rows = []
    for claims, sentences in SHAPES:
        make = partial(texts.make, claims, sentences)
        rows.append(_row(f"{claims} claims x {sentences} sentences", workers, make, rounds))
    for words in SOURCE_WORDS:
        make = partial(texts.make_words, CLAIMS_PER_SIZE, words)
        rows.append(_row(f"{CLAIMS_PER_SIZE} claims x {words} words", workers, make, rounds))
    sizes = rows[len(SHAPES) :]
    figures = {
        "limit_s": LIMIT_S,
        "not_run": not_run,
        "versions": {name: worker.hello["versions"] for name, worker in workers.items()},
        "load_s": {name: round(worker.hello["load_s"], 3) for name, worker in workers.items()},
        "times": rows,
        "source_exponent": {
            name: round(power_exponent([row["source_words"] for row in sizes], times), 3)
            for name in workers
            if None not in (times := [row["ms"][name] for row in sizes])
        },
        "golden": {name: golden(worker) for name, worker in workers.items()},
    }
    for worker in workers.values():
        worker.close()
    figures["peak_mb"] = {
        name: peak_memory(name, pythons[name], with_large=sizes[-1]["ms"][name] is not None) for name in workers
    }
    return figures


def _row(name: str, workers: dict[str, Worker], make: Callable[[int], tuple[str, str]], rounds: int) -> dict[str, Any]:
    print(f"timing {name}", file=sys.stderr)
    taken = time_side_by_side(workers, make, rounds)
    middle = {name: round(statistics.median(times), 3) if times else None for name, times in taken.items()}
    ours = middle["groundwire"]
    return {
        "shape": name,
        "source_words": len(make(0)[1].split()),
        "ms": middle,
        "fastest_ms": {name: round(min(times), 3) if times else None for name, times in taken.items()},
        "ours_over_peer": {
            peer: float(f"{ours / theirs:.3g}")
            for peer, theirs in middle.items()
            if peer != "groundwire" and ours and theirs
        },
    }


def table(figures: dict[str, Any]) -> str:
    """Lay the figures out for a terminal."""
    systems = list(figures["versions"])
    lines = [f"{'':32}" + "".join(f"{name:>20}" for name in systems)]
    for row in figures["times"]:
        cells = []
        for name in systems:
            taken = row["ms"][name]
            ratio = row["ours_over_peer"].get(name)
            cells.append("no answer" if taken is None else f"{taken:.2f} ms" + (f" ({ratio:g}x)" if ratio else ""))
        lines.append(f"{row['shape']:32}" + "".join(f"{cell:>20}" for cell in cells))
    exponents = figures["source_exponent"]
    lines.append(f"{'exponent over source words':32}" + "".join(f"{exponents.get(name, '-'):>20}" for name in systems))
    for label, key in (("golden cases right", "right"), ("bad answers approved", "bad_approved")):
        lines.append(f"{label:32}" + "".join(f"{figures['golden'][name][key]:>20}" for name in systems))
    peaks = figures["peak_mb"]
    for label, key in (("peak MB, small call", "after_5x50"), ("peak MB, 100k words", "after_100k_words")):
        lines.append(f"{label:32}" + "".join(f"{peaks[name][key] or '-':>20}" for name in systems))
    lines.extend(f"not run: {name} ({why})" for name, why in figures["not_run"].items())
    lines.append(f"(in brackets: our time over the peer's; no answer: an error or more than {LIMIT_S} s)")
    return "\n".join(lines)


def main() -> None:
    """Measure, print the table, write the result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verify", description=__doc__)
    parser.add_argument(
        "--director", default=os.environ.get("GROUNDWIRE_PEER_DIRECTOR", ""), help="Python of director-ai"
    )
    parser.add_argument(
        "--ragground", default=os.environ.get("GROUNDWIRE_PEER_RAGGROUND", ""), help="Python of ragground"
    )
    parser.add_argument("--rounds", type=int, default=9, help="timed calls per shape and system")
    options = parser.parse_args()
    pythons = {"groundwire": sys.executable, "director": options.director, "ragground": options.ragground}
    figures = measure(pythons, options.rounds)
    print(table(figures))
    path = record.write("verify", f"python -m benchmarks.verify --rounds {options.rounds}", figures)
    print(f"written to {path.relative_to(record.ROOT)}")


if __name__ == "__main__":
    main()
