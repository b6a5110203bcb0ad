"""Draw the held-out set: python -m training heldout --out FILE.

From every set of the evaluation split as many supported as unsupported rows are drawn, by seed. The
same data, seed and sizes give the same bytes. A manifest beside the file counts and hashes.
"""

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import data
from groundwire.errors import InputError
from groundwire.evals import Row
from groundwire.ledger import canonical_json, sha256_hex
from training.manifest import write_json

SETS = (*data.DEV_SETS, *data.OWN_SETS)


def main(arguments: Sequence[str]) -> int:
    """Draw, write, count."""
    parser = argparse.ArgumentParser(prog="python -m training heldout", description=__doc__)
    parser.add_argument("--data", help="folder with dev/ and ours/ (or GROUNDWIRE_DATA)")
    parser.add_argument("--out", type=Path, required=True, help="the JSON lines to write")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-label", type=int, default=100, help="most rows of one label drawn from one set")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    options = parser.parse_args(arguments)
    if options.per_label < 1:
        raise InputError(f"--per-label is {options.per_label}.", fix="draw at least 1")
    folder = data.folder(options.data)
    rows = {name: read(folder, name) for name in options.sets}
    text = draw(rows, options.seed, options.per_label)
    counts = count(text)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_bytes(text)
    manifest = {
        "file": options.out.name,
        "sha256": sha256_hex(text),
        "seed": options.seed,
        "per_label": options.per_label,
        "rows": sum(sum(labels.values()) for labels in counts.values()),
        "sources": counts,
    }
    write_json(manifest_of(options.out), manifest)
    print(json.dumps(manifest, indent=2))
    return 0


def manifest_of(path: Path) -> Path:
    """Return the place of a held-out file's manifest."""
    return path.with_name(path.name + ".manifest.json")


def read(folder: Path, name: str) -> list[Row]:
    """Read one set of the evaluation split."""
    return data.read_set(folder, name)


def draw(sets: Mapping[str, Sequence[Row]], seed: int, per_label: int) -> bytes:
    """Return the held-out set as JSON lines, labels balanced within every set."""
    lines = []
    for name, rows in sorted(sets.items()):
        # Sorted texts: the order in which a set lists its rows must not show in the draw.
        pools = [sorted({_line(name, row) for row in rows if row.label == label}) for label in (0, 1)]
        size = min(per_label, *(len(pool) for pool in pools))
        if not size:
            raise InputError(f"The set {name!r} has rows of one label only.", fix="leave it out with --sets")
        for label, pool in enumerate(pools):
            lines += random.Random(f"{seed}/{name}/{label}").sample(pool, size)
    random.Random(seed).shuffle(lines)
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def count(text: bytes) -> dict[str, dict[str, int]]:
    """Count supported and unsupported rows per source."""
    counts: dict[str, dict[str, int]] = {}
    for line in text.decode("utf-8").splitlines():
        entry = json.loads(line)
        labels = counts.setdefault(entry["kind"], {"supported": 0, "unsupported": 0})
        labels["supported" if entry["label"] else "unsupported"] += 1
    return dict(sorted(counts.items()))


def _line(name: str, row: Row) -> str:
    # `kind` names the set, so that every evaluation of the file shows its figures per source.
    entry: dict[str, Any] = {"premise": row.source, "claim": row.response, "label": row.label, "kind": name}
    if row.kind:
        entry["error"] = row.kind
    if row.question:
        entry["question"] = row.question
    if row.spans is not None:
        entry["spans"] = [list(span) for span in row.spans]
    return canonical_json(entry)
