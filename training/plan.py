"""Print the commands of a run as argv arrays, one JSON array a line: python -m training plan.

Reads the run manifest (training/run.toml). Runs nothing, writes nothing, records nothing.
"""

import argparse
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.record import ROOT
from groundwire.errors import InputError

MANIFEST = ROOT / "training" / "run.toml"
STEPS = ("heldout", "prepare", "train", "export", "restore", "evaluate", "record")
NEED_DATA = ("heldout", "prepare")


def main(arguments: Sequence[str]) -> int:
    """Print the plan."""
    parser = argparse.ArgumentParser(prog="python -m training plan", description=__doc__)
    parser.add_argument("--manifest", type=Path, default=MANIFEST)
    parser.add_argument("--data", help="folder of the data; without it the steps read GROUNDWIRE_DATA")
    parser.add_argument("--artefacts", default="artefacts", help="folder for what is too large for the project")
    options = parser.parse_args(arguments)
    for argv in plan(read(options.manifest), options.artefacts, options.data):
        print(json.dumps(argv))
    return 0


def read(path: Path) -> dict[str, Any]:
    """Read a run manifest."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"The run manifest {str(path)!r} cannot be read.", why=error.strerror or "") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"The run manifest {str(path)!r} is no TOML.", why=str(error), fix="correct it") from error


def plan(manifest: Mapping[str, Any], artefacts: str, data: str | None) -> list[list[str]]:
    """Turn a run manifest into argv arrays, in the order in which they must run."""
    steps = manifest.get("steps")
    if not isinstance(steps, list) or not steps or not all(isinstance(step, dict) for step in steps):
        raise InputError("The run manifest lists no steps.", fix="add [[steps]] tables with a name and options")
    unknown = [step.get("name") for step in steps if step.get("name") not in STEPS]
    if unknown:
        raise InputError(f"The run manifest has a step {unknown[0]!r}.", fix=f"choose from {', '.join(STEPS)}")
    return [_argv(step, artefacts, data) for step in steps]


def _argv(step: Mapping[str, Any], artefacts: str, data: str | None) -> list[str]:
    name = step["name"]
    argv = ["python", "-m", "training", name, *map(str, step.get("arguments", ()))]
    if data is not None and name in NEED_DATA:
        argv += ["--data", data]
    for option, value in step.get("options", {}).items():
        if value is False:
            continue
        argv.append(f"--{option}")
        if value is not True:
            values = value if isinstance(value, list) else [value]
            argv += [str(item).replace("{artefacts}", artefacts) for item in values]
    return argv
