"""Figures of merit as pure functions, without a numerical library."""

import math
import random
from collections.abc import Callable, Sequence


def auc(labels: Sequence[int], scores: Sequence[float]) -> float | None:
    """Return the chance that a supported row scores above an unsupported one, ties counting half."""
    positives = sum(1 for label in labels if label)
    negatives = len(labels) - positives
    if not positives or not negatives:
        return None
    order = sorted(range(len(scores)), key=lambda row: scores[row])
    rank_sum = 0.0
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and scores[order[end]] == scores[order[start]]:
            end += 1
        mean_rank = (start + end + 1) / 2
        rank_sum += mean_rank * sum(1 for row in order[start:end] if labels[row])
        start = end
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)


def balanced_accuracy(labels: Sequence[int], scores: Sequence[float], threshold: float = 0.5) -> float | None:
    """Return the mean of the two classes' recalls when a score at the threshold counts as supported."""
    hits = [0, 0]
    totals = [0, 0]
    for label, score in zip(labels, scores, strict=True):
        side = 1 if label else 0
        totals[side] += 1
        hits[side] += (score >= threshold) == bool(side)
    if not all(totals):
        return None
    return (hits[0] / totals[0] + hits[1] / totals[1]) / 2


def best_balanced_accuracy(labels: Sequence[int], scores: Sequence[float]) -> float | None:
    """Return the balanced accuracy at the threshold that suits this very set best."""
    positives = sum(1 for label in labels if label)
    negatives = len(labels) - positives
    if not positives or not negatives:
        return None
    best = 0.5
    kept_positive, kept_negative = positives, negatives
    order = sorted(zip(scores, labels, strict=True))
    for place, (score, label) in enumerate(order):
        if label:
            kept_positive -= 1
        else:
            kept_negative -= 1
        if place + 1 == len(order) or order[place + 1][0] != score:
            best = max(best, (kept_positive / positives + 1 - kept_negative / negatives) / 2)
    return best


def threshold_at_false_alarms(supported_scores: Sequence[float], share: float) -> float:
    """Return the largest threshold below which at most this share of the supported rows falls."""
    ordered = sorted(supported_scores)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def bootstrap_interval(
    labels: Sequence[int],
    scores: Sequence[float],
    metric: Callable[[Sequence[int], Sequence[float]], float | None],
    *,
    rounds: int = 200,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Return the 95 % percentile interval of a metric over resampled rows."""
    rng = random.Random(seed)
    rows = range(len(labels))
    values = []
    for _ in range(rounds):
        sample = rng.choices(rows, k=len(labels))
        value = metric([labels[row] for row in sample], [scores[row] for row in sample])
        if value is not None:
            values.append(value)
    if not values:
        return None
    values.sort()
    return values[int(0.025 * (len(values) - 1))], values[math.ceil(0.975 * (len(values) - 1))]


def calibration_error(labels: Sequence[int], scores: Sequence[float], bins: int = 10) -> float | None:
    """Return the expected calibration error at a balanced prior: each class weighs one half."""
    positives = sum(1 for label in labels if label)
    negatives = len(labels) - positives
    if not positives or not negatives:
        return None
    weight = [0.0] * bins
    confidence = [0.0] * bins
    correct = [0.0] * bins
    for label, score in zip(labels, scores, strict=True):
        share = 0.5 / (positives if label else negatives)
        bucket = min(int(score * bins), bins - 1)
        weight[bucket] += share
        confidence[bucket] += share * score
        correct[bucket] += share * (1 if label else 0)
    return sum(abs(sure - right) for sure, right in zip(confidence, correct, strict=True))


def power_exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return the exponent of size in the power law that fits the times best; 1 means linear."""
    xs = [math.log(size) for size in sizes]
    ys = [math.log(time) for time in times]
    mean_x = sum(xs) / len(xs)
    mean_y = sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)
