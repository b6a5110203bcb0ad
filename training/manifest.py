"""Say how an artefact was made: every step that writes one leaves a manifest beside it."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import groundwire
from benchmarks import record
from training.packet import files_in, hash_file

NAME = "training_run_manifest.json"
BOUNDARY = (
    "This file says how the artefact was made. It claims no accuracy and no latency: those are measured on the "
    "held-out set and recorded in the evidence packet."
)


def write_manifest(
    folder: Path,
    *,
    step: str,
    seed: int,
    rows: Mapping[str, int],
    parameters: Mapping[str, Any],
    device: str,
    inputs: Mapping[str, str] | None = None,
) -> Path:
    """Write the manifest of a folder, with the hash of every other file in it.

    `rows` counts per set, `inputs` maps what went in (base model, data files) to its hash.
    """
    path = folder / NAME
    files = {file.relative_to(folder).as_posix(): hash_file(file)[0] for file in files_in(folder) if file.name != NAME}
    write_json(
        path,
        {
            "step": step,
            "command": ["python", "-m", "training", *sys.argv[1:]],
            "commit": record.commit(),
            "groundwire": groundwire.__version__,
            "seed": seed,
            "rows": dict(rows),
            "parameters": dict(parameters),
            "device": device,
            "inputs": dict(inputs or {}),
            "files": files,
            "claim_boundary": BOUNDARY,
        },
    )
    return path


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write JSON that a person can read and a diff can show."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
