"""Bring labelled sets to pairs of evidence window and claim, cut as `verify` cuts them."""

import json
import lzma
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from groundwire.evidence import SourceIndex
from groundwire.evidence.windows import pack_window, window_text
from groundwire.signals.claim import ClaimView
from groundwire.signals.entailment import index_keys
from groundwire.signals.measure import candidates_for
from groundwire.text.claims import Claim, split_claims
from groundwire.text.entities import capitals_in
from groundwire.types import Policy, Source

LABELS = ("entailment", "neutral", "contradiction")
NOT_ENTAILED = 3  # wrong, but nobody said whether neutral or contradicting
UNKNOWN = 4  # one sentence of a wrong answer, maybe a right one: only a teacher can say
# The window that is read first, the wide one of the teacher, and the near one that a claim is read against again.
WINDOW, WIDE, NEAR = 128, 320, 56
_LONGEST_BAG = 6


class Pair(NamedTuple):
    """One training pair; spans are character offsets of unsupported text in the claim, None when unknown."""

    origin: str
    window: str
    wide: str
    near: str
    claim: str
    label: int
    spans: list[list[int]] | None
    weight: float


@dataclass(frozen=True, slots=True)
class Share:
    """How many rows of a set are used, and how much one of them counts."""

    rows: int
    weight: float = 1.0


# Sets whose licence is unstated or for research alone are left out (see the card); templated and rule-made ones
# get few rows, those with human labels on documents get weight.
SHARES: dict[str, Share] = {
    "xsumfaith": Share(1981, 1.5), "summedits": Share(4651, 2.0), "defacto": Share(4275, 2.0),
    "factcc_val": Share(844, 2.0), "gofigure": Share(500, 2.0), "halueval_qa": Share(1922, 1.5),
    "contractnli": Share(2924, 2.0), "fever": Share(20000), "fever_symmetric": Share(1416, 1.5),
    "fool_me_twice": Share(2546, 2.0), "cg2c_doc": Share(2060, 2.0), "evidence_inference": Share(1000, 0.5),
    "new_protocols": Share(20000), "snli": Share(15000, 0.5), "mnli": Share(25000), "scitail": Share(8000),
    "paws": Share(6486), "cad_snli": Share(4000, 0.5), "conjnli": Share(4000), "wikiresnli": Share(5000),
    "curriculum": Share(3000, 0.5), "scone": Share(2500), "condaqa": Share(8247), "gap_coref": Share(4294),
    "infotabs": Share(8000), "tabfact": Share(8000), "squad2": Share(6076, 0.7), "qamr": Share(10000, 0.7),
    "ni_qa": Share(12000, 0.7), "boolq": Share(9000, 0.7), "fairytaleqa": Share(8000, 0.7),
    "policyqa": Share(6000, 0.7), "narrativeqa": Share(5575, 0.7), "scitldr": Share(3966), "sra": Share(5000, 0.7),
    "eqasc_strategy_creak": Share(8000, 0.7), "bio_qa": Share(3334), "shroom": Share(3984), "wikisplit": Share(6000),
    "flute": Share(1500, 0.5), "contrast": Share(100000, 3.0), "responses": Share(100000, 2.0),
}  # fmt: skip


def labelled(data: Path, name: str, share: Share, count: Callable[[str], int], seed: int) -> Iterator[Pair]:
    """Yield the pairs of one set of the data folder."""
    rows = read_packed(data / "train" / f"{name}.jsonl.xz")
    rng = random.Random(f"{seed}:{name}")
    rng.shuffle(rows)
    rows = sorted(rows[: share.rows], key=lambda row: str(row["premise"]))
    cutter = Cutter(count)
    for row in rows:
        yield from _pairs_of(name, row, share.weight, cutter)


def ours(entries: Sequence[dict[str, Any]], weight: float, count: Callable[[str], int]) -> Iterator[Pair]:
    """Yield the pairs of contrast entries: claims, and the sentences of a response."""
    cutter = Cutter(count)
    for entry in entries:
        for claim in [*entry["claims"], *entry.get("response", ())]:
            yield cutter.pair("ours", entry["source"], claim["text"], label_of(claim), None, weight)


def label_of(row: dict[str, Any]) -> int:
    """Return the class of a row, or NOT_ENTAILED where only the binary label is known."""
    if row["label"] == 1:
        return 0
    known = row.get("label3")
    return LABELS.index(known) if known in LABELS[1:] else NOT_ENTAILED


def read_packed(path: Path) -> list[dict[str, Any]]:
    """Read one packed file."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Cutter:
    """Cut windows for claims, with one index per source in a row."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = cache(count)
        self._source = ""
        self._index = SourceIndex([])

    def pair(
        self, origin: str, source: str, claim: str, label: int, spans: list[list[int]] | None, weight: float
    ) -> Pair:
        """Make one pair."""
        return Pair(origin, *self.windows(source, claim), claim, label, spans, weight)

    def windows(self, source: str, claim: str) -> tuple[str, str, str]:
        """Cut the window of a claim, a wider and a nearer one."""
        if source != self._source:
            self._source, self._index = source, SourceIndex([Source("source", source)])
        policy = Policy(candidates=12)
        known = self._index.capitals | capitals_in(claim)
        view = ClaimView(Claim(claim, 0, len(claim)), known)
        items = candidates_for(view, self._index, policy, 3)
        keys = index_keys(view)
        return (
            window_text(pack_window(self._index, items[:8], keys, WINDOW, self._count)),
            window_text(pack_window(self._index, items, keys, WIDE, self._count)),
            window_text(pack_window(self._index, items[:8], keys, NEAR, self._count)),
        )


def _pairs_of(name: str, row: dict[str, Any], weight: float, cutter: Cutter) -> Iterator[Pair]:
    source, text, label = str(row["premise"]), str(row["claim"]), label_of(row)
    if "sentences" in row:
        for part in row["sentences"]:
            sentence = text[part["start"] : part["end"]]
            yield cutter.pair(name, source, sentence, label_of(part), None, weight)
        return
    spans = row.get("spans")
    if row["label"] == 1:
        spans = []
    claims = [claim for claim in split_claims(text) if not claim.unchecked]
    if len(claims) <= 1 or row.get("question"):
        yield cutter.pair(name, source, text, label, spans, weight)
        return
    if len(claims) <= _LONGEST_BAG:
        yield cutter.pair(name, source, text, label, spans, weight)
    if row["label"] == 1:
        for claim in claims[:_LONGEST_BAG]:
            yield cutter.pair(name, source, claim.text, 0, [], weight / 2)
    elif not spans:
        for claim in claims[:_LONGEST_BAG]:
            yield cutter.pair(name, source, claim.text, UNKNOWN, None, weight / 2)
    else:
        for claim in claims[:_LONGEST_BAG]:
            own = [
                [max(start, claim.start) - claim.start, min(end, claim.end) - claim.start]
                for start, end in spans
                if start < claim.end and end > claim.start
            ]
            yield cutter.pair(name, source, claim.text, NOT_ENTAILED if own else 0, own, weight / 2)
