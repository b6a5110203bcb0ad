"""Read the injection sets and split them: one part to tune on, one part to report on, never both."""

import hashlib
import json
import lzma
import os
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
HALVED = ("deepset", "wildguard_benign")
TUNE_ONLY = ("bipia_attacks", "tensortrust_hijack")
REPORT_ONLY = ("trustair_jailbreaks", "tensortrust_extract")
# Documents with many imperative sentences: the hardest ordinary prose there is.
DOCUMENTS = ("github_docs", "kubernetes", "ms365", "digitalgov", "medquad", "django_docs", "fairytales", "turing_way")


class Row(NamedTuple):
    """A text, whether it is an attack, and where it comes from."""

    text: str
    label: int
    source: str


def folder(given: str | None) -> Path:
    """Return the data folder named by the option or by GROUNDWIRE_DATA."""
    name = given or os.environ.get("GROUNDWIRE_DATA")
    if not name:
        raise SystemExit("no data folder: pass --data or set GROUNDWIRE_DATA to a folder with injection/ and text/")
    path = Path(name)
    if not (path / "injection").is_dir():
        raise SystemExit(f"{path} has no injection/ folder: pass the folder that holds it")
    return path


def tune(data: Path) -> list[Row]:
    """Return the rows that may be trained and tuned on."""
    rows = [row for name in HALVED for row in _packed(data, name) if in_tune_half(row.text)]
    return rows + [row for name in TUNE_ONLY for row in _packed(data, name)]


def report(data: Path) -> list[Row]:
    """Return the rows that only measure, without those that also stand in the tune part."""
    seen = {_key(row.text) for row in tune(data)}
    rows = [row for name in HALVED for row in _packed(data, name) if not in_tune_half(row.text)]
    rows += [row for name in REPORT_ONLY for row in _packed(data, name)]
    kept = []
    for row in rows:
        if _key(row.text) not in seen:
            seen.add(_key(row.text))
            kept.append(row)
    return kept


def in_tune_half(text: str) -> bool:
    """Put a text in one half by its hash, so that equal texts stay together."""
    return hashlib.sha256(_key(text).encode()).digest()[0] % 2 == 0


def documents(data: Path, *, tune_half: bool, per_set: int, seed: int = 0) -> list[str]:
    """Return paragraphs of ordinary documents, whole documents on one side of the split."""
    rng = random.Random(seed)
    chosen: list[str] = []
    for name in DOCUMENTS:
        with lzma.open(data / "text" / f"{name}.txt.xz", "rt", encoding="utf-8") as file:
            articles = file.read().split("<<<DOC ")[1:]
        side = [article for article in articles if in_tune_half(article.partition(">>>")[0]) == tune_half]
        pieces = [piece for article in side for piece in _pieces(article.partition(">>>")[2], rng)]
        chosen += rng.sample(pieces, min(per_set, len(pieces)))
    return chosen


def own(path: str) -> list[Row]:
    """Read texts of our own."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    return [Row(entry["text"], entry["label"], entry["kind"]) for entry in map(json.loads, lines)]


def matched(attacks: Sequence[Row], benign: Sequence[Row], seed: int = 0) -> tuple[list[Row], list[Row]]:
    """Return attacks and benign texts in equal numbers per length, so that length gives nothing away."""
    rng = random.Random(seed)
    sides: list[dict[int, list[Row]]] = []
    for rows in (attacks, benign):
        bins: dict[int, list[Row]] = defaultdict(list)
        for row in rows:
            bins[length_bin(row.text)].append(row)
        sides.append(bins)
    left: list[Row] = []
    right: list[Row] = []
    for number in sorted(sides[0].keys() & sides[1].keys()):
        count = min(len(sides[0][number]), len(sides[1][number]))
        left += rng.sample(sides[0][number], count)
        right += rng.sample(sides[1][number], count)
    return left, right


def length_bin(text: str) -> int:
    """Return the bin of a text's length in characters: three bins for each doubling."""
    size = max(len(text), 1)
    power = size.bit_length() - 1
    return 3 * power + (3 * (size - (1 << power))) // (1 << power)


def _pieces(article: str, rng: random.Random) -> list[str]:
    paragraphs = [part.strip() for part in article.split("\n") if len(part.split()) >= 6]
    pieces = []
    place = 0
    while place < len(paragraphs):
        count = rng.choice((1, 1, 2, 4, 8, 16))
        pieces.append("\n".join(paragraphs[place : place + count]))
        place += count
    return pieces


def _packed(data: Path, name: str) -> list[Row]:
    with lzma.open(data / "injection" / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [Row(entry["text"], entry["label"], name) for entry in map(json.loads, lines)]


def _key(text: str) -> str:
    return " ".join(text.lower().split())
