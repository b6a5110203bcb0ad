"""Run `groundwire batch` as a user does, and watch what it takes: time, memory of every process, what others took."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

SECONDS_BETWEEN_SAMPLES = 0.2
_NOT_BUSY = (3, 4)  # idle and waiting for a disk, among the times of /proc/stat


class Sample(NamedTuple):
    """Resident memory at one moment, in MB."""

    seconds: float
    parent: float
    children: tuple[float, ...]

    @property
    def total(self) -> float:
        """Return what all processes hold together."""
        return self.parent + sum(self.children)


class Busy:
    """Tell which share of the machine others took since this was made."""

    def __init__(self) -> None:
        self._wall, self._all, self._ours = time.perf_counter(), _machine_seconds(), _our_seconds()

    def by_others(self) -> float | None:
        """Return the share of all cores that others took; children count as ours when they have ended."""
        now = _machine_seconds()
        if now is None or self._all is None:
            return None
        whole = (time.perf_counter() - self._wall) * (os.cpu_count() or 1)
        others = now - self._all - (_our_seconds() - self._ours)
        return round(max(0.0, others / whole), 3)


def batch(given: Path, out: Path, *options: str) -> dict[str, Any]:
    """Run the command and return its rates, and the memory of its processes over time."""
    before, started, busy = _children_seconds(), time.perf_counter(), Busy()
    with subprocess.Popen(
        [*_command(given, out), "--overwrite", "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        samples = _watch(running)
        told = json.loads(running.communicate()[0])
    seconds, cpu = time.perf_counter() - started, _children_seconds() - before
    return {
        "processes": int(options[options.index("--processes") + 1]) if "--processes" in options else None,
        "rows": told["rows"],
        "bad_rows": told["bad_rows"],
        "seconds": round(seconds, 2),
        "rows_per_second": round(told["rows"] / seconds, 2),
        "rows_per_cpu_second": round(told["rows"] / cpu, 2),
        **memory_over_time(samples, seconds),
        "taken_by_others": busy.by_others(),
    }


def memory_over_time(samples: list[Sample], seconds: float) -> dict[str, Any]:
    """Return the peaks: of all processes together, by quarters of the run, of the parent and of the largest child."""
    quarters: list[float] = [0.0] * 4
    for sample in samples:
        place = min(3, int(4 * sample.seconds / seconds))
        quarters[place] = max(quarters[place], sample.total)
    return {
        "peak_mb": round(max(quarters), 1),
        "peak_mb_by_quarter": [round(value, 1) for value in quarters],
        "parent_peak_mb": round(max((sample.parent for sample in samples), default=0.0), 1),
        "child_peak_mb": round(max((child for sample in samples for child in sample.children), default=0.0), 1),
    }


def killed_and_resumed(given: Path, folder: Path, rows: int, kills: int, seed: int) -> dict[str, Any]:
    """Kill a run at random moments, go on each time, and compare the end with an undisturbed run."""
    whole, out = folder / "whole.jsonl", folder / "killed.jsonl"
    options = ("--limit", str(rows), "--no-model", "--quiet")
    subprocess.run([*_command(given, whole), *options, "--overwrite"], check=True)
    rng = random.Random(seed)
    kept = [0]
    for _ in range(kills):
        running = subprocess.Popen([*_command(given, out), *options, "--resume"])
        # By rows and not by the clock: on a busy machine a run may not even have begun.
        wanted = kept[-1] + rng.uniform(0.05, 0.8 / kills) * rows
        while _rows_kept(out) < wanted and running.poll() is None:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.2))
        running.send_signal(signal.SIGKILL)
        running.wait()
        kept.append(_rows_kept(out))
    finished = out.exists()
    subprocess.run([*_command(given, out), *options, "--resume"], check=True)
    endings = ("", ".meta.json")
    equal = all(Path(f"{out}{end}").read_bytes() == Path(f"{whole}{end}").read_bytes() for end in endings)
    return {
        "rows": rows,
        "rows_kept_by_kill": kept[1:],
        "finished_before_the_last_kill": finished,
        "equal_bytes": equal,
    }


def _rows_kept(out: Path) -> int:
    """Count the rows whose blocks the journal has; a line that a kill cut off is none."""
    journal = Path(f"{out}.work") / "journal.jsonl"
    lines = journal.read_text(encoding="ascii").splitlines()[1:] if journal.exists() else []
    return sum(json.loads(line)["rows"] for line in lines if line.endswith("}"))


def _command(given: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "groundwire", "batch", str(given), str(out)]


def _watch(running: subprocess.Popen[bytes]) -> list[Sample]:
    """Sample a process and all below it until it ends, in a thread, into the list that is returned."""
    samples: list[Sample] = []
    started = time.perf_counter()

    def sample() -> None:
        while running.poll() is None:
            found = _tree_mb(running.pid)
            if found:
                samples.append(Sample(time.perf_counter() - started, found[0], tuple(found[1:])))
            time.sleep(SECONDS_BETWEEN_SAMPLES)

    threading.Thread(target=sample, daemon=True).start()
    return samples


def _tree_mb(pid: int) -> list[float]:
    found: list[float] = []
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        found.append(pages * os.sysconf("SC_PAGE_SIZE") / 2**20)
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                found += _tree_mb(int(child))
    except (OSError, ValueError, IndexError):
        pass  # it ended while we looked
    return found


def _machine_seconds() -> float | None:
    try:
        times = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
    except OSError:
        return None
    return sum(int(value) for place, value in enumerate(times) if place not in _NOT_BUSY) / os.sysconf("SC_CLK_TCK")


def _our_seconds() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime + _children_seconds()


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
