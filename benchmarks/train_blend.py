"""Choose how the embedded model is joined with the word features, and grade the choice on sets it did not see.

The two weights are searched for the highest AUC, since only they can change an order; scale and intercept are then
fitted so that 0.5 is the threshold at a balanced prior. `--write` puts them into the combiner. The result file holds
the figures of every dev set once with the numbers that ship and once cross-fitted: chosen on all other sets.
Reads the data folder given by --data or GROUNDWIRE_DATA; needs numpy.
"""

import argparse
import json
import multiprocessing
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import data, record
from benchmarks.train_combiner import MODEL, Array, balanced, fit_signed, views_of
from groundwire import NLIScorer
from groundwire.evals import Row, metrics
from groundwire.signals import measure
from groundwire.types import Policy
from groundwire.verify.calibrate import word_logit
from groundwire.verify.features import claim_facts

STEP, MOST = 0.1, 1.5
OWN_SHARE = 1.0  # what the mean of the sets written for this project counts beside that of the public ones
_model: NLIScorer | None = None  # in each process


class Inputs(NamedTuple):
    """What the blend sees of the rows of one set."""

    words: Array
    mean: Array
    worst: Array
    labels: Array


class Weights(NamedTuple):
    """The weight of the mean and of the worst claim, and what brings the sum to a probability."""

    mean: float
    worst: float
    scale: float
    intercept: float

    def logits(self, inputs: Inputs) -> Array:
        """Blend the inputs of every row."""
        total = inputs.words + self.mean * inputs.mean + self.worst * inputs.worst
        return self.scale * total + self.intercept


def use_model(folder: Path | None = None) -> None:
    """Load the shipped model, or that of a folder, in this process on one thread."""
    global _model
    _model = NLIScorer(model_path=folder, intra_op_num_threads=1)


def inputs_of(row: Row) -> tuple[float, float, float] | None:
    """Measure one row; None when it makes no checkable statement."""
    views, index, unchecked = views_of(row)
    if not views:
        return None
    signals = measure(views, index, _model, Policy())
    facts = [claim_facts(view, signal, index, calibrated=True) for view, signal in zip(views, signals, strict=True)]
    read = [fact.entailment for fact in facts if fact.entailment is not None]
    if len(read) < len(facts):
        return None
    return word_logit(facts, unchecked), sum(read) / len(read), min(read)


def inputs_of_set(rows: Sequence[Row], pool: Any) -> Inputs:
    """Measure the rows of one set that can be checked."""
    measured = pool.map(inputs_of, rows, chunksize=16)
    kept = [(*values, float(row.label)) for values, row in zip(measured, rows, strict=True) if values is not None]
    return Inputs(*(np.array(column) for column in zip(*kept, strict=True)))


def choose(sets: dict[str, Inputs]) -> Weights:
    """Search the weights, then fit scale and intercept on the same sets."""
    steps = [STEP * place for place in range(int(MOST / STEP) + 1)]
    best = max(
        (Weights(mean, worst, 1.0, 0.0) for mean in steps for worst in steps if mean + worst <= MOST),
        key=lambda weights: _worth(sets, weights),
    )
    public = {name: inputs for name, inputs in sets.items() if name in data.DEV_SETS}
    total = np.concatenate([best.logits(inputs) for inputs in public.values()])
    labels = np.concatenate([inputs.labels for inputs in public.values()])
    shares = np.concatenate([balanced(inputs.labels) for inputs in public.values()]) / len(public)
    scale, intercept = fit_signed(np.stack([total, np.ones_like(total)], 1), labels, shares, [1, 0], 0)
    return Weights(*(round(float(value), 4) for value in (best.mean, best.worst, scale, intercept)))


def _worth(sets: dict[str, Inputs], weights: Weights) -> float:
    found = {name: fast_auc(inputs.labels, weights.logits(inputs)) for name, inputs in sets.items()}
    own = [value for name, value in found.items() if name not in data.DEV_SETS]
    public = [value for name, value in found.items() if name in data.DEV_SETS]
    return statistics.mean(public) + (OWN_SHARE * statistics.mean(own) if own else 0.0)


def fast_auc(labels: Array, scores: Array) -> float:
    """Return the AUC by ranks; ties hardly occur among sums of logits."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    positives = labels.sum()
    return float((ranks[labels == 1].sum() - positives * (positives + 1) / 2) / (positives * (len(labels) - positives)))


def figures(sets: dict[str, Inputs], chosen: dict[str, Weights]) -> dict[str, Any]:
    """Grade every set with its own weights, and all rows of the public sets together."""
    chances = {name: 1.0 / (1.0 + np.exp(-chosen[name].logits(inputs))) for name, inputs in sets.items()}
    result = {
        name: {
            "rows": len(inputs.labels),
            "auc": round(fast_auc(inputs.labels, chances[name]), 4),
            "balanced_accuracy": round(_accuracy(inputs.labels, chances[name]), 4),
        }
        for name, inputs in sets.items()
    }
    public = [name for name in sets if name in data.DEV_SETS]
    labels = [int(label) for name in public for label in sets[name].labels]
    pooled = [float(chance) for name in public for chance in chances[name]]
    return {
        "mean_of_public_sets": {
            key: round(statistics.mean(result[name][key] for name in public), 4) for key in ("auc", "balanced_accuracy")
        },
        "calibration_error_pooled": round(metrics.calibration_error(labels, pooled) or 0.0, 4),
        "sets": result,
    }


def _accuracy(labels: Array, chances: Array) -> float:
    return metrics.balanced_accuracy([int(label) for label in labels], list(map(float, chances))) or 0.0


def main() -> None:
    """Measure, choose, grade, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.train_blend", description=__doc__)
    parser.add_argument("--data", help="folder with dev/ (or GROUNDWIRE_DATA)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="put the numbers into the combiner")
    options = parser.parse_args()
    folder = data.folder(options.data)
    sets: dict[str, Inputs] = {}
    with multiprocessing.Pool(options.processes, initializer=use_model) as pool:
        for name in (*data.DEV_SETS, *data.OWN_SETS):
            print(f"reading {name}", file=sys.stderr, flush=True)
            sets[name] = inputs_of_set(data.read_set(folder, name), pool)
    weights = choose(sets)
    crossed = {name: choose({other: inputs for other, inputs in sets.items() if other != name}) for name in sets}
    info = NLIScorer().model_info
    if options.write:
        card = json.loads(MODEL.read_text(encoding="utf-8"))
        card["with_model"] = {"model": info.id, **weights._asdict()}
        MODEL.write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    path = record.write(
        "blend",
        "python -m benchmarks.train_blend --write",
        {
            "model": {"id": info.id, "hash": info.hash},
            "chosen_on_all": weights._asdict(),
            "with_these": figures(sets, dict.fromkeys(sets, weights)),
            "cross_fitted": {
                "left_out": {name: found._asdict() for name, found in crossed.items()},
                **figures(sets, crossed),
            },
        },
    )
    print(json.dumps(json.loads(path.read_text(encoding="utf-8")), indent=1))


if __name__ == "__main__":
    main()
