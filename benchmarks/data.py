"""Read the sets: public ones from the data folder (`dev/` and `train/`, packed JSON lines), ours from the project."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from groundwire.evals import Row, load_dataset

DEV_SETS = (
    "wice", "aggrefact_cnndm", "aggrefact_xsum", "frank", "attributionbench",
    "qa_feedback", "begin", "faithdial_audit", "halueval_summ", "contractnli",
)  # fmt: skip
# Beside the public ones: written for this project.
OWN_SETS = ("contrast", "responses", "ours", "written")
CONTRAST = Path(__file__).parents[1] / "training" / "data" / "contrast"
_EXTENSION = "written"


def folder(given: str | None) -> Path:
    """Return the data folder named by the option or by GROUNDWIRE_DATA."""
    name = given or os.environ.get("GROUNDWIRE_DATA")
    if not name:
        raise SystemExit("no data folder: pass --data or set GROUNDWIRE_DATA to a folder with dev/ and train/")
    path = Path(name)
    if not (path / "dev").is_dir():
        raise SystemExit(f"{path} has no dev/ folder: pass the folder that holds dev/ and train/")
    return path


def packed(path: Path) -> list[Row]:
    """Read one packed file; rows of one source stand together."""
    return sorted(load_dataset(path).rows, key=lambda row: row.source)


def ours(*, dev: bool) -> list[Row]:
    """Read the first part of our own contrast set: claims and response sentences."""
    return _contrast(dev, lambda name: not name.startswith(_EXTENSION))


def written(*, dev: bool) -> list[Row]:
    """Read the extension of our own contrast set."""
    return _contrast(dev, lambda name: name.startswith(_EXTENSION))


def _contrast(dev: bool, wanted: Callable[[str], bool]) -> list[Row]:
    rows: list[Row] = []
    for path in sorted((CONTRAST / ("dev" if dev else "train")).glob("*.jsonl")):
        if not wanted(path.name):
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            rows.extend(
                Row(entry["source"], claim["text"], claim["label"], claim["kind"])
                for claim in [*entry["claims"], *entry.get("response", ())]
            )
    return rows


def read_set(folder: Path, name: str, *, dev: bool = True) -> list[Row]:
    """Read a set by its name: ours from the project, the others from the data folder."""
    own = {"ours": ours, "written": written}
    if name in own:
        return own[name](dev=dev)
    return packed(folder / ("dev" if dev else "train") / f"{name}.jsonl.xz")
