"""Measure verdicts on labelled data, and tune the threshold on it."""

from groundwire.evals.datasets import BadLine, Dataset, Row, load_dataset, read_dataset, require_both_classes
from groundwire.evals.figures import Figures, dump_line, mean, measure
from groundwire.evals.judge import Judged, judge_rows
from groundwire.evals.tune import Tuning, policy_text, tune, tuned_policy

__all__ = [
    "BadLine",
    "Dataset",
    "Figures",
    "Judged",
    "Row",
    "Tuning",
    "dump_line",
    "judge_rows",
    "load_dataset",
    "mean",
    "measure",
    "policy_text",
    "read_dataset",
    "require_both_classes",
    "tune",
    "tuned_policy",
]
