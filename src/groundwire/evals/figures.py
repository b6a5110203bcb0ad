"""Turn judged rows into figures."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from groundwire.evals import metrics
from groundwire.evals.datasets import BadLine
from groundwire.evals.judge import Judged

ROUNDS = 500  # of the bootstrap
# What is averaged over several files.
_AVERAGED = ("balanced_accuracy", "auc", "f1", "calibration_error", "approval_balanced_accuracy", "span_f1")


@dataclass(frozen=True, slots=True)
class KindFigures:
    """The rows of one kind; AUC only where both labels occur."""

    rows: int
    supported: int
    right: float
    mean_probability: float | None
    auc: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured on one file; None means that it could not be."""

    name: str
    rows: int
    supported: int
    threshold: float
    balanced_accuracy: float | None
    balanced_accuracy_interval: tuple[float, float] | None
    auc: float | None
    auc_interval: tuple[float, float] | None
    precision: float | None
    recall: float | None
    f1: float | None
    calibration_error: float | None
    reliability: tuple[metrics.Bin, ...]
    approval_balanced_accuracy: float | None
    span_rows: int
    span_precision: float | None
    span_recall: float | None
    span_f1: float | None
    nothing_to_check: int
    truncated: int
    milliseconds: dict[str, float | None]
    kinds: dict[str, KindFigures]
    bad_lines: tuple[BadLine, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types only, floats rounded to four places."""
        return {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__}


def measure(name: str, judged: Sequence[Judged], threshold: float, bad: tuple[BadLine, ...] = ()) -> Figures:
    """Compute all figures of one file; a probability below the threshold is a flagged row."""
    labels = [item.row.label for item in judged]
    scores = [item.score(threshold) for item in judged]

    def at_threshold(labels: Sequence[int], scores: Sequence[float]) -> float | None:
        return metrics.balanced_accuracy(labels, scores, threshold)

    found = metrics.unsupported_detection(labels, scores, threshold)
    marked = _with_known_spans(judged)
    counts = [metrics.span_counts(item.row.spans or (), item.spans) for item in marked]
    spans = metrics.detection(*(sum(column) for column in zip(*counts, strict=True))) if counts else None
    times = [item.milliseconds for item in judged]
    return Figures(
        name=name,
        rows=len(judged),
        supported=sum(labels),
        threshold=threshold,
        balanced_accuracy=at_threshold(labels, scores),
        balanced_accuracy_interval=metrics.bootstrap_interval(labels, scores, at_threshold, rounds=ROUNDS),
        auc=metrics.auc(labels, scores),
        auc_interval=metrics.bootstrap_interval(labels, scores, metrics.auc, rounds=ROUNDS),
        precision=found.precision,
        recall=found.recall,
        f1=found.f1,
        calibration_error=metrics.calibration_error(labels, scores),
        reliability=tuple(metrics.reliability_bins(labels, scores)),
        approval_balanced_accuracy=metrics.balanced_accuracy(labels, [float(item.approved) for item in judged]),
        span_rows=len(marked),
        span_precision=spans.precision if spans else None,
        span_recall=spans.recall if spans else None,
        span_f1=spans.f1 if spans else None,
        nothing_to_check=sum(item.probability is None for item in judged),
        truncated=sum(item.status == "truncated" for item in judged),
        milliseconds={f"p{share}": metrics.percentile(times, share / 100) for share in (50, 95, 99)},
        kinds=_kinds(judged, threshold),
        bad_lines=bad,
    )


def mean(figures: Sequence[Figures]) -> dict[str, float | int | None]:
    """Average over files, each weighing alike; a figure that one of them lacks is averaged over the others."""
    averages: dict[str, float | int | None] = {"files": len(figures)}
    for name in _AVERAGED:
        values = [value for item in figures if (value := getattr(item, name)) is not None]
        averages[name] = round(statistics.mean(values), 4) if values else None
    return averages


def dump_line(name: str, item: Judged) -> dict[str, Any]:
    """Return what was decided of one row, without its texts: file and line lead to them."""
    return {
        "file": name,
        "line": item.row.line,
        "label": item.row.label,
        "kind": item.row.kind,
        "support_probability": item.probability,
        "grounded": item.grounded,
        "approved": item.approved,
        "status": item.status,
        "milliseconds": round(item.milliseconds, 3),
        "unsupported_spans": [list(span) for span in item.spans],
        "claims": [
            {
                "start": claim.start,
                "end": claim.end,
                "verdict": claim.verdict,
                "confidence": round(claim.confidence, 4),
                "support_probability": claim.probability,
                "reasons": list(claim.reasons),
            }
            for claim in item.claims
        ],
    }


def _with_known_spans(judged: Sequence[Judged]) -> list[Judged]:
    """Return the rows whose wrong parts are known; a supported row has none, if spans are marked at all."""
    if all(item.row.spans is None for item in judged):
        return []
    return [item for item in judged if item.row.spans is not None or item.row.label]


def _kinds(judged: Sequence[Judged], threshold: float) -> dict[str, KindFigures]:
    groups: dict[str, list[Judged]] = {}
    for item in judged:
        groups.setdefault(item.row.kind, []).append(item)
    if set(groups) <= {""}:
        return {}
    found = {}
    for kind, items in sorted(groups.items()):
        labels = [item.row.label for item in items]
        scores = [item.score(threshold) for item in items]
        known = [item.probability for item in items if item.probability is not None]
        found[kind or "(none)"] = KindFigures(
            rows=len(items),
            supported=sum(labels),
            right=sum((score >= threshold) == bool(label) for label, score in zip(labels, scores, strict=True))
            / len(items),
            mean_probability=statistics.mean(known) if known else None,
            auc=metrics.auc(labels, scores),
        )
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
