"""Small changes of a sentence: some keep what it says, some make it wrong in one respect."""

import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from groundwire.text.analysis import Analysis, analyse, auxiliary
from groundwire.text.entities import Name, capitals_in, find_names
from groundwire.text.lexicon import load_rows
from groundwire.text.polarity import find_negations
from groundwire.text.quantity import Kind, Quantity
from groundwire.text.tokens import Word
from training.mix import LABELS, NOT_ENTAILED

NEUTRAL, CONTRADICTION = LABELS.index("neutral"), LABELS.index("contradiction")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SCALES = (("million", "billion"), ("thousand", "million"), ("hundred", "thousand"))
_UNITS = (
    ("minutes", "hours"), ("hours", "days"), ("days", "weeks"), ("weeks", "months"), ("months", "years"),
    ("kilometers", "miles"), ("km", "miles"), ("meters", "feet"), ("pounds", "kilograms"), ("percent", "times"),
    ("daily", "weekly"), ("weekly", "monthly"), ("monthly", "annually"), ("gigabytes", "megabytes"), ("GB", "MB"),
)  # fmt: skip
_MODALS = (
    ("may", "must"), ("might", "will"), ("can", "must"), ("should", "must"), ("must", "may"), ("could", "did"),
    ("usually", "always"), ("often", "always"), ("sometimes", "always"), ("rarely", "often"),
    ("recommended", "required"),    ("optional", "mandatory"), ("required", "optional"), ("plans to", "has decided to"),
    ("expected to", "guaranteed to"),
)  # fmt: skip
_QUANTIFIERS = (
    ("all", "some"), ("all", "few"), ("every", "no"), ("most", "all"), ("many", "few"), ("some", "all"),
    ("few", "many"), ("both", "neither of the"), ("at least", "at most"), ("more than", "less than"),
    ("up to", "at least"),
    ("only", "not only"), ("several", "all"), ("one of the", "the only one of the"), ("fewer", "more"),
    ("less", "more"),
)  # fmt: skip
_TAIL = re.compile(r",? (?:because|which|so that|although|while|since|unless|until|if|when|provided that) [^,;]{8,90}$")
_OPENING = re.compile(r"^(?:However|In addition|For example|Also|Therefore|Moreover|Today|Finally|Then), ", re.I)
_ASIDE = re.compile(r" \([^()]{2,60}\)|, (?:for example|such as|including|however|therefore),?(?= )")
_SAME = (
    ("is not", "isn't"), ("are not", "aren't"), ("do not", "don't"), ("does not", "doesn't"), ("cannot", "can't"),
    ("in order to", "to"), ("approximately", "about"), ("prior to", "before"), ("a number of", "several"),
    ("however", "but"), ("such as", "like"), ("utilize", "use"), ("obtain", "get"), ("%", " percent"),
)  # fmt: skip
_SMALL = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")


class Edit(NamedTuple):
    """A changed sentence, the class it now has against its source, and where it was changed."""

    text: str
    kind: str
    label: int
    spans: tuple[tuple[int, int], ...]


Change = Callable[[Analysis, "Surroundings", random.Random], Edit | None]


class Surroundings(NamedTuple):
    """What a wrong word may be taken from: names, numbers and sentences of the same document."""

    names: Sequence[str]
    sentences: Sequence[str]
    foreign: Sequence[str]  # sentences of other documents


def _put(text: str, start: int, end: int, new: str, kind: str, label: int) -> Edit | None:
    if text[start:end] == new:
        return None
    if start == 0:
        new = new[:1].upper() + new[1:]
    return Edit(text[:start] + new + text[end:], kind, label, ((start, start + len(new)),))


def _swap(pairs: Sequence[tuple[str, str]], kind: str, label: int, both: bool = False) -> Change:
    def change(sentence: Analysis, _: Surroundings, rng: random.Random) -> Edit | None:
        found = []
        for left, right in (*pairs, *((b, a) for a, b in pairs)) if both else pairs:
            match = re.search(rf"(?<![\w-]){re.escape(left)}(?![\w-])", sentence.text)
            if match:
                found.append((match, right))
        if not found:
            return None
        match, new = rng.choice(found)
        return _put(sentence.text, match.start(), match.end(), new, kind, label)

    return change


def change_number(sentence: Analysis, _: Surroundings, rng: random.Random) -> Edit | None:
    """Put another number in the place of one."""
    kinds = (Kind.COUNT, Kind.MONEY, Kind.PERCENT, Kind.MEASURE)
    found = [
        (item, match) for item in sentence.quantities if item.kind in kinds for match in _NUMBER.finditer(item.text)
    ]
    if not found:
        return None
    quantity, match = rng.choice(found)
    new = other_number(match.group(), rng)
    start = quantity.start + match.start()
    return _put(sentence.text, start, start + len(match.group()), new, "number", CONTRADICTION)


def other_number(written: str, rng: random.Random) -> str:
    """Write another number in the same manner."""
    digits = [place for place, sign in enumerate(written) if sign.isdigit()]
    place = rng.choice(digits[: max(1, len(digits) - 1)] if len(digits) > 2 else digits)
    low = 1 if place == digits[0] else 0
    choices = [str(number) for number in range(low, 10) if str(number) != written[place]]
    return written[:place] + rng.choice(choices) + written[place + 1 :]


def change_date(sentence: Analysis, _: Surroundings, rng: random.Random) -> Edit | None:
    """Put another month, weekday, day or year into a date."""
    dates = [item for item in sentence.quantities if item.kind == Kind.DATE]
    if not dates:
        return None
    quantity = rng.choice(dates)
    names = [(match, table) for table in _date_names() for match in re.finditer(r"[A-Z][a-z]+", quantity.text)
             if match.group() in table]  # fmt: skip
    if names and rng.random() < 0.5:
        match, table = rng.choice(names)
        new = rng.choice([name for name in table if name != match.group()])
    else:
        numbers = list(re.finditer(r"\d+", quantity.text))
        if not numbers:
            return None
        match = rng.choice(numbers)
        value = int(match.group())
        new = str(value + rng.choice([-10, -3, -2, -1, 1, 2, 3, 5, 10])) if value > 31 else str(rng.randint(1, 28))
    start = quantity.start + match.start()
    return _put(sentence.text, start, quantity.start + match.end(), new, "date", CONTRADICTION)


@cache
def _date_names() -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(dict.fromkeys(row[0].capitalize() for row in load_rows(table) if len(row[0]) > 4))
        for table in ("months", "weekdays")
    )


def _names(sentence: Analysis) -> list[Name]:
    return [name for name in find_names(sentence, capitals_in(sentence.text)) if name.start > 0 or " " in name.text]


def change_name(sentence: Analysis, around: Surroundings, rng: random.Random) -> Edit | None:
    """Put another name of the same document in the place of one."""
    names = _names(sentence)
    others = [name for name in around.names if name not in sentence.text]
    if not names or not others:
        return None
    name = rng.choice(names)
    alike = [other for other in others if other.count(" ") == name.text.count(" ")] or others
    return _put(sentence.text, name.start, name.end, rng.choice(alike), "entity", NOT_ENTAILED)


def swap_names(sentence: Analysis, _: Surroundings, rng: random.Random) -> Edit | None:
    """Exchange two names, so that each does what the other did."""
    names = _names(sentence)
    if len(names) < 2:
        return None
    first, second = sorted(rng.sample(names, 2), key=lambda name: name.start)
    between = sentence.text[first.end : second.start]
    # Listed names may stand in any order.
    if first.text == second.text or not any(
        first.end <= sentence.words[place].start < second.start for place in sentence.verbs
    ):
        return None
    text = sentence.text[: first.start] + second.text + between + first.text + sentence.text[second.end :]
    shift = len(second.text) - len(first.text)
    spans = ((first.start, first.start + len(second.text)), (second.start + shift, second.end))
    return Edit(text, "roleswap", NOT_ENTAILED, spans)


def negate(sentence: Analysis, _: Surroundings, rng: random.Random) -> Edit | None:
    """Deny the sentence, or take its denial away."""
    text = sentence.text
    for match in re.finditer(r" not\b|n't\b", text):
        if rng.random() < 0.8:
            start = match.start()
            new = text[:start] + text[match.end() :]
            return Edit(new, "negation", CONTRADICTION, ((max(0, text.rfind(" ", 0, start) + 1), start),))
    if find_negations(sentence):
        return None
    helpers = [place for place in sorted(sentence.verbs) if auxiliary(sentence.words[place])]
    if not helpers:
        return None
    word = sentence.words[helpers[0]]
    new = " not" if rng.random() < 0.7 else rng.choice([" never", " no longer"])
    return Edit(
        text[: word.end] + new + text[word.end :], "negation", CONTRADICTION, ((word.end + 1, word.end + len(new)),)
    )


@cache
def _opposite_words() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for row in load_rows("antonyms"):
        if "_" not in row[0] + row[1]:
            table.setdefault(row[0], []).append(row[1])
            table.setdefault(row[1], []).append(row[0])
    return {word: tuple(others) for word, others in table.items()}


@cache
def _like_words() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for row in load_rows("synonyms"):
        words = [word.replace("_", " ") for word in row]
        for word in words:
            table.setdefault(word, []).extend(other for other in words if other != word)
    return {word: tuple(others) for word, others in table.items()}


def _inflected(word: str, table: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """Find a base form in a table with the ending that both words would take."""
    found = [(other, "") for other in table.get(word, ())]
    # A plural and a verb's third person look alike: only endings of verbs are carried over.
    for ending in ("ed", "ing"):
        if not word.endswith(ending):
            continue
        for base in (word[: -len(ending)], word[: -len(ending)] + "e"):
            found.extend((other, ending) for other in table.get(base, ()) if " " not in other)
    return found


def _with_ending(word: str, ending: str) -> str:
    if not ending:
        return word
    return (word[:-1] if word.endswith("e") else word) + ending


def change_opposite(sentence: Analysis, _: Surroundings, rng: random.Random) -> Edit | None:
    """Put an opposite in the place of a word."""
    return _change_word(sentence, _opposite_words(), rng, "antonym", CONTRADICTION)


def use_synonym(sentence: Analysis, _: Surroundings, rng: random.Random) -> Edit | None:
    """Put a word of the same meaning in the place of one."""
    edit = _change_word(sentence, _like_words(), rng, "synonym", 0)
    return edit._replace(spans=()) if edit else None


def _change_word(
    sentence: Analysis, table: dict[str, tuple[str, ...]], rng: random.Random, kind: str, label: int
) -> Edit | None:
    found: list[tuple[Word, str, str]] = []
    for word in sentence.words:
        if word.text != word.lower or len(word.lower) < 4:
            continue
        found.extend((word, other, ending) for other, ending in _inflected(word.lower, table))
    if not found:
        return None
    word, other, ending = rng.choice(found)
    return _put(sentence.text, word.start, word.end, _with_ending(other, ending), kind, label)


def drop_condition(sentence: Analysis, _: Surroundings, rng: random.Random) -> Edit | None:
    """Leave the condition out, so that the rest is said without it."""
    match = re.search(
        r",? (?:if|unless|provided that|as long as|only if|only when) [^,;.]{6,90}(?=[.]?$)", sentence.text
    )
    if match:
        text = sentence.text[: match.start()] + sentence.text[match.end() :]
        return Edit(text, "condition", NEUTRAL, ((0, len(text)),))
    match = re.match(r"(?:If|Unless|When|Provided that) [^,;.]{6,90}, ", sentence.text)
    if match and match.group()[0] in "IUP":
        text = sentence.text[match.end() :]
        return Edit(text[:1].upper() + text[1:], "condition", NEUTRAL, ((0, len(text)),))
    return None


def add_detail(sentence: Analysis, around: Surroundings, rng: random.Random) -> Edit | None:
    """Append a clause of another document."""
    tails = [match.group() for other in rng.sample(list(around.foreign), min(20, len(around.foreign)))
             if (match := _TAIL.search(other.rstrip(".")))]  # fmt: skip
    if not tails:
        return None
    text = sentence.text.rstrip(".")
    tail = rng.choice(tails)
    return Edit(f"{text}{tail}.", "addition", NEUTRAL, ((len(text), len(text) + len(tail)),))


def cross(sentence: Analysis, around: Surroundings, rng: random.Random) -> Edit | None:
    """Say of one subject what the document says of another."""
    head = _head_end(sentence)
    others = [other for other in around.sentences if other != sentence.text]
    if head < 0 or not others:
        return None
    for other in rng.sample(others, min(6, len(others))):
        parsed = analyse(other)
        end = _head_end(parsed)
        if end < 0:
            continue
        verb, mine = other[end:].split(" ", 1)[0], sentence.text[head:].split(" ", 1)[0]
        if verb == mine and other[end:] != sentence.text[head:]:
            text = sentence.text[:head] + other[end:]
            return Edit(text, "mix", NOT_ENTAILED, ((head + len(verb) + 1, len(text)),))
    return None


def _head_end(sentence: Analysis) -> int:
    places = sorted(sentence.verbs)
    if not places or not 1 <= places[0] <= 7:
        return -1
    return sentence.words[places[0]].start


def shorten(sentence: Analysis, _: Surroundings, rng: random.Random) -> Edit | None:
    """Leave out an opening, an aside, or a closing relative clause: what is left is still said."""
    text = sentence.text
    for pattern in rng.sample([_OPENING, _ASIDE, re.compile(r", which [^,;]{8,120}(?=[.]$)")], 3):
        match = pattern.search(text)
        if match and len(text) - len(match.group()) > 30:
            text = text[: match.start()] + text[match.end() :]
            return Edit(text[:1].upper() + text[1:], "shorten", 0, ())
    return None


def write_number(sentence: Analysis, _: Surroundings, rng: random.Random) -> Edit | None:
    """Write a number in another manner."""
    found = [item for item in sentence.quantities if item.kind in (Kind.COUNT, Kind.MEASURE, Kind.MONEY)]
    rng.shuffle(found)
    for quantity in found:
        match = _NUMBER.search(quantity.text)
        if not match:
            continue
        new = _rewritten(match.group(), quantity, rng)
        if new:
            start = quantity.start + match.start()
            edit = _put(sentence.text, start, start + len(match.group()), new, "number_form", 0)
            return edit._replace(spans=()) if edit else None
    return None


def _rewritten(written: str, quantity: Quantity, rng: random.Random) -> str:
    plain = written.replace(",", "")
    if plain.isdigit() and int(plain) < len(_SMALL) and quantity.kind == Kind.COUNT:
        return _SMALL[int(plain)]
    if "," in written:
        return plain
    if plain.isdigit() and len(plain) > 4:
        return f"{int(plain):,}"
    return ""


def fuse(sentence: Analysis, around: Surroundings, rng: random.Random) -> Edit | None:
    """Join a sentence with a short one of the same window."""
    others = [other for other in around.sentences if other != sentence.text and len(other) < 120]
    if not others or len(sentence.text) > 160:
        return None
    other = rng.choice(others)
    joined = sentence.text.rstrip(".") + rng.choice(["; ", ", and ", ", while "])
    keep = other.split(" ", 1)[0]
    second = (
        other if keep.isupper() or keep in capitals_in(" ".join(around.sentences)) else other[:1].lower() + other[1:]
    )
    return Edit(joined + second, "fusion", 0, ())


same_words = _swap(_SAME, "synonym", 0, both=True)

WRONG: dict[str, tuple[Change, float]] = {
    "number": (change_number, 2.0), "date": (change_date, 1.5), "entity": (change_name, 2.0),
    "roleswap": (swap_names, 2.0), "negation": (negate, 1.5), "antonym": (change_opposite, 2.0),
    "quantifier": (_swap(_QUANTIFIERS, "quantifier", NOT_ENTAILED), 1.0),
    "modality": (_swap(_MODALS, "modality", NOT_ENTAILED), 1.0),
    "unit": (_swap((*_UNITS, *_SCALES), "unit", CONTRADICTION, both=True), 1.0), "condition": (drop_condition, 1.0),
    "addition": (add_detail, 1.0), "mix": (cross, 1.5),
}  # fmt: skip
RIGHT: dict[str, tuple[Change, float]] = {
    "synonym": (use_synonym, 1.0), "same_words": (same_words, 1.0), "shorten": (shorten, 1.5),
    "number_form": (write_number, 1.0), "fusion": (fuse, 1.0),
}  # fmt: skip


def draw(
    changes: dict[str, tuple[Change, float]], sentence: Analysis, around: Surroundings, rng: random.Random
) -> Edit | None:
    """Try the changes in a random order of their weights, and return the first that applies."""
    names = sorted(changes, key=lambda name: rng.random() ** (1.0 / changes[name][1]), reverse=True)
    for name in names:
        edit = changes[name][0](sentence, around, rng)
        if edit is not None and edit.text != sentence.text:
            return edit
    return None
