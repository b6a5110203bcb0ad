"""Train the learned part of injection stage 1: python -m training.injection --data FOLDER.

Reads the tune part of the injection sets, paragraphs of ordinary documents, and the texts under
training/data/; writes src/groundwire/injection/model.json and prints cross-validated figures.
"""

import argparse
import base64
import json
import zlib
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import injection_data as data
from groundwire.injection import stage1
from groundwire.injection.learned import BITS, Model, Reading, calibration_inputs, sigmoid, windows
from training.injection_texts import FOLDS, Text, gather

TARGET = data.ROOT / "src" / "groundwire" / "injection" / "model.json"
ATTACK_PRIOR = 0.30  # in cross-validation fewer than 3 % of our hard harmless texts then lie above the threshold
# How much one text of a source counts. Many attacks of bipia are plain requests ("translate this")
# and many of tensortrust repeat one flood; both would teach the wrong thing at full weight.
WEIGHTS = {"bipia_attacks": 0.5, "tensortrust_hijack": 0.5, "document": 0.5}
OWN_WEIGHT = 1.5
# How much more or less it counts where the threshold is drawn: one sentence torn out of a jailbreak is often no
# attack yet, and a document is far from any; whole jailbreaks and our hard harmless texts are what it is about.
TRUST = {
    "attack jailbreak": 0.4,
    "attack indirect": 0.4,
    "bipia_attacks": 0.3,
    "document": 0.3,
    "attack jailbreak_long": 1.5,
    "composed jailbreak": 1.5,
}
OWN_BENIGN_TRUST = 2.0
Floats = NDArray[np.float64]


class Example(NamedTuple):
    """A text with the features of its windows and the rules' score."""

    label: int
    source: str
    fold: int
    windows: list[NDArray[np.int64]]
    rules: float
    kinds: int
    words: int
    weight: float  # in the fit of the words
    trust: float  # in the calibration


def main() -> None:
    """Train, calibrate, report, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with injection/ and text/ (or GROUNDWIRE_DATA)")
    parser.add_argument("--strength", type=float, default=15.0, help="L2 penalty")
    options = parser.parse_args()
    examples = [example(row) for row in gather(data.folder(options.data))]
    readings: list[Reading | None] = [None] * len(examples)
    for number in range(FOLDS):
        weights, bias = fit([item for item in examples if item.fold != number], options.strength)
        model = packed(weights, bias, ())
        for place, item in enumerate(examples):
            if item.fold == number:
                readings[place] = read(model, item)
    calibration = calibrate(examples, readings)
    figures = describe(examples, readings, calibration)
    weights, bias = fit(examples, options.strength)
    final = packed(weights, bias, calibration)
    write(final, figures, options.strength)
    print(json.dumps(figures, indent=2))


def example(row: Text) -> Example:
    """Read one text as stage 1 does."""
    seen: list[list[int]] = []
    words = stage1.own_words(row.text)
    if words:
        seen = [features for _, features in windows(words)]
    reading = stage1.read(row.text, silent=("learned",))
    features = [np.unique(np.array(window)) for window in seen]
    kinds = len({item.rule for item in reading.findings})
    weight = WEIGHTS.get(row.source, OWN_WEIGHT if row.source.startswith(("attack ", "benign ")) else 1.0)
    trust = weight * TRUST.get(row.source, OWN_BENIGN_TRUST if row.source.startswith("benign ") else 1.0)
    return Example(row.label, row.source, row.fold, features, reading.rules, kinds, len(words), weight, trust)


def fit(examples: Sequence[Example], strength: float, rounds: int = 250) -> tuple[Floats, float]:
    """Fit a logistic regression over windows; a text's weight is shared by its windows."""
    rows, labels, weights = [], [], []
    for item in examples:
        for features in item.windows:
            rows.append(features)
            labels.append(item.label)
            weights.append(item.weight / len(item.windows))
    target, share = np.array(labels, float), np.array(weights)
    for label in (0, 1):  # both classes weigh the same
        share[target == label] *= len(target) / 2 / share[target == label].sum()
    columns = np.concatenate(rows)
    sizes = np.array([len(features) for features in rows])
    owners = np.repeat(np.arange(len(rows)), sizes)
    values = np.repeat(1.0 / np.sqrt(sizes), sizes)
    weight, bias = np.zeros(1 << BITS), 0.0
    first, second, first_b, second_b = np.zeros(1 << BITS), np.zeros(1 << BITS), 0.0, 0.0
    for step in range(1, rounds + 1):  # Adam on the whole set
        score = np.bincount(owners, weight[columns] * values, minlength=len(rows)) + bias
        error = share * (1.0 / (1.0 + np.exp(-np.clip(score, -40, 40))) - target)
        gradient = np.bincount(columns, error[owners] * values, minlength=1 << BITS) + strength / 100 * weight
        slope = error.sum()
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        first_b, second_b = 0.9 * first_b + 0.1 * slope, 0.999 * second_b + 0.001 * slope**2
        rate = 0.1 * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        weight -= rate * first / (np.sqrt(second) + 1e-8)
        bias -= rate * first_b / (np.sqrt(second_b) + 1e-8)
    return weight, float(bias)


def packed(weights: Floats, bias: float, calibration: Sequence[float]) -> Model:
    """Round the weights to one byte each, as they are stored."""
    scale = float(np.abs(weights).max()) / 127 or 1.0
    small = np.clip(np.round(weights / scale), -127, 127).astype(np.int8)
    return Model(array("b", small.tobytes()), scale, bias, tuple(calibration))


def read(model: Model, item: Example) -> Reading | None:
    """Read an example's windows with a model."""
    if not item.windows:
        return None
    scores = [model.window_score(features.tolist()) for features in item.windows]
    return Reading(max(scores), sum(scores) / len(scores), len(scores), item.words)


def calibrate(examples: Sequence[Example], readings: Sequence[Reading | None]) -> tuple[float, ...]:
    """Fit the chance of an attack at the stated prior, from scores of folds that did not see the text."""
    pairs = [(item, reading) for item, reading in zip(examples, readings, strict=True) if reading is not None]
    inputs = np.array([calibration_inputs(reading, item.rules, item.kinds) for item, reading in pairs])
    target = np.array([item.label for item, _ in pairs], float)
    share = np.array([item.trust for item, _ in pairs])
    share[target == 1] *= ATTACK_PRIOR / share[target == 1].sum()
    share[target == 0] *= (1 - ATTACK_PRIOR) / share[target == 0].sum()
    weight = np.zeros(inputs.shape[1])
    for _ in range(60):  # Newton
        chance = 1.0 / (1.0 + np.exp(-np.clip(inputs @ weight, -40, 40)))
        gradient = inputs.T @ (share * (chance - target)) + 1e-5 * weight
        bend = (inputs * (share * chance * (1 - chance))[:, None]).T @ inputs + 1e-5 * np.eye(len(weight))
        weight -= np.linalg.solve(bend, gradient)
    return tuple(round(float(value), 6) for value in weight)


def describe(
    examples: Sequence[Example], readings: Sequence[Reading | None], calibration: tuple[float, ...]
) -> dict[str, Any]:
    """Say what the cross-validated model does at the detector's threshold."""
    by_source: dict[str, list[tuple[int, float, float]]] = {}
    for item, reading in zip(examples, readings, strict=True):
        inputs = calibration_inputs(reading, item.rules, item.kinds) if reading is not None else ()
        chance = sigmoid(sum(a * b for a, b in zip(calibration, inputs, strict=True))) if reading is not None else 0.0
        by_source.setdefault(f"{item.source} {item.label}", []).append((item.label, chance, item.rules))
    return {
        name: {
            "texts": len(rows),
            "flagged": round(sum(max(chance, rules) >= 0.6 for _, chance, rules in rows) / len(rows), 4),
            "flagged_by_rules": round(sum(rules >= 0.6 for _, _, rules in rows) / len(rows), 4),
            "mean_probability": round(sum(chance for _, chance, _ in rows) / len(rows), 4),
        }
        for name, rows in sorted(by_source.items())
    }


def write(model: Model, figures: dict[str, Any], strength: float) -> None:
    """Store the model with what is needed to make it again."""
    record = {
        "made_by": "python -m training.injection",
        "bits": BITS,
        "strength": strength,
        "attack_prior": ATTACK_PRIOR,
        "scale": model.scale,
        "bias": model.bias,
        "calibration": list(model.calibration),
        "cross_validation": figures,
        "weights": base64.b64encode(zlib.compress(model.weights.tobytes(), 9)).decode("ascii"),
    }
    TARGET.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
