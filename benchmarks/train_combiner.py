"""Fit the weights behind `support_probability` and write them with their card.

Reads the data folder given by --data or GROUNDWIRE_DATA; needs numpy. The fit has two steps.
Coverage features are fitted on sets whose wrong answers drift from the source. Conflict features
are then fitted on these and on minimal-edit sets, where overlap misleads by design, so that each
set may weigh coverage its own way in that step. Signs are held to the direction that makes sense,
every set and both classes weigh alike, and each set has an intercept of its own, which is dropped.
Scale and intercept of the sum are fitted on the public dev sets, the threshold stays 0.5.
"""

import argparse
import json
import multiprocessing
import random
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import data, record
from groundwire.evals import Row, metrics
from groundwire.evidence import SourceIndex
from groundwire.signals import measure
from groundwire.signals.claim import ClaimView
from groundwire.text.claims import split_claims
from groundwire.text.entities import capitals_in
from groundwire.types import Policy, Source
from groundwire.verify.features import CONFLICTS, COVERAGE, NAMES, UNCHECKED, claim_facts, describe

Array = npt.NDArray[np.float64]

DRIFT_SETS = (
    "xsumfaith", "defacto", "factcc_val", "gofigure", "halueval_qa", "contractnli",
    "fever", "cg2c_doc", "policyqa", "scitldr", "wikiresnli", "new_protocols",
)  # fmt: skip
EDIT_SETS = ("contrast", "ours", "summedits", "responses")
COVERAGE_NAMES = (*COVERAGE, UNCHECKED)
PENALTY = 1e-2
MODEL = record.ROOT / "src" / "groundwire" / "verify" / "combiner.json"


def views_of(row: Row) -> tuple[list[ClaimView], SourceIndex, int]:
    """Cut one row as `verify` does: the claims that can be checked, the index, and how many claims cannot."""
    index = SourceIndex([Source("source", row.source)])
    claims = split_claims(row.response, question=row.question)
    known = index.capitals | capitals_in(row.response)
    views = [ClaimView(claim, known) for claim in claims if not claim.unchecked]
    return views, index, len(claims) - len(views)


def features_of(row: Row) -> list[float] | None:
    """Measure one row; None when it makes no checkable statement."""
    views, index, unchecked = views_of(row)
    if not views:
        return None
    signals = measure(views, index, None, Policy())
    facts = [claim_facts(view, signal, index) for view, signal in zip(views, signals, strict=True)]
    values = describe(facts, unchecked)
    return [values[name] for name in NAMES]


def load(folder: Path, name: str, part: str, limit: int) -> list[Row]:
    """Read the rows of one set, a fixed sample of the large ones."""
    rows = data.read_set(folder, name, dev=part == "dev")
    return random.Random(1).sample(rows, limit) if len(rows) > limit else rows


def measure_set(rows: Sequence[Row], pool: Any) -> tuple[Array, Array]:
    """Return features and labels of the rows that can be checked."""
    measured = pool.map(features_of, rows, chunksize=32)
    kept = [(values, row.label) for values, row in zip(measured, rows, strict=True) if values is not None]
    return np.array([values for values, _ in kept]), np.array([float(label) for _, label in kept])


def fit_signed(design: Array, labels: Array, weights: Array, signs: Sequence[int], penalised: int) -> Array:
    """Fit a logistic regression whose coefficients keep their sign (0: free) by projected Newton steps.

    The penalty falls on the first `penalised` columns.
    """
    ridge = np.zeros(design.shape[1])
    ridge[:penalised] = PENALTY
    ridge[penalised:] = 1e-6
    lower = np.array([0.0 if sign > 0 else -np.inf for sign in signs])
    upper = np.array([0.0 if sign < 0 else np.inf for sign in signs])
    coefficients = np.zeros(design.shape[1])

    def loss(values: Array) -> float:
        margin = (2 * labels - 1) * (design @ values)
        return float(weights @ np.logaddexp(0.0, -margin) + ridge @ values**2)

    current = loss(coefficients)
    for _ in range(200):
        chance = 1.0 / (1.0 + np.exp(-(design @ coefficients)))
        gradient = design.T @ (weights * (chance - labels)) + 2 * ridge * coefficients
        pinned = ((coefficients <= lower) & (gradient > 0)) | ((coefficients >= upper) & (gradient < 0))
        free = ~pinned
        part = design[:, free]
        hessian = (part * (weights * chance * (1 - chance))[:, None]).T @ part + np.diag(2 * ridge[free])
        step = np.zeros_like(coefficients)
        step[free] = np.linalg.solve(hessian, gradient[free])
        size = 1.0
        while size > 1e-8:
            tried = np.clip(coefficients - size * step, lower, upper)
            value = loss(tried)
            if value < current:
                break
            size /= 2
        if size <= 1e-8 or current - value < 1e-12:
            break
        coefficients, current = tried, value
    return coefficients


def balanced(labels: Array) -> Array:
    """Weigh both classes of one set alike, one in all."""
    positives = labels.sum()
    weights: Array = np.where(labels == 1, 0.5 / positives, 0.5 / (len(labels) - positives))
    return weights


def fit(sets: dict[str, tuple[Array, Array]]) -> dict[str, float]:
    """Fit both steps and return a weight per feature, on the features' own scale."""
    places = {name: place for place, name in enumerate(NAMES)}
    coverage = [places[name] for name in COVERAGE_NAMES]
    conflicts = [places[name] for name in CONFLICTS]
    sign = {**{name: feature.sign for name, feature in (*COVERAGE.items(), *CONFLICTS.items())}, UNCHECKED: -1}

    drift = {name: sets[name] for name in DRIFT_SETS}
    values, labels, weights, member = _stack(drift)
    scaled, scale = _scaled(values[:, coverage], weights)
    signs = [*(sign[name] for name in COVERAGE_NAMES), *([0] * len(drift))]
    first = fit_signed(np.hstack([scaled, member]), labels, weights, signs, len(coverage))[: len(coverage)] / scale

    values, labels, weights, member = _stack(sets)
    scaled, scale = _scaled(values[:, conflicts], weights)
    offset = values[:, coverage] @ first
    centred = offset - float(weights @ offset)
    signs = [*(sign[name] for name in CONFLICTS), *([0] * 2 * len(sets))]
    design = np.hstack([scaled, member, member * centred[:, None]])
    second = fit_signed(design, labels, weights, signs, len(conflicts))[: len(conflicts)] / scale
    return dict(zip((*COVERAGE_NAMES, *CONFLICTS), map(float, (*first, *second)), strict=True))


def calibrate(sets: dict[str, tuple[Array, Array]], weights: dict[str, float]) -> tuple[float, float]:
    """Fit scale and intercept of the weighted sum on the dev sets, each set and class weighing alike."""
    values, labels, row_weights, _ = _stack(sets)
    total = values @ np.array([weights[name] for name in NAMES])
    design = np.stack([total, np.ones_like(total)], axis=1)
    scale, intercept = fit_signed(design, labels, row_weights, [1, 0], 0)
    return float(scale), float(intercept)


def figures(sets: dict[str, tuple[Array, Array]], weights: dict[str, float], intercept: float) -> dict[str, Any]:
    """Return AUC, balanced accuracy at 0.5 and calibration error per set, and their means over the public ones."""
    result: dict[str, Any] = {}
    for name, (values, labels) in sets.items():
        total = values @ np.array([weights[feature] for feature in NAMES]) + intercept
        chance = list(1.0 / (1.0 + np.exp(-total)))
        truth = [int(label) for label in labels]
        result[name] = {
            "rows": len(truth),
            "auc": round(metrics.auc(truth, chance) or 0.0, 4),
            "balanced_accuracy": round(metrics.balanced_accuracy(truth, chance) or 0.0, 4),
            "calibration_error": round(metrics.calibration_error(truth, chance) or 0.0, 4),
        }
    public = [result[name] for name in data.DEV_SETS]
    means = {key: round(statistics.mean(entry[key] for entry in public), 4) for key in ("auc", "balanced_accuracy")}
    return {"mean_of_public_sets": means, "sets": result}


def _stack(sets: dict[str, tuple[Array, Array]]) -> tuple[Array, Array, Array, Array]:
    values = np.vstack([rows for rows, _ in sets.values()])
    labels = np.concatenate([labels for _, labels in sets.values()])
    weights = np.concatenate([balanced(labels) for _, labels in sets.values()]) / len(sets)
    member = np.zeros((len(labels), len(sets)))
    start = 0
    for place, (_, own) in enumerate(sets.values()):
        member[start : start + len(own), place] = 1.0
        start += len(own)
    return values, labels, weights, member


def _scaled(values: Array, weights: Array) -> tuple[Array, Array]:
    mean = weights @ values
    scale = np.sqrt(weights @ (values - mean) ** 2) + 1e-6
    return values / scale, scale


def main() -> None:
    """Measure the sets, fit, write the combiner."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.train_combiner", description=__doc__)
    parser.add_argument("--data", help="folder with dev/, train/ and ours/ (or GROUNDWIRE_DATA)")
    parser.add_argument("--limit", type=int, default=1500, help="rows of a training set at most")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    folder = data.folder(options.data)
    train: dict[str, tuple[Array, Array]] = {}
    dev: dict[str, tuple[Array, Array]] = {}
    with multiprocessing.Pool(options.processes) as pool:
        for name in (*DRIFT_SETS, *EDIT_SETS):
            print(f"measuring train {name}", file=sys.stderr)
            train[name] = measure_set(load(folder, name, "train", options.limit), pool)
        for name in (*data.DEV_SETS, "contrast", "ours", "responses"):
            print(f"measuring dev {name}", file=sys.stderr)
            dev[name] = measure_set(load(folder, name, "dev", 10_000), pool)
    weights = fit(train)
    scale, intercept = calibrate({name: dev[name] for name in data.DEV_SETS}, weights)
    weights = {name: round(scale * weights[name], 5) for name in NAMES}
    card = {
        "intercept": round(intercept, 5),
        "weights": weights,
        # Chosen for the words as they were: `benchmarks.train_blend` chooses anew.
        "with_model": json.loads(MODEL.read_text(encoding="utf-8"))["with_model"],
        "card": {
            "what": "monotone logistic regression over word, number, name and conflict features; no model",
            "command": f"python -m benchmarks.train_combiner --limit {options.limit}",
            "commit": record.commit(),
            "trained_on": {name: len(labels) for name, (_, labels) in train.items()},
            "scale_and_intercept_from_dev": list(data.DEV_SETS),
            "prior": "balanced: probability 0.5 is the threshold",
            "dev": figures(dev, weights, intercept),
        },
    }
    MODEL.write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(card["card"]["dev"], indent=1))
    print(json.dumps(weights, indent=1))


if __name__ == "__main__":
    main()
