"""Gather the texts that injection stage 1 is trained on, and put our own together to longer ones."""

import hashlib
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import injection_data as data

FOLDS = 5
COMPOSED = 280  # texts tried for each label and fold; the shares below leave out about a quarter
_BLOCK = 6  # neighbours in a file were written together, so they stay in one fold
_NAMES = data.ROOT / "training" / "data" / "injection_names.txt"
_LEAD = ("question", "ai_talk", "support", "creative", "code", "email", "medicine")
_PERSONAL = ("persona", "persona_long", "roleplay", "security", "quoted", "ai_talk", "long")
_SEPARATORS = (" ", " ", " ", "\n", "\n\n")

Pools = dict[str, list[str]]


class Text(NamedTuple):
    """A text, whether it is an attack, where it comes from, and the fold in which it is kept apart."""

    text: str
    label: int
    source: str
    fold: int


def gather(folder: Path) -> list[Text]:
    """Collect every text that may be trained on, each with its fold."""
    rows = [row for row in data.tune(folder) if row.text.strip()]
    rows += [data.Row(text, 0, "document") for text in data.documents(folder, tune_half=True, per_set=250)]
    texts = [Text(row.text, row.label, row.source, _fold(row.text)) for row in rows]
    rng = random.Random(7)
    pieces = [
        Text(row.text, row.label, row.source, (place // _BLOCK) % FOLDS)
        for name in ("attacks", "benign")
        for place, row in enumerate(data.own(f"training/data/injection_{name}.jsonl"))
    ]
    own = [
        Text(_named(row.text, rng), row.label, f"{'attack' if row.label else 'benign'} {row.source}", row.fold)
        for row in pieces
    ]
    for fold in range(FOLDS):
        # A composed text holds pieces of its own fold only: no piece is on both sides of the cross-validation.
        documents = [row.text for row in texts if row.source == "document" and row.fold == fold]
        own += composed([row for row in pieces if row.fold == fold], documents, fold)
    distinct = {row.text: row for row in (*texts, *own) if row.text.strip()}
    return list(distinct.values())


def composed(pieces: Sequence[Text], documents: Sequence[str], fold: int) -> list[Text]:
    """Put pieces together to texts of all lengths, attacks and harmless ones alike."""
    rng = random.Random(100 + fold)
    attacks, benign = _pools(pieces, 1), _pools(pieces, 0)
    made: list[Text] = []
    for label, compose in ((1, _attack), (0, _harmless)):
        for _ in range(COMPOSED):
            kind, parts = compose(attacks, benign, documents, rng)
            if parts:
                text = rng.choice(_SEPARATORS if kind in ("jailbreak", "persona", "plain") else (" ",)).join(parts)
                made.append(Text(_named(text, rng), label, f"composed {kind}", fold))
    return made


def _attack(attacks: Pools, benign: Pools, documents: Sequence[str], rng: random.Random) -> tuple[str, list[str]]:
    turn = rng.random()
    lead = [text for kind in _LEAD for text in benign[kind]]
    if turn < 0.3:
        parts = (
            _some(attacks["jailbreak"], rng, 2, 5) if rng.random() < 0.4 else _some(attacks["jailbreak"], rng, 5, 26)
        )
        if rng.random() < 0.4:  # what a harmless persona is told as well
            parts += _some(benign["persona"], rng, 1, 2)
        rng.shuffle(parts)
        return "jailbreak", parts
    if turn < 0.6:
        parts = [rng.choice(attacks["jailbreak_long"]), *_some(attacks["jailbreak"], rng, 0, 8)]
        if rng.random() < 0.3:
            parts.append(rng.choice(attacks["jailbreak_long"]))
        if rng.random() < 0.5:
            parts.append(rng.choice(lead))
        if rng.random() < 0.3:
            parts.insert(0, rng.choice(benign["persona"]))
        return "jailbreak", parts
    if turn < 0.73:
        parts = _some(attacks["extract"], rng, 2, 5)
        return "extract", [rng.choice(lead), *parts] if rng.random() < 0.3 else parts
    if turn < 0.87:
        parts = [*_some(lead, rng, 1, 2), *_some(attacks["override"], rng, 1, 3)]
        return "override", [*parts, rng.choice(lead)] if rng.random() < 0.3 else parts
    return "indirect", _inserted(rng.choice(attacks["indirect"]), documents, rng)


def _harmless(_: Pools, benign: Pools, documents: Sequence[str], rng: random.Random) -> tuple[str, list[str]]:
    turn = rng.random()
    lead = [text for kind in _LEAD for text in benign[kind]]
    plain = [text for kind in sorted(benign) if kind not in _PERSONAL for text in benign[kind]]
    if turn < 0.3:
        parts = _some(benign["persona"], rng, 1, 9)
        return "persona", parts + _some(benign["ai_talk"], rng, 1, 3) if rng.random() < 0.5 else parts
    if turn < 0.55:
        parts = [rng.choice(benign["persona_long"]), *_some(benign["persona"], rng, 0, 6)]
        if rng.random() < 0.3:
            parts.append(rng.choice(benign["persona_long"]))
        if rng.random() < 0.3:
            parts.append(rng.choice(benign["creative"]))
        return "persona", parts
    if turn < 0.72:
        return "plain", rng.sample(plain, rng.choice((2, 3, 5, 9, 16, 24)))
    if turn < 0.84:
        return "plain", _some(benign[rng.choice(sorted(benign))], rng, 2, 20)
    if turn < 0.9:
        return "lead", _some(lead, rng, 2, 4)
    return "document", _inserted(rng.choice(plain), documents, rng)


def _inserted(piece: str, documents: Sequence[str], rng: random.Random) -> list[str]:
    words = rng.choice(documents).split()[: rng.choice((20, 50, 90))]
    place = rng.randint(0, len(words))
    return [*words[:place], piece, *words[place:]]


def _pools(pieces: Sequence[Text], label: int) -> Pools:
    pools: Pools = defaultdict(list)
    for row in pieces:
        if row.label == label:
            pools[row.source].append(row.text)
    return pools


def _some(pool: Sequence[str], rng: random.Random, least: int, most: int) -> list[str]:
    return rng.sample(pool, min(len(pool), rng.randint(least, most)))


def _named(text: str, rng: random.Random) -> str:
    return text.replace("{name}", rng.choice(_NAMES.read_text(encoding="utf-8").split())) if "{name}" in text else text


def _fold(text: str) -> int:
    # Texts that begin alike are variants of one text.
    return hashlib.sha256(text.lower()[:60].encode()).digest()[0] % FOLDS
