"""Measure a model on the held-out set: python -m training evaluate --heldout FILE --out FILE.

Writes balanced accuracy at the chosen threshold, AUC, calibration error, figures per source and latency
percentiles, with the hashes of the held-out set and of the model's files.
"""

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import groundwire
from benchmarks import record
from groundwire import Policy, VerifiedScorer
from groundwire.cli import output
from groundwire.evals import judge_rows, load_dataset, measure, require_both_classes
from groundwire.nli import NLIScorer
from training.manifest import write_json
from training.packet import files_in, hash_file, relative

EMBEDDED = record.ROOT / "src" / "groundwire" / "models" / "embedded"


def main(arguments: Sequence[str]) -> int:
    """Judge every row, write the figures."""
    parser = argparse.ArgumentParser(prog="python -m training evaluate", description=__doc__)
    parser.add_argument("--heldout", type=Path, required=True, help="the JSON lines of python -m training heldout")
    parser.add_argument("--out", type=Path, required=True, help="the JSON to write")
    parser.add_argument("--model", type=Path, default=EMBEDDED, help="folder of the exported model")
    parser.add_argument("--no-model", action="store_true", help="measure the exact checks alone")
    parser.add_argument("--threshold", type=float, default=0.5, help="the chosen threshold")
    options = parser.parse_args(arguments)
    policy = Policy(grounded_threshold=options.threshold)
    data = load_dataset(options.heldout)
    require_both_classes(data)
    scorer = VerifiedScorer(None if options.no_model else _load(options.model))
    judged = judge_rows(data.rows, scorer, policy, progress=output.progress(data.name))
    figures = measure(options.heldout.name, judged, options.threshold).to_dict()
    result = {
        "command": " ".join(["python -m training evaluate", *map(_shown, arguments)]),
        "commit": record.commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": record.machine(),
        "groundwire": groundwire.__version__,
        "model": None if scorer.model is None else {"id": scorer.model.id, "hash": scorer.model.hash},
        "model_files": {} if options.no_model else _hashes(options.model),
        "heldout": {"file": options.heldout.name, "sha256": hash_file(options.heldout)[0]},
        **{name: figures[name] for name in _KEPT},
        "sources": figures["kinds"],
        "latency_ms": figures["milliseconds"],
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_json(options.out, result)
    print(f"balanced accuracy {result['balanced_accuracy']} at {options.threshold}, AUC {result['auc']}: {options.out}")
    return 0


_KEPT = (
    "rows", "supported", "threshold", "balanced_accuracy", "balanced_accuracy_interval", "auc", "auc_interval",
    "precision", "recall", "f1", "calibration_error", "span_f1", "nothing_to_check",
)  # fmt: skip


def _shown(argument: str) -> str:
    # A result is published: folders of the machine it was made on are nobody's business.
    path = Path(argument)
    return relative(path, record.ROOT) or path.name if path.is_absolute() else argument


def _load(folder: Path) -> NLIScorer:
    return NLIScorer(model_path=folder)


def _hashes(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): hash_file(path)[0] for path in files_in(folder)}
