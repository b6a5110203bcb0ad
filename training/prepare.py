"""Make all pairs of a run: labelled sets, our own contrast claims, claims made from plain text, and the dev claims."""

import argparse
import json
import lzma
import multiprocessing
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import data
from groundwire.text.claims import split_claims
from training import mix, pairs
from training.manifest import write_manifest

OURS_WEIGHT = 3.0
# How many pairs are made from each text file: more where the prose is clean.
QUOTAS = {
    "18f": 5000, "digitalgov": 12000, "factbook": 8000, "kubernetes": 8000, "github_docs": 6000, "mdn": 10000,
    "medquad": 14000, "ms365": 5000, "django_docs": 3000, "turing_way": 4000,
    "openstax_principles-economics-bundle": 8000, "openstax_introduction-anthropology": 8000,
    "openstax_life-liberty-and-pursuit-happiness": 11000, "presidential": 6000, "qmsum_meetings": 6000,
    "fairytales": 7000,
}  # fmt: skip


def token_counter(base: Path) -> Callable[[str], int]:
    """Count tokens as the base model does."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def labelled_set(name: str, *, folder: Path, base: Path, seed: int) -> list[dict[str, Any]]:
    """Make the pairs of one labelled set."""
    found = mix.labelled(folder, name, mix.SHARES[name], token_counter(base), seed)
    return [pair._asdict() for pair in found]


def made_from_text(name: str, *, folder: Path, base: Path, seed: int) -> list[dict[str, Any]]:
    """Make pairs from one text file."""
    found = pairs.made(folder / "text" / f"{name}.txt.xz", QUOTAS[name], token_counter(base), seed)
    return [pair._asdict() for pair in found]


def own_claims(base: Path) -> list[dict[str, Any]]:
    """Make the pairs of the train part of our own contrast set."""
    entries = [
        json.loads(line)
        for path in sorted((data.CONTRAST / "train").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [pair._asdict() for pair in mix.ours(entries, OURS_WEIGHT, token_counter(base))]


def dev_claims(name: str, *, folder: Path, base: Path) -> list[dict[str, Any]]:
    """Cut the windows of one dev set; its labels are for measuring alone."""
    cutter = mix.Cutter(token_counter(base))
    rows = []
    for place, row in enumerate(data.read_set(folder, name)):
        claims = [claim.text for claim in split_claims(row.response, False, row.question) if not claim.unchecked]
        for claim in claims or [row.response]:
            pair = cutter.pair("dev", row.source, claim, mix.UNKNOWN, None, 1.0)
            rows.append({**pair._asdict(), "set": name, "row": f"{name}:{place}", "gold": row.label})
    return rows


def write(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    """Write packed JSON lines and return how many."""
    count = 0
    with lzma.open(path, "wt", encoding="utf-8", preset=4) as lines:
        for row in rows:
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def main(arguments: Sequence[str] | None = None) -> int:
    """Write pairs.jsonl.xz, fresh.jsonl.xz (for the teacher to label alone) and dev.jsonl.xz with a manifest."""
    parser = argparse.ArgumentParser(prog="python -m training prepare", description=__doc__)
    parser.add_argument("--data", help="folder with train/, dev/ and text/ (or GROUNDWIRE_DATA)")
    parser.add_argument("--base", type=Path, required=True, help="local folder of the student's base model")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    folder = data.folder(options.data)
    options.out.mkdir(parents=True, exist_ok=True)
    with multiprocessing.Pool(options.processes) as pool:
        make = partial(labelled_set, folder=folder, base=options.base, seed=options.seed)
        sets = [row for rows in pool.imap(make, sorted(mix.SHARES)) for row in rows]
        make = partial(made_from_text, folder=folder, base=options.base, seed=options.seed)
        made = [row for rows in pool.imap(make, sorted(QUOTAS)) for row in rows]
        cut = partial(dev_claims, folder=folder, base=options.base)
        dev = [row for rows in pool.imap(cut, (*data.DEV_SETS, *data.OWN_SETS)) for row in rows]
    counts = {
        "pairs": write(options.out / "pairs.jsonl.xz", [*sets, *own_claims(options.base), *made[::2]]),
        "fresh": write(options.out / "fresh.jsonl.xz", made[1::2]),
        "dev": write(options.out / "dev.jsonl.xz", dev),
    }
    write_manifest(
        options.out, step="prepare", seed=options.seed, rows=counts, device="cpu",
        parameters={"window": mix.WINDOW, "wide": mix.WIDE},
    )  # fmt: skip
    print(json.dumps(counts))
    return 0
