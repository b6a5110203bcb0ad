"""Figures of merit as pure functions; label 1 is supported, a score is the probability of it."""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple


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
    rng = random.Random(seed)  # noqa: S311 - resampling must repeat, not surprise
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


class Bin(NamedTuple):
    """Rows of similar scores, each class weighing one half of the whole set."""

    low: float
    high: float
    rows: int
    weight: float
    score: float  # mean score of the bin
    supported: float  # share of the bin that is supported


def reliability_bins(labels: Sequence[int], scores: Sequence[float], bins: int = 10) -> list[Bin]:
    """Return the bins that hold rows, at a balanced prior; none when a class is empty."""
    positives = sum(1 for label in labels if label)
    negatives = len(labels) - positives
    if not positives or not negatives:
        return []
    rows = [0] * bins
    weight = [0.0] * bins
    score_sum = [0.0] * bins
    supported = [0.0] * bins
    for label, score in zip(labels, scores, strict=True):
        share = 0.5 / (positives if label else negatives)
        place = min(int(score * bins), bins - 1)
        rows[place] += 1
        weight[place] += share
        score_sum[place] += share * score
        supported[place] += share * (1 if label else 0)
    return [
        Bin(
            place / bins, (place + 1) / bins, rows[place], weight[place],
            score_sum[place] / weight[place], supported[place] / weight[place],
        )
        for place in range(bins)
        if rows[place]
    ]  # fmt: skip


def calibration_error(labels: Sequence[int], scores: Sequence[float], bins: int = 10) -> float | None:
    """Return the expected calibration error at a balanced prior: each class weighs one half."""
    found = reliability_bins(labels, scores, bins)
    return sum(item.weight * abs(item.score - item.supported) for item in found) if found else None


class Detection(NamedTuple):
    """How well the unsupported rows are found; None where the share has no rows to be of."""

    precision: float | None
    recall: float | None
    f1: float | None


def detection(hits: int, false_alarms: int, misses: int) -> Detection:
    """Return precision, recall and F1 from their three counts."""
    precision = hits / (hits + false_alarms) if hits + false_alarms else None
    recall = hits / (hits + misses) if hits + misses else None
    whole = 2 * hits + false_alarms + misses
    return Detection(precision, recall, 2 * hits / whole if whole else None)


def unsupported_detection(labels: Sequence[int], scores: Sequence[float], threshold: float = 0.5) -> Detection:
    """Return how well scores below the threshold find the unsupported rows."""
    flagged = [score < threshold for score in scores]
    hits = sum(flag and not label for flag, label in zip(flagged, labels, strict=True))
    return detection(hits, sum(flagged) - hits, sum(not label for label in labels) - hits)


Span = tuple[int, int]


def span_counts(truth: Iterable[Span], found: Iterable[Span]) -> tuple[int, int, int]:
    """Count characters marked on both sides, found only, and missed; overlapping spans count once."""
    wanted = {place for start, end in truth for place in range(start, end)}
    marked = {place for start, end in found for place in range(start, end)}
    return len(wanted & marked), len(marked - wanted), len(wanted - marked)


def roc_points(labels: Sequence[int], scores: Sequence[float]) -> list[tuple[float, float]]:
    """Return (false alarms, wrong answers found) for every threshold, from none flagged to all.

    A false alarm is a supported row below the threshold; the area below the curve is the AUC.
    """
    positives = sum(1 for label in labels if label)
    negatives = len(labels) - positives
    if not positives or not negatives:
        return []
    points = [(0.0, 0.0)]
    alarms = found = 0
    order = sorted(zip(scores, labels, strict=True))
    for place, (score, label) in enumerate(order):
        if label:
            alarms += 1
        else:
            found += 1
        if place + 1 == len(order) or order[place + 1][0] != score:
            points.append((alarms / positives, found / negatives))
    return points


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the smallest value that at least this share of the values does not exceed."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
