"""Time `groundwire batch`: rows a second against one process that verifies in a loop, memory, growth, Ray.

GROUNDWIRE_DATA=… python -m benchmarks.batch --rows 1000 10000 --model-rows 1000
"""

import argparse
import itertools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import data as folders
from benchmarks import record
from benchmarks.growth import power_exponent
from benchmarks.log_plot import Curve, draw_curves
from groundwire import VerifiedScorer
from training.pairs import made

IN_PROCESS_ROWS = 1_000
ONLY_TWO_FROM = {False: 50_000, True: 5_000}  # rows from which one process alone would take too long
SEED = 1
PLOT = record.ROOT / "docs" / "images" / "batch_growth.svg"


def rows(data: Path) -> Iterator[dict[str, str]]:
    """Yield rows with sources of their own: those of the dev sets, mixed with pairs made from plain text."""
    dev = (row for name in folders.DEV_SETS for row in folders.packed(data / "dev" / f"{name}.jsonl.xz"))
    texts = sorted((data / "text").glob("*.txt.xz"))
    pairs = (pair for path in texts for pair in made(path, 2_000, lambda text: len(text.split()), SEED))
    seen: set[str] = set()
    pool: list[dict[str, str]] = []
    both = (((row.source, row.response) for row in dev), ((pair.wide, pair.claim) for pair in pairs))
    for item in itertools.chain.from_iterable(itertools.zip_longest(*both)):
        if item is not None and item[0] not in seen:
            seen.add(item[0])
            pool.append({"response": item[1], "source": item[0]})
            yield pool[-1]
    # More rows than there is text: a first sentence of its own makes a source one that was never seen.
    for number in itertools.count(1):
        for row in pool:
            yield {"response": row["response"], "source": f"This is copy {number} of the record. {row['source']}"}


def in_process(sample: list[dict[str, str]], model: bool) -> dict[str, float]:
    """Verify in a loop on one thread and return rows a second, by the wall and by the processor's clock."""
    from groundwire.nli import NLIScorer

    scorer = VerifiedScorer(NLIScorer(intra_op_num_threads=1) if model else None)
    for row in sample[:20]:
        scorer.verify(row["response"], row["source"])
    wall, cpu = time.perf_counter(), time.process_time()
    for row in sample:
        scorer.verify(row["response"], row["source"], False, 1)
    return {
        "rows_per_second": round(len(sample) / (time.perf_counter() - wall), 2),
        "rows_per_cpu_second": round(len(sample) / (time.process_time() - cpu), 2),
    }


def batch(given: Path, out: Path, *options: str) -> dict[str, Any]:
    """Run the command as a user does and return its rates and the memory of all its processes together."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    load = os.getloadavg()[0]
    command = [sys.executable, "-m", "groundwire", "batch", str(given), str(out), "--overwrite", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        peak = _watch(running)
        told = json.loads(running.communicate()[0])
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "rows": told["rows"],
        "bad_rows": told["bad_rows"],
        "seconds": round(seconds, 2),
        "rows_per_second": round(told["rows"] / seconds, 2),
        "rows_per_cpu_second": round(told["rows"] / cpu, 2),
        "peak_mb": round(peak(), 1),
        "load_before": round(load, 2),
    }


def _watch(running: subprocess.Popen[bytes]) -> Callable[[], float]:
    """Sample the resident memory of a process and all below it; what is returned gives the peak."""
    highest = 0.0

    def sample() -> None:
        nonlocal highest
        while running.poll() is None:
            highest = max(highest, _tree_mb(running.pid))
            time.sleep(0.2)

    watcher = threading.Thread(target=sample, daemon=True)
    watcher.start()

    def peak() -> float:
        watcher.join()
        return highest

    return peak


def _tree_mb(pid: int) -> float:
    total = 0.0
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        total = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                total += _tree_mb(int(child))
    except (OSError, ValueError, IndexError):
        pass  # it ended while we looked
    return total


def measure(given: Path, sizes: list[int], folder: Path, *, model: bool, ray: bool) -> dict[str, Any]:
    """Measure the loop, and the command for each size with one and with two processes."""
    switch = () if model else ("--no-model",)
    lines = given.read_text(encoding="utf-8").splitlines()
    alone = in_process([json.loads(line) for line in lines[: min(IN_PROCESS_ROWS, *sizes)]], model)
    runs: list[dict[str, Any]] = []
    for size in sizes:
        for processes in (1, 2) if size < ONLY_TWO_FROM[model] else (2,):
            out = folder / f"out-{processes}.jsonl"
            found = batch(given, out, "--limit", str(size), "--processes", str(processes), *switch)
            runs.append({"processes": processes, **found})
            print(f"model={model} rows={size} processes={processes}: {runs[-1]}", flush=True)
        if size < ONLY_TWO_FROM[model]:
            same = (folder / "out-1.jsonl").read_bytes() == (folder / "out-2.jsonl").read_bytes()
            runs[-1]["equal_to_one_process"] = same
    largest = runs[-1]
    found = {
        "in_process": alone,
        "runs": runs,
        "share_of_two_cores": round(largest["rows_per_second"] / (2 * alone["rows_per_second"]), 3),
        "share_of_cpu_time": round(largest["rows_per_cpu_second"] / alone["rows_per_cpu_second"], 3),
        "time_grows_with_rows_to_the_power": _exponent(runs),
    }
    if ray:
        size = sizes[0]
        out = folder / "out-ray.jsonl"
        told = batch(given, out, "--limit", str(size), "--processes", "2", "--engine", "ray", *switch)
        batch(given, folder / "out-local.jsonl", "--limit", str(size), *switch)
        found["ray"] = {**told, "equal_to_local": out.read_bytes() == (folder / "out-local.jsonl").read_bytes()}
    return found


def _exponent(runs: list[dict[str, Any]]) -> float | None:
    two = [run for run in runs if run["processes"] == 2]
    if len(two) < 2:
        return None
    return round(power_exponent([run["rows"] for run in two], [run["seconds"] for run in two]), 3)


def plot(figures: dict[str, Any]) -> None:
    """Draw time by rows for one and two processes into the documentation."""
    curves = [
        Curve(
            f"{words}, {count} process{'es' if count > 1 else ''}",
            [(run["rows"], run["seconds"]) for run in figures[name]["runs"] if run["processes"] == count],
        )
        for name, words in (("without_model", "without model"), ("with_model", "with model"))
        if name in figures
        for count in (1, 2)
    ]
    PLOT.write_text(draw_curves("Time of a batch", "rows", "seconds", curves), encoding="utf-8")


def main() -> None:
    """Measure, and write the result file and its plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--model-rows", type=int, nargs="*", default=[1_000])
    parser.add_argument("--ray", action="store_true")
    options = parser.parse_args()
    data = folders.folder(options.data)
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = folder / "in.jsonl"
        with open(given, "w", encoding="utf-8") as file:
            taken = list(itertools.islice(rows(data), max([*options.rows, *options.model_rows])))
            random.Random(SEED).shuffle(taken)  # the first thousand rows are like the rest
            file.writelines(json.dumps(row) + "\n" for row in taken)
        figures["input_mb"] = round(given.stat().st_size / 2**20, 1)
        figures["without_model"] = measure(given, options.rows, folder, model=False, ray=options.ray)
        if options.model_rows:
            figures["with_model"] = measure(given, options.model_rows, folder, model=True, ray=options.ray)
    command = f"GROUNDWIRE_DATA=… python -m benchmarks.batch {' '.join(sys.argv[1:])}".rstrip()
    print(record.write("batch", command, figures))
    plot(figures)


if __name__ == "__main__":
    main()
