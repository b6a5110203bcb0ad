"""Compare the int8 model that ships with the same weights in 32-bit floats, row by row on the same sets.

The floats are not part of the project: `python -m training export --float` writes their folder. Reads the data folder
given by --data or GROUNDWIRE_DATA.
"""

import argparse
import multiprocessing
import random
import statistics
import sys
from pathlib import Path
from typing import Any

from benchmarks import data, record
from benchmarks.train_blend import fast_auc, inputs_of_set, use_model
from groundwire import NLIScorer
from groundwire.verify.calibrate import model_blend

ROWS = 250  # of a set at most: both models read the same
SEED = 1


def measure(folder: Path, floats: Path, processes: int) -> dict[str, Any]:
    """Return the AUC of every set under both models, of the model alone and of the blend."""
    blend = model_blend()
    sets: dict[str, dict[str, Any]] = {}
    for kind, path in (("int8", None), ("float32", floats)):
        with multiprocessing.Pool(processes, initializer=use_model, initargs=(path,)) as pool:
            for name in (*data.DEV_SETS, *data.OWN_SETS):
                rows = data.read_set(folder, name)
                rows = random.Random(SEED).sample(rows, ROWS) if len(rows) > ROWS else rows
                inputs = inputs_of_set(rows, pool)
                total = inputs.words + blend.mean * inputs.mean + blend.worst * inputs.worst
                entry = sets.setdefault(name, {"rows": len(inputs.labels)})
                entry[kind] = {
                    "model": round(fast_auc(inputs.labels, inputs.worst), 4),
                    "blend": round(fast_auc(inputs.labels, total), 4),
                }
                print(kind, name, entry[kind], file=sys.stderr, flush=True)
    return {
        "model": NLIScorer().model_info.id,
        "rows_a_set_at_most": ROWS,
        "mean_of_public_sets": {
            kind: {
                part: round(statistics.mean(sets[name][kind][part] for name in data.DEV_SETS), 4)
                for part in ("model", "blend")
            }
            for kind in ("int8", "float32")
        },
        "sets": sets,
    }


def main() -> None:
    """Measure, print, write the result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quantised", description=__doc__)
    parser.add_argument("--data", help="folder with dev/ (or GROUNDWIRE_DATA)")
    parser.add_argument("--floats", type=Path, required=True, help="folder that `training export --float` wrote")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    figures = measure(data.folder(options.data), options.floats, options.processes)
    print(figures["mean_of_public_sets"])
    path = record.write("quantised", "python -m benchmarks.quantised --floats FOLDER", figures)
    print(f"written to {path.relative_to(record.ROOT)}")


if __name__ == "__main__":
    main()
