"""Read the data folder: `dev/` and `train/` as packed JSON lines, `ours/` as plain ones."""

import json
import os
from pathlib import Path

from groundwire.evals import Row, load_dataset

DEV_SETS = (
    "wice", "aggrefact_cnndm", "aggrefact_xsum", "frank", "attributionbench",
    "qa_feedback", "begin", "faithdial_audit", "halueval_summ", "contractnli",
)  # fmt: skip
OURS_DEV_EVERY = 5


def folder(given: str | None) -> Path:
    """Return the data folder named by the option or by GROUNDWIRE_DATA."""
    name = given or os.environ.get("GROUNDWIRE_DATA")
    if not name:
        raise SystemExit("no data folder: pass --data or set GROUNDWIRE_DATA to a folder with dev/, train/ and ours/")
    path = Path(name)
    if not (path / "dev").is_dir():
        raise SystemExit(f"{path} has no dev/ folder: pass the folder that holds dev/, train/ and ours/")
    return path


def packed(path: Path) -> list[Row]:
    """Read one packed file; rows of one source stand together."""
    return sorted(load_dataset(path).rows, key=lambda row: row.source)


def ours(data: Path, *, dev: bool) -> list[Row]:
    """Read our own claims and response sentences; every fifth source of each file is dev."""
    rows: list[Row] = []
    for path in sorted((data / "ours").glob("*.jsonl")):
        for place, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if (place % OURS_DEV_EVERY == OURS_DEV_EVERY - 1) != dev:
                continue
            entry = json.loads(line)
            rows.extend(
                Row(entry["source"], claim["text"], claim["label"], claim["kind"])
                for claim in [*entry["claims"], *entry["response"]]
            )
    return rows
