"""Rows for the tests: right, wrong and broken ones."""

import json
import random
from pathlib import Path
from typing import Any

_THINGS = ("refund", "parcel", "desk", "lamp", "permit", "lease", "course", "ticket")


def rows(count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Make rows with sources of their own; every second response has a wrong number."""
    rng = random.Random(seed)
    made = []
    for number in range(count):
        thing, days = rng.choice(_THINGS), rng.randint(10, 90)
        said = days if number % 2 else days + 7
        made.append(
            {
                "id": f"row-{number}",
                "response": f"The {thing} is handled within {said} days. It costs nothing.",
                "source": f"Number {number}: the {thing} is handled within {days} days. The {thing} costs nothing.",
                "label": number % 2,
            }
        )
    return made


def write_lines(path: Path, entries: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def files_of(out: Path) -> dict[str, bytes]:
    """Return everything a run wrote beside its output, by the end of the name."""
    return {path.name.removeprefix(out.name): path.read_bytes() for path in out.parent.glob(f"{out.name}*")}
