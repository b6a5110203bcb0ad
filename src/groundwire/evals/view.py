"""Put a measurement into the words and points that a person is shown."""

from collections.abc import Sequence

from groundwire.evals import metrics
from groundwire.evals.datasets import describe_bad
from groundwire.evals.figures import Figures, mean
from groundwire.evals.judge import Judged
from groundwire.render.evaluation import (
    EvaluationView,
    MeasuredBin,
    MeasuredFigure,
    MeasuredFile,
    MeasuredKind,
    WorstError,
)

WORST = 20
_LONGEST_RESPONSE = 1_000
_LONGEST_SOURCE = 3_000
_NAMES = {
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
    "f1": "F1 of flagging",
    "calibration_error": "calibration error",
    "approval_balanced_accuracy": "approval",
    "span_f1": "span F1",
}


def view_of(measured: Sequence[tuple[Figures, Sequence[Judged]]], footer: str) -> EvaluationView:
    """Return what is shown of one or several files."""
    averages = mean([figures for figures, _ in measured]) if len(measured) > 1 else {}
    return EvaluationView(
        files=tuple(_file(figures, judged) for figures, judged in measured),
        mean=tuple(
            MeasuredFigure(words, _number(averages[name]))
            for name, words in _NAMES.items()
            if averages.get(name) is not None
        ),
        footer=footer,
    )


def worst_errors(judged: Sequence[Judged], threshold: float, count: int = WORST) -> list[Judged]:
    """Return the wrongly judged rows, the surest first."""
    wrong = [item for item in judged if (item.score(threshold) >= threshold) != bool(item.row.label)]
    return sorted(wrong, key=lambda item: (-abs(item.score(threshold) - item.row.label), item.row.line))[:count]


def _file(figures: Figures, judged: Sequence[Judged]) -> MeasuredFile:
    threshold = figures.threshold
    labels = [item.row.label for item in judged]
    scores = [item.score(threshold) for item in judged]
    flagged = [score < threshold for score in scores]
    unsupported = figures.rows - figures.supported
    alarms = sum(flag for flag, label in zip(flagged, labels, strict=True) if label)
    hits = sum(flag for flag, label in zip(flagged, labels, strict=True) if not label)
    return MeasuredFile(
        name=figures.name,
        lead=f"{figures.rows:,} rows, {figures.supported:,} supported, {unsupported:,} not",
        notes=tuple(_notes(figures)),
        figures=tuple(_figures(figures)),
        kinds=tuple(
            MeasuredKind(name, kind.rows, kind.supported, f"{kind.right:.0%}", _number(kind.auc))
            for name, kind in figures.kinds.items()
        ),
        roc=tuple(metrics.roc_points(labels, scores)),
        operating_point=(alarms / max(1, figures.supported), hits / max(1, unsupported)),
        bins=tuple(MeasuredBin(item.score, item.supported, item.rows) for item in figures.reliability),
        errors=tuple(_error(item) for item in worst_errors(judged, threshold)),
        wrong=alarms + unsupported - hits,
    )


def _figures(figures: Figures) -> list[MeasuredFigure]:
    lines = [
        MeasuredFigure(
            f"balanced accuracy at {figures.threshold:.4g}",
            _number(figures.balanced_accuracy),
            _interval(figures.balanced_accuracy_interval),
        ),
        MeasuredFigure("AUC", _number(figures.auc), _interval(figures.auc_interval)),
        MeasuredFigure(
            "F1 of flagging",
            _number(figures.f1),
            f"precision {_number(figures.precision)}, recall {_number(figures.recall)}",
        ),
        MeasuredFigure("calibration error", _number(figures.calibration_error)),
        MeasuredFigure("approval", _number(figures.approval_balanced_accuracy), "balanced accuracy of approved"),
    ]
    if figures.span_rows:
        detail = f"{figures.span_rows:,} rows, precision {_number(figures.span_precision)}"
        lines.append(
            MeasuredFigure("span F1", _number(figures.span_f1), f"{detail}, recall {_number(figures.span_recall)}")
        )
    middle, *rest = figures.milliseconds.items()
    lines.append(
        MeasuredFigure(
            "time a row",
            _milliseconds(middle[1]),
            ", ".join(f"{name} {_milliseconds(value)}" for name, value in rest),
        )
    )
    return lines


def _notes(figures: Figures) -> list[str]:
    notes = []
    if figures.bad_lines:
        notes.append(f"left out {describe_bad(figures.bad_lines)}.")
    if figures.nothing_to_check:
        notes.append(f"rows with nothing to check, counted as flagged: {figures.nothing_to_check:,}.")
    if figures.truncated:
        notes.append(f"rows of which a part was not checked because of its length: {figures.truncated:,}.")
    return notes


def _error(item: Judged) -> WorstError:
    return WorstError(
        line=item.row.line,
        label=item.row.label,
        probability="not measured" if item.probability is None else f"{item.probability:.3f}",
        response=_cut(item.row.response, _LONGEST_RESPONSE),
        source=_cut(item.row.source, _LONGEST_SOURCE),
        said=tuple(" ".join([claim.verdict, *claim.reasons]) for claim in item.claims[:WORST]),
    )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text) - longest:,} more characters)"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _milliseconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f} ms"


def _interval(bounds: tuple[float, float] | None) -> str:
    return "" if bounds is None else f"({bounds[0]:.3f} to {bounds[1]:.3f})"
