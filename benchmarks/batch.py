"""Time `groundwire batch`: rows a second against one process that verifies in a loop, memory, growth, kills, Ray.

GROUNDWIRE_DATA=… python -m benchmarks.batch

Parts can be measured one at a time: `--parts with_model --merge` keeps the others, each with its own commit and date.
"""

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import data as folders
from benchmarks import record
from benchmarks.batch_watch import Busy, batch, killed_and_resumed
from benchmarks.growth import power_exponent
from benchmarks.log_plot import Curve, draw_curves
from groundwire import VerifiedScorer
from training.pairs import made

PARTS = ("without_model", "with_model", "ray", "kills")
LOOP_ROWS = {False: 5_000, True: 1_000}  # enough to fill the caches of words, and for some seconds
SEED = 1
KILLS = 3
IMAGES = record.ROOT / "docs" / "images"
WORDS = (("without_model", "without model"), ("with_model", "with model"))


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


def in_process(given: Path, count: int, model: bool) -> dict[str, float]:
    """Verify in a loop on one thread and return rows a second, by the wall and by the processor's clock."""
    from groundwire.nli import NLIScorer

    with open(given, encoding="utf-8") as file:
        sample = [json.loads(line) for line in itertools.islice(file, count)]
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


def loops(given: Path, count: int, model: bool, at_once: int = 1) -> dict[str, Any]:
    """Run the loop in fresh processes at the same time; the rates are those of all together and of one on average."""
    command = [sys.executable, "-m", "benchmarks.batch", "--loop", str(count), "--input", str(given)]
    busy = Busy()
    running = [
        subprocess.Popen([*command, *(["--loop-model"] if model else [])], stdout=subprocess.PIPE, cwd=record.ROOT)
        for _ in range(at_once)
    ]
    told = [json.loads(process.communicate()[0]) for process in running]
    return {
        "loops": at_once,
        "rows_each": count,
        "rows_per_second": round(sum(one["rows_per_second"] for one in told), 2),
        "rows_per_cpu_second": round(sum(one["rows_per_cpu_second"] for one in told) / at_once, 2),
        "taken_by_others": busy.by_others(),
    }


def measure(
    given: Path, sizes: list[int], one_process_up_to: int, folder: Path, processes: int, *, model: bool
) -> dict[str, Any]:
    """Measure the loop before and after, and between them the command for each size and number of processes."""
    switch = () if model else ("--no-model",)
    count = min(LOOP_ROWS[model], max(sizes))
    before = loops(given, count, model)
    runs: list[dict[str, Any]] = []
    for size in sizes:
        outs = []
        for number in (1, processes) if size <= one_process_up_to else (processes,):
            outs.append(folder / f"out-{number}.jsonl")
            runs.append(batch(given, outs[-1], "--limit", str(size), "--processes", str(number), *switch))
            print(f"model={model} rows={size}: {runs[-1]}", flush=True)
        if len(outs) == 2:
            runs[-1]["equal_to_one_process"] = outs[0].read_bytes() == outs[1].read_bytes()
    at_once = loops(given, count, model, at_once=processes)
    after = loops(given, count, model)
    loop = {name: round((before[name] + after[name]) / 2, 2) for name in ("rows_per_second", "rows_per_cpu_second")}
    largest = runs[-1]
    return {
        "in_process": {**loop, "before": before, "after": after},
        "loops_at_once": at_once,
        "runs": runs,
        "share_of_cores": round(largest["rows_per_second"] / (processes * loop["rows_per_second"]), 3),
        "share_of_loops_at_once": round(largest["rows_per_second"] / at_once["rows_per_second"], 3),
        "share_of_cpu_time": round(largest["rows_per_cpu_second"] / loop["rows_per_cpu_second"], 3),
        "time_grows_with_rows_to_the_power": _exponent(runs, processes),
    }


def _exponent(runs: list[dict[str, Any]], processes: int) -> float | None:
    points = [(run["rows"], run["seconds"]) for run in runs if run["processes"] == processes]
    return None if len(points) < 2 else round(power_exponent(*zip(*points, strict=True)), 3)


def measure_ray(given: Path, size: int, folder: Path, processes: int) -> dict[str, Any]:
    """Check the same rows with Ray and without, with and without the model."""
    found = {}
    for (name, _), switch in zip(WORDS, (("--no-model",), ()), strict=True):
        out, local = folder / "out-ray.jsonl", folder / "out-local.jsonl"
        limit = ("--limit", str(size))
        told = batch(given, out, *limit, "--processes", str(processes), "--engine", "ray", *switch)
        batch(given, local, *limit, *switch)
        del told["rows_per_cpu_second"]  # Ray's own processes are no children of ours
        found[name] = {**told, "equal_to_local": out.read_bytes() == local.read_bytes()}
        print(f"ray {name}: {found[name]}", flush=True)
    return found


def plot(figures: dict[str, Any], folder: Path) -> None:
    """Draw time by rows, and rates by processes beside what the loop promises."""
    by_rows, by_processes = [], []
    for name, words in WORDS:
        if name not in figures:
            continue
        runs = figures[name]["runs"]
        counts = sorted({run["processes"] for run in runs})
        for count in counts:
            points = [(run["rows"], run["seconds"]) for run in runs if run["processes"] == count]
            by_rows.append(Curve(f"{words}, {count} process{'es' if count > 1 else ''}", points))
        both = [run["rows"] for run in runs if run["processes"] == 1]
        if both:
            rates = [(run["processes"], run["rows_per_second"]) for run in runs if run["rows"] == max(both)]
            loop = figures[name]["in_process"]["rows_per_second"]
            by_processes.append(Curve(f"{words}, {max(both):,} rows", rates))
            by_processes.append(Curve(f"{words}, loop × processes", [(count, count * loop) for count in counts]))
    drawn = {
        "batch_growth": ("Time of a batch", "rows", "seconds", by_rows),
        "batch_processes": ("Rate of a batch", "processes", "rows a second", by_processes),
    }
    for name, (title, across, up, curves) in drawn.items():
        if curves:
            (folder / f"{name}.svg").write_text(draw_curves(title, across, up, curves), encoding="utf-8")


def write_input(path: Path, data: Path, count: int) -> None:
    """Write so many rows, in an order in which the first thousand are like the rest."""
    taken = list(itertools.islice(rows(data), count))
    random.Random(SEED).shuffle(taken)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in taken)


def parser() -> argparse.ArgumentParser:
    """Return what the command line may say."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--data", help="the data folder, or GROUNDWIRE_DATA")
    made.add_argument("--parts", nargs="+", choices=PARTS, default=[part for part in PARTS if part != "ray"])
    made.add_argument("--merge", action="store_true", help="keep what the result file holds of the other parts")
    made.add_argument("--name", default="batch", help="name of the result file, or a path without .json")
    made.add_argument("--input", type=Path, help="rows as JSON lines: used if the file exists, else written there")
    made.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    made.add_argument("--model-rows", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    made.add_argument("--one-process-up-to", type=int, default=100_000)
    made.add_argument("--model-one-process-up-to", type=int, default=1_000)
    made.add_argument("--kill-rows", type=int, default=10_000)
    made.add_argument("--processes", type=int, default=2)
    made.add_argument("--loop", type=int, help=argparse.SUPPRESS)
    made.add_argument("--loop-model", action="store_true", help=argparse.SUPPRESS)
    return made


def main() -> None:
    """Measure the parts, and write result file and plots."""
    options = parser().parse_args()
    if options.loop:
        print(json.dumps(in_process(options.input, options.loop, options.loop_model)))
        return
    command = f"GROUNDWIRE_DATA=… python -m benchmarks.batch {' '.join(sys.argv[1:])}".rstrip()
    result = record.RESULTS / f"{options.name}.json"
    figures: dict[str, Any] = {}
    if options.merge:
        old = json.loads(result.read_text(encoding="utf-8"))
        figures = {name: old[name] for name in PARTS if name in old}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = options.input or folder / "in.jsonl"
        if not given.exists():
            most = max([*options.rows, *options.model_rows, options.kill_rows])
            write_input(given, folders.folder(options.data), most)
        for part in options.parts:
            figures[part] = {
                "measured": {"command": command, "commit": record.commit(), "date": f"{datetime.now(UTC):%Y-%m-%d}"},
                "input_mb": round(given.stat().st_size / 2**20, 1),
                **_part(part, given, folder, options),
            }
    print(record.write(options.name, command, figures))
    plot(figures, IMAGES if options.name == "batch" else result.parent)


def _part(part: str, given: Path, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    if part == "ray":
        return measure_ray(given, options.rows[0], folder, options.processes)
    if part == "kills":
        return killed_and_resumed(given, folder, options.kill_rows, KILLS, SEED)
    model = part == "with_model"
    sizes, alone = (
        (options.model_rows, options.model_one_process_up_to) if model else (options.rows, options.one_process_up_to)
    )
    return measure(given, sizes, alone, folder, options.processes, model=model)


if __name__ == "__main__":
    main()
