"""Grade Groundwire, its peers and plain word coverage on the same rows in one run: python -m benchmarks.side_by_side.

No tier but our own embedded one uses a model. A peer is named by the Python of an environment that has it, as for
`benchmarks.verify`. Reads the data folder given by --data or GROUNDWIRE_DATA.
"""

import argparse
import os
import random
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import data, record
from benchmarks.verify import Worker, golden
from groundwire.evals import Row, metrics
from groundwire.text.coverage import share
from groundwire.text.tokens import content_stems

COVERED = 0.8  # the share of found words from which plain coverage calls an answer supported
ROWS, SEED = 200, 1  # of a set at most: the slowest system needs tenths of a second a row
NO_ANSWER = 0.4999  # a row that a system cannot judge counts as not supported
SYSTEMS = ("groundwire", "embedded", "director", "ragground")


def word_coverage(row: Row) -> float:
    """Return the share of the response's content words that the source holds."""
    return share(content_stems(row.response), frozenset(content_stems(row.source)))


def graded(rows: Sequence[Row], scores: Sequence[float], approved: Sequence[bool]) -> dict[str, Any]:
    """Return AUC and balanced accuracy at 0.5 of the score, and balanced accuracy of the approval."""
    labels = [row.label for row in rows]
    return {
        "auc": _rounded(metrics.auc(labels, scores)),
        "balanced_accuracy": _rounded(metrics.balanced_accuracy(labels, scores)),
        "approval_balanced_accuracy": _rounded(metrics.balanced_accuracy(labels, [float(item) for item in approved])),
    }


def ask_all(worker: Worker, rows: Sequence[Row]) -> dict[str, Any]:
    """Grade one system on one set; errors are counted, not hidden."""
    answers = [worker.ask(row.response, row.source, timed=False) for row in rows]
    scores = [NO_ANSWER if answer.get("score") is None else float(answer["score"]) for answer in answers]
    return {
        **graded(rows, scores, [bool(answer.get("approved")) for answer in answers]),
        "errors": sum("error" in answer for answer in answers),
    }


def measure(folder: Path, names: Sequence[str], pythons: dict[str, str]) -> dict[str, Any]:
    """Grade every system on every set, and on the golden cases."""
    workers: dict[str, Worker] = {}
    not_run = {}
    for system, python in pythons.items():
        if python:
            workers[system] = Worker(system, python)
        else:
            not_run[system] = "no interpreter given"
    sets: dict[str, dict[str, Any]] = {}
    for name in names:
        rows = data.read_set(folder, name)
        rows = random.Random(SEED).sample(rows, ROWS) if len(rows) > ROWS else rows
        covered = [word_coverage(row) for row in rows]
        found = {"word coverage": graded(rows, covered, [value >= COVERED for value in covered])}
        # One threshold for all: 0.8 of the words is to coverage what 0.5 is to a probability.
        found["word coverage"]["balanced_accuracy"] = found["word coverage"]["approval_balanced_accuracy"]
        found |= {system: ask_all(worker, rows) for system, worker in workers.items()}
        sets[name] = {"rows": len(rows), **found}
        print(name, {system: entry["auc"] for system, entry in found.items()}, file=sys.stderr, flush=True)
    figures = {
        "rows_a_set_at_most": ROWS,
        "not_run": not_run,
        "versions": {name: worker.hello["versions"] for name, worker in workers.items()},
        "golden": {name: golden(worker) for name, worker in workers.items()},
        "mean_of_public_sets": {
            system: {
                key: round(statistics.mean(sets[name][system][key] for name in data.DEV_SETS), 4)
                for key in ("auc", "balanced_accuracy", "approval_balanced_accuracy")
            }
            for system in ("word coverage", *workers)
            if all(name in sets for name in data.DEV_SETS)
        },
        "sets": sets,
    }
    for worker in workers.values():
        worker.close()
    return figures


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def main() -> None:
    """Measure, print, write the result."""
    known = (*data.DEV_SETS, *data.OWN_SETS)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.side_by_side", description=__doc__)
    parser.add_argument("--data", help="folder with dev/ (or GROUNDWIRE_DATA)")
    parser.add_argument("--director", default=os.environ.get("GROUNDWIRE_PEER_DIRECTOR", ""))
    parser.add_argument("--ragground", default=os.environ.get("GROUNDWIRE_PEER_RAGGROUND", ""))
    parser.add_argument("--sets", nargs="+", choices=known, default=known, help="only these; nothing is written")
    options = parser.parse_args()
    pythons = dict(zip(SYSTEMS, (sys.executable, sys.executable, options.director, options.ragground), strict=True))
    figures = measure(data.folder(options.data), options.sets, pythons)
    for system, means in figures["mean_of_public_sets"].items():
        print(f"{system:16} AUC {means['auc']:.3f}  BA {means['balanced_accuracy']:.3f}")
    if tuple(options.sets) == known:
        path = record.write("side_by_side", "python -m benchmarks.side_by_side", figures)
        print(f"written to {path.relative_to(record.ROOT)}")


if __name__ == "__main__":
    main()
