"""Measure how well verdicts and `support_probability` tell supported answers from others, without a model or with it.

Reads the data folder given by --data or GROUNDWIRE_DATA; the data itself is not part of this project.
"""

import argparse
import multiprocessing
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import data, record
from groundwire import NLIScorer, VerifiedScorer
from groundwire.evals import Row, metrics
from groundwire.types import Verdict

FALSE_ALARMS = 0.10
NOT_MEASURED = 0.4999  # an answer with nothing to check is not called grounded
REJECTED = frozenset({Verdict.CONTRADICTED, Verdict.FABRICATED})
_scorer = VerifiedScorer(nli_scorer=None)  # in each process, replaced by `use_model`


@dataclass(frozen=True, slots=True)
class Judged:
    """What one call said of one row."""

    label: int
    kind: str
    probability: float
    verdicts: tuple[str, ...]
    approved: bool
    clash: bool  # a hard conflict was found


def use_model() -> None:
    """Let this process judge with the embedded model, on one thread of its own."""
    global _scorer
    _scorer = VerifiedScorer(nli_scorer=NLIScorer(intra_op_num_threads=1))


def judge(row: Row) -> Judged:
    """Verify one row."""
    result = _scorer.verify(row.response, row.source, question=row.question)
    probability = NOT_MEASURED if result.support_probability is None else result.support_probability
    verdicts = tuple(str(claim.verdict) for claim in result.claims)
    clash = any(conflict.hard for claim in result.claims for conflict in claim.conflicts)
    return Judged(row.label, row.kind, probability, verdicts, result.approved, clash)


def judge_all(rows: Sequence[Row], pool: Any) -> list[Judged]:
    """Verify all rows over the pool's processes, in order."""
    return list(pool.imap(judge, rows, chunksize=16))


def discrimination(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return AUC and balanced accuracies of the probability and of approval."""
    labels = [item.label for item in judged]
    scores = [item.probability for item in judged]
    return {
        "rows": len(judged),
        "supported": sum(labels),
        "auc": _rounded(metrics.auc(labels, scores)),
        "auc_interval": _interval(metrics.bootstrap_interval(labels, scores, metrics.auc)),
        "balanced_accuracy": _rounded(metrics.balanced_accuracy(labels, scores)),
        "balanced_accuracy_best_threshold": _rounded(metrics.best_balanced_accuracy(labels, scores)),
        "calibration_error": _rounded(metrics.calibration_error(labels, scores)),
        "approval_balanced_accuracy": _rounded(
            metrics.balanced_accuracy(labels, [float(item.approved) for item in judged])
        ),
    }


def recall_by_kind(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return the share of wrong claims of each kind below the threshold that a tenth of the supported ones miss.

    Once for the probability alone, once with every found hard conflict ranked below all else.
    """
    supported = [item for item in judged if item.label]
    by_probability = metrics.threshold_at_false_alarms([item.probability for item in supported], FALSE_ALARMS)
    by_conflict = metrics.threshold_at_false_alarms([_conflicts_first(item) for item in supported], FALSE_ALARMS)
    return {
        kind: {
            "rows": len(items),
            "by_probability": _share(item.probability < by_probability for item in items),
            "conflicts_first": _share(_conflicts_first(item) < by_conflict for item in items),
            "conflict_found": _share(item.clash for item in items),
        }
        for kind, items in {**_by_kind(judged, label=0), "(supported)": supported}.items()
    }


def ladder_by_kind(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return what the verdicts alone do: wrong claims rejected or not supported, supported claims rejected."""
    return {
        "wrong": {
            kind: {
                "rows": len(items),
                "rejected": _share(_rejected(item) for item in items),
                "not_supported": _share(not _supported(item) for item in items),
            }
            for kind, items in _with_total(_by_kind(judged, label=0)).items()
        },
        "supported": {
            kind: {
                "rows": len(items),
                "rejected": _share(_rejected(item) for item in items),
                "found_supported": _share(_supported(item) for item in items),
            }
            for kind, items in _with_total(_by_kind(judged, label=1)).items()
        },
    }


def measure(folder: Path, names: Sequence[str], processes: int, *, model: bool = False) -> dict[str, Any]:
    """Judge every set and return the figures."""
    sets = {}
    figures: dict[str, Any] = {}
    with multiprocessing.Pool(processes, initializer=use_model if model else None) as pool:
        for name in names:
            rows = data.read_set(folder, name)
            started = time.perf_counter()
            judged = judge_all(rows, pool)
            sets[name] = discrimination(judged)
            taken = time.perf_counter() - started
            print(
                f"{name:18} {_line(sets[name])}  {1000 * taken * processes / len(rows):.1f} ms a row", file=sys.stderr
            )
            if name == "contrast":
                figures["contrast_recall_at_10_percent_false_alarms"] = recall_by_kind(judged)
            if name in ("contrast", "ours", "written"):
                figures[f"{name}_ladder"] = ladder_by_kind(judged)
    public = [sets[name] for name in data.DEV_SETS if name in sets]
    if public:
        figures["mean_of_public_sets"] = {"sets": len(public)} | {
            key: round(statistics.mean(entry[key] for entry in public), 4)
            for key in ("auc", "balanced_accuracy", "balanced_accuracy_best_threshold", "approval_balanced_accuracy")
        }
    return {**figures, "sets": sets}


def report(figures: dict[str, Any]) -> str:
    """Lay out means and kinds for a terminal."""
    lines = []
    if "mean_of_public_sets" in figures:
        lines.append(f"mean of {figures['mean_of_public_sets']['sets']} sets: {_line(figures['mean_of_public_sets'])}")
    recalls = figures.get("contrast_recall_at_10_percent_false_alarms")
    if recalls:
        lines.append("contrast, recall at 10 % false alarms (by probability, conflicts first; conflict found):")
        lines.extend(
            f"  {kind:16} {item['by_probability']:.2f} {item['conflicts_first']:.2f} {item['conflict_found']:.2f}"
            f" of {item['rows']}"
            for kind, item in recalls.items()
        )
    for name in ("contrast", "ours", "written"):
        ladder = figures.get(f"{name}_ladder")
        if ladder is None:
            continue
        lines.append(f"{name}, verdicts on wrong claims (rejected, not supported):")
        lines.extend(
            f"  {kind:16} {item['rejected']:.2f} {item['not_supported']:.2f} of {item['rows']}"
            for kind, item in ladder["wrong"].items()
        )
        lines.append(f"{name}, verdicts on supported claims (rejected, found supported):")
        lines.extend(
            f"  {kind:16} {item['rejected']:.2f} {item['found_supported']:.2f} of {item['rows']}"
            for kind, item in ladder["supported"].items()
        )
    return "\n".join(lines)


def _conflicts_first(item: Judged) -> float:
    # The better the rest of the claim fits its evidence, the surer is the conflict.
    return -item.probability if item.clash else item.probability


def _rejected(item: Judged) -> bool:
    return any(verdict in REJECTED for verdict in item.verdicts)


def _supported(item: Judged) -> bool:
    return bool(item.verdicts) and all(verdict == Verdict.SUPPORTED for verdict in item.verdicts)


def _by_kind(judged: Sequence[Judged], *, label: int) -> dict[str, list[Judged]]:
    groups: dict[str, list[Judged]] = defaultdict(list)
    for item in judged:
        if item.label == label:
            groups[item.kind or "none"].append(item)
    return dict(sorted(groups.items()))


def _with_total(groups: dict[str, list[Judged]]) -> dict[str, list[Judged]]:
    return {**groups, "all": [item for items in groups.values() for item in items]}


def _share(flags: Iterable[bool]) -> float:
    values = list(flags)
    return round(sum(values) / len(values), 4) if values else 0.0


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _interval(bounds: tuple[float, float] | None) -> list[float] | None:
    return None if bounds is None else [round(bound, 4) for bound in bounds]


def _line(entry: dict[str, Any]) -> str:
    return (
        f"AUC {entry['auc']:.3f}  BA {entry['balanced_accuracy']:.3f}"
        f"  (best threshold {entry['balanced_accuracy_best_threshold']:.3f},"
        f" approval {entry['approval_balanced_accuracy']:.3f})"
    )


def main() -> None:
    """Measure, print, write the result."""
    known = (*data.DEV_SETS, *data.OWN_SETS)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grounding", description=__doc__)
    parser.add_argument("--data", help="folder with dev/ (or GROUNDWIRE_DATA)")
    parser.add_argument("--sets", nargs="+", choices=known, default=known, help="measure only these, write nothing")
    parser.add_argument("--model", action="store_true", help="judge with the embedded model")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    figures = measure(data.folder(options.data), options.sets, options.processes, model=options.model)
    print(report(figures))
    if tuple(options.sets) == known:
        name, flag = ("grounding_model", " --model") if options.model else ("grounding", "")
        path = record.write(name, f"python -m benchmarks.grounding{flag}", figures)
        print(f"written to {path.relative_to(record.ROOT)}")


if __name__ == "__main__":
    main()
