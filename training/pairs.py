"""Make pairs from plain text: sentences of a document, reworded or made wrong, against their surroundings."""

import lzma
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from groundwire.text.analysis import analyse
from groundwire.text.entities import capitals_in, find_names
from groundwire.text.sentences import split_sentences
from training.edits import RIGHT, WRONG, Surroundings, draw
from training.mix import NOT_ENTAILED, WINDOW, Cutter, Pair

_MARK = "<<<DOC "
_LEAST, _MOST = 40, 260
# How the classes are drawn: reworded and right, made wrong, and from elsewhere in the document.
_RIGHT_SHARE, _WRONG_SHARE = 0.42, 0.46


def documents(path: Path) -> Iterator[list[str]]:
    """Yield the documents of a packed text file as lists of paragraphs."""
    paragraphs: list[str] = []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(_MARK):
                if paragraphs:
                    yield paragraphs
                paragraphs = []
            elif line.strip():
                paragraphs.append(line.strip())
    if paragraphs:
        yield paragraphs


def made(path: Path, wanted: int, count: Callable[[str], int], seed: int) -> Iterator[Pair]:
    """Yield about the wanted number of pairs made from one text file."""
    rng = random.Random(f"{seed}:{path.name}")
    pages = [page for page in documents(path) if sum(map(len, page)) > 400]
    rng.shuffle(pages)
    foreign = [unit.text for page in pages[:60] for unit in split_sentences(page[0]) if len(unit.text) > _LEAST]
    per_page = max(1, -(-wanted // max(1, len(pages))))
    cutter, counted, left = Cutter(count), cache(count), wanted
    seen: set[str] = set()  # boilerplate would be learned by heart
    for page in pages:
        for pair in _of_page(page, path.name.split(".")[0], foreign, min(per_page, left), cutter, counted, seen, rng):
            left -= 1
            yield pair
        if left <= 0:
            return


def _of_page(
    page: list[str], name: str, foreign: list[str], wanted: int, cutter: Cutter,
    count: Callable[[str], int], seen: set[str], rng: random.Random,
) -> Iterator[Pair]:  # fmt: skip
    text = "\n".join(page)[:20_000]
    units = [unit.text for unit in split_sentences(text) if not unit.heading and not unit.row]
    usable = [place for place, unit in enumerate(units) if unit not in seen and _usable(unit)]
    if not usable:
        return
    names = _names_of(units)
    for place in rng.sample(usable, min(wanted, len(usable))):
        seen.add(units[place])
        draw_one = rng.random()
        around = _around(units, place, rng, count)
        if draw_one > _RIGHT_SHARE + _WRONG_SHARE:
            # The page without the sentence: what it says is then, mostly, nowhere.
            rest = "\n".join(unit for unit in units if unit != units[place])
            yield cutter.pair(f"{name}:outside", rest, units[place], NOT_ENTAILED, None, 0.7)
            continue
        sentence = analyse(units[place])
        setting = Surroundings(names, around, foreign)
        kind, label = "copy", 0
        spans: list[list[int]] = []
        for _ in range(rng.choice([0, 1, 1, 2, 2, 3])):
            edit = draw(RIGHT, sentence, setting, rng)
            if edit is None or len(edit.text) > 2 * _MOST:
                break
            sentence, kind = analyse(edit.text), edit.kind
        if draw_one > _RIGHT_SHARE:
            edit = draw(WRONG, sentence, setting, rng)
            if edit is None:
                continue
            sentence, kind, label, spans = (
                analyse(edit.text),
                edit.kind,
                edit.label,
                [list(span) for span in edit.spans],
            )
        if label and sentence.text in units:
            continue  # what was made wrong here is said elsewhere
        text = " ".join(around)
        yield Pair(f"{name}:{kind}", text, text, text, sentence.text, label, spans, 0.7)


def _around(units: list[str], place: int, rng: random.Random, count: Callable[[str], int]) -> list[str]:
    """Take a sentence with some of its neighbours, as many as a window holds."""
    first, last = place, place
    left = WINDOW - count(units[place])
    for _ in range(rng.randint(0, 7)):
        step = first - 1 if rng.random() < 0.5 else last + 1
        if not 0 <= step < len(units) or count(units[step]) > left:
            continue
        left -= count(units[step])
        first, last = min(first, step), max(last, step)
    return units[first : last + 1]


def _usable(text: str) -> bool:
    return (
        _LEAST <= len(text) <= _MOST
        and text[0].isupper()
        and text[-1] in ".!"
        and sum(character.isalpha() or character == " " for character in text) > 0.85 * len(text)
    )


def _names_of(units: list[str]) -> list[str]:
    known = capitals_in(" ".join(units[:80]))
    names = (name.text for unit in units[:80] for name in find_names(analyse(unit), known))
    return list(dict.fromkeys(name for name in names if len(name) > 2))
