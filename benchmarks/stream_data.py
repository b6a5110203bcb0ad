"""Streams with labelled sentences: from the data folder, and with edits made by program."""

import json
import lzma
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data import CONTRAST
from groundwire.text.entities import capitals_in
from groundwire.text.sentences import split_sentences

_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})*(?:\.\d+)?(?![\w,])(?!\.\d)")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")
_BE = re.compile(r"\b(is|are|was|were|can|will|must|may|should)\b(?! not)")
_NOT = re.compile(r"\b(is|are|was|were|can|will|must|may|should|does|do|did) not\b")
_OTHER_NAMES = ("Belgrade", "Thornbury", "Quintero", "Vasquez", "Hokkaido", "Ostrava")
EDITS = ("number", "date", "name", "negation")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a stream and whether the source supports it."""

    text: str
    label: int
    kind: str


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer, sentence by sentence, and what it may rest on."""

    source: str
    sentences: tuple[Sentence, ...]

    @property
    def is_right(self) -> bool:
        """Tell whether every sentence is supported."""
        return all(sentence.label for sentence in self.sentences)

    def text(self) -> tuple[str, list[tuple[int, int]]]:
        """Write the answer, with the place of each sentence."""
        places, text = [], ""
        for sentence in self.sentences:
            text += " " if text else ""
            places.append((len(text), len(text) + len(sentence.text)))
            text += sentence.text
        return text, places


def labelled(folder: Path) -> list[Stream]:
    """Read the labelled responses of dev/, and responses and claims of the dev part of our own set."""
    return [*_responses(folder / "dev" / "responses.jsonl.xz"), *_ours()]


def _responses(path: Path) -> Iterator[Stream]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield Stream(
                row["premise"],
                tuple(
                    Sentence(row["claim"][item["start"] : item["end"]], item["label"], item["kind"])
                    for item in row["sentences"]
                ),
            )


def _ours() -> Iterator[Stream]:
    for path in sorted((CONTRAST / "dev").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if "response" not in entry:
                continue  # the extension has claims alone
            yield Stream(entry["source"], tuple(map(_sentence, entry["response"])))
            right = [_sentence(claim) for claim in entry["claims"] if claim["label"]]
            yield Stream(entry["source"], tuple(right))
            for claim in entry["claims"]:
                if not claim["label"]:
                    yield Stream(entry["source"], (*right[:1], _sentence(claim)))


def _sentence(item: dict[str, Any]) -> Sentence:
    return Sentence(item["text"], item["label"], item["kind"])


def edited(streams: Sequence[Stream], seed: int = 0) -> list[Stream]:
    """Change one sentence of a right answer in one respect: the writer's wording stays as it was."""
    chance = random.Random(seed)
    made = []
    for stream in streams:
        if not stream.is_right:
            continue
        for place, sentence in enumerate(stream.sentences):
            for kind, text in edits(sentence.text, stream.source, chance):
                wrong = Sentence(text, 0, kind)
                made.append(Stream(stream.source, (*stream.sentences[:place], wrong)))
    return made


def quoted(streams: Sequence[Stream], seed: int = 0) -> tuple[list[Stream], list[Stream]]:
    """Let an answer repeat sentences of its source, and change one of them in one respect."""
    chance = random.Random(seed)
    right, wrong = [], []
    for source in dict.fromkeys(stream.source for stream in streams):
        lines = [unit.text for unit in split_sentences(source) if 40 <= len(unit.text) <= 300 and not unit.row]
        if len(lines) < 3:
            continue
        picked = [Sentence(text, 1, "quoted") for text in chance.sample(lines, min(len(lines), 6))]
        right.append(Stream(source, tuple(picked[:3])))
        for sentence in picked:
            before = [other for other in picked[:3] if other != sentence][:2]
            for kind, text in edits(sentence.text, source, chance):
                wrong.append(Stream(source, (*before, Sentence(text, 0, kind))))
    return right, wrong


def edits(text: str, source: str, chance: random.Random) -> list[tuple[str, str]]:
    """Make the edits that a sentence allows; the new value stands nowhere in the source."""
    made = []
    years = list(_YEAR.finditer(text))
    if years:
        match = chance.choice(years)
        made.append(
            ("date", _put(text, match, _other(match.group(), source, chance, lambda n: n + chance.choice((-3, 2, 7)))))
        )
    numbers = [match for match in _NUMBER.finditer(text) if not _YEAR.fullmatch(match.group())]
    if numbers:
        match = chance.choice(numbers)
        made.append(
            ("number", _put(text, match, _other(match.group(), source, chance, lambda n: n * 2 + chance.randint(3, 9))))
        )
    names = [
        match
        for match in _NAME.finditer(text)
        if match.group() in source and match.group().lower() in capitals_in(text)
    ]
    if names:
        other = chance.choice([name for name in _OTHER_NAMES if name not in source])
        made.append(("name", _put(text, chance.choice(names), other)))
    denied, told = _NOT.search(text), _BE.search(text)
    if denied:
        made.append(("negation", _put(text, denied, denied.group(1))))
    elif told and " not " not in text and "n't" not in text and "no " not in text:
        made.append(("negation", _put(text, told, f"{told.group()} not")))
    return [(kind, new) for kind, new in made if new != text]


def _put(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def _other(written: str, source: str, chance: random.Random, change: Any) -> str:
    plain = written.replace(",", "")
    for _ in range(20):
        if "." in plain:
            new = f"{change(float(plain)):.{len(plain.split('.')[1])}f}"
        else:
            number = int(change(int(plain)))
            new = f"{number:,}" if "," in written else str(number)
        if not re.search(rf"(?<!\d){re.escape(new)}(?!\d)", source):
            return new
    return written
