"""Names of people, places, organisations and products."""

import re
from functools import cache
from typing import NamedTuple

from groundwire.text.analysis import Analysis
from groundwire.text.lexicon import load_map, load_rows, load_words
from groundwire.text.tokens import fold, is_function_word


class Name(NamedTuple):
    """A capitalised phrase that names something."""

    start: int
    end: int
    text: str
    key: tuple[str, ...]


# A capital after a space inside a sentence, not after a colon, quote or bracket.
_INNER_CAPITAL = re.compile(r"[^\W\d_a-zß-öø-ÿ](?<=[\w,;] .)[^\W\d_]*")
_JOIN = re.compile(r"\s|\s?[-–&]\s?|\.\s?|['’]")
_OPENING = re.compile(r"[:\"“‘«„(\[*_|]\s*$|^\W*$")


def capitals_in(text: str) -> frozenset[str]:
    """Collect the words that stand capitalised inside a sentence, lower-cased."""
    found = _INNER_CAPITAL.findall(text)
    if not found or len(found) > 0.6 * (text.count(" ") + 1) >= 3.0:
        return frozenset()  # a title: its capitals say nothing
    return frozenset(map(fold, found))


def find_names(sentence: Analysis, known: frozenset[str]) -> list[Name]:
    """List the names of a sentence; `known` are words seen capitalised elsewhere."""
    if sentence.text.islower():
        return []
    names: list[Name] = []
    words = sentence.words
    titled = _is_title_case(sentence)
    quantity_spans = [(item.start, item.end) for item in sentence.quantities]
    place = 0
    while place < len(words):
        if not _starts_name(sentence, place, known, titled, quantity_spans):
            place += 1
            continue
        last = place
        step = place + 1
        while step < len(words) and step - place < 8:
            gap = sentence.text[words[last].end : words[step].start]
            if step == last + 1 and not _JOIN.fullmatch(gap):
                break
            if words[step].text[:1].isupper() and not _in_spans(words[step].start, quantity_spans):
                if step == last + 1 or _JOIN.fullmatch(sentence.text[words[step - 1].end : words[step].start]):
                    last, step = step, step + 1
                    continue
                break
            if words[step].lower in load_words("name_particles") and step == last + 1:
                step += 1
                continue
            break
        name = _make(sentence, place, last)
        if name is not None:
            names.append(name)
        place = last + 1
    return names


def same_name(first: Name, second: Name, aliases: dict[str, frozenset[str]] | None = None) -> bool:
    """Tell whether two names may stand for the same thing."""
    if first.key == second.key:
        return True
    small, large = sorted((first.key, second.key), key=len)
    if set(small) <= set(large):
        return True
    if _acronym(small, large) or _initials(first.key, second.key):
        return True
    if len(small) == 1 and len(large) == 1 and _place_root(small[0]) == _place_root(large[0]):
        return True
    if aliases:
        one, two = " ".join(first.key), " ".join(second.key)
        return two in aliases.get(one, frozenset()) or one in aliases.get(two, frozenset())
    return False


def kind_of(name: Name) -> str:
    """Tell whether a name is a known place or looks like a person, empty when neither is known."""
    if " ".join(name.key) in _places() or (len(name.key) == 1 and name.key[0] in gazetteer()):
        return "place"
    return "person" if len(name.key) > 1 and name.key[0] in load_words("given_names") else ""


def is_within(small: Name, large: Name) -> bool:
    """Tell whether a place lies in a country ("Melbourne" in "Australia")."""
    return " ".join(large.key) in _countries().get(" ".join(small.key), frozenset())


@cache
def _countries() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for row in load_rows("gazetteer"):
        if len(row) > 2 and row[1] != "country":
            found.setdefault(fold(row[0]), set()).add(fold(row[2]))
    return {name: frozenset(countries) for name, countries in found.items()}


@cache
def _places() -> frozenset[str]:
    return frozenset(fold(name) for row in load_rows("gazetteer") for name in [row[0], *row[3:4]] if name)


def _make(sentence: Analysis, place: int, last: int) -> Name | None:
    words = sentence.words[place : last + 1]
    start, end = words[0].start, words[-1].end
    key = tuple(_bare(word.lower) for word in words)
    titles, forms, particles = load_words("titles"), load_words("company_forms"), load_words("name_particles")
    core = tuple(part for part in key if part not in titles and part not in particles)
    core = tuple(part for part in core if part not in forms) or core
    if not core:
        return None
    if len(core) == 1 and is_function_word(core[0]) and not words[0].text.isupper():
        return None
    return Name(start, end, sentence.text[start:end], core)


def _bare(lower: str) -> str:
    return lower[:-2] if lower.endswith("'s") else lower


def _starts_name(
    sentence: Analysis, place: int, known: frozenset[str], titled: bool, spans: list[tuple[int, int]]
) -> bool:
    word = sentence.words[place]
    if not word.text[:1].isupper() or _in_spans(word.start, spans):
        return False
    bare = _bare(word.lower)
    if is_function_word(bare) or bare in load_map("weekdays") or (bare in load_map("months") and bare != "may"):
        return word.text.isupper() and len(word.text) > 1 and word.text not in ("I", "A", "NO", "NOT", "IT", "THE")
    if len(word.text) > 1 and word.text.isupper() and not sentence.text.isupper():
        return True
    initial = place == 0 or _OPENING.search(sentence.text[: word.start][-3:]) is not None
    if not initial and not titled:
        return True
    if bare in known or bare in gazetteer() or bare in load_words("given_names"):
        return True
    following = sentence.words[place + 1] if place + 1 < len(sentence.words) else None
    if following is None or titled or not following.text[:1].isupper() or is_function_word(following.lower):
        return bare in load_words("titles") and following is not None and following.text[:1].isupper()
    if _in_spans(following.start, spans):
        return False
    return bool(_JOIN.fullmatch(sentence.text[word.end : following.start]))


def _in_spans(offset: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= offset < end for start, end in spans)


def _is_title_case(sentence: Analysis) -> bool:
    content = [sentence.words[place] for place in sentence.content]
    if len(content) < 4:
        return False
    return sum(word.text[:1].isupper() for word in content) > 0.75 * len(content) and not sentence.text.endswith(".")


@cache
def gazetteer() -> frozenset[str]:
    """Collect the single-word place names and demonyms we know."""
    names: set[str] = set()
    for row in load_rows("gazetteer"):
        for name in [row[0], *(row[3].split(",") if len(row) > 3 else [])]:
            folded = fold(name.strip())
            if folded and " " not in folded:
                names.add(folded)
    names |= {fold(row[0]) for row in load_rows("demonyms")}
    return frozenset(names)


@cache
def _demonyms() -> dict[str, str]:
    return {fold(row[0]): fold(row[1]) for row in load_rows("demonyms")}


def _place_root(word: str) -> str:
    return _demonyms().get(word, word)


def _acronym(small: tuple[str, ...], large: tuple[str, ...]) -> bool:
    if len(small) != 1 or len(large) < 2:
        return False
    return small[0].replace(".", "") == "".join(part[0] for part in large)


def _initials(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    if len(first) < 2 or len(second) < 2 or first[-1] != second[-1]:
        return False
    for one, two in zip(first[:-1], second[:-1], strict=False):
        if one != two and not (1 in (len(one), len(two)) and one[0] == two[0]):
            return False
    return True


# 'Orban Logistics (the "Client")', 'Orban Logistics ("Client")'; bounded, so that it cannot run away.
_DEFINITION = re.compile(
    r"((?:[A-Z][\w&'’-]{0,40}\.?[ \u00a0]){0,5}[A-Z][\w&'’-]{0,40}\.?)\s?"
    r"\((?:the |hereinafter |hereafter |referred to as |together ){0,4}[\"“'‘](?:the )?"
    r"([A-Z]\w{1,40}(?: [A-Z]\w{1,40})?)[\"”'’]\)"
)


def find_definitions(text: str) -> list[tuple[str, str]]:
    """List the short names that a text defines for long ones, both folded: ("orban logistics", "client")."""
    if "(" not in text:
        return []
    forms = load_words("company_forms") | load_words("titles")
    found: list[tuple[str, str]] = []
    for match in _DEFINITION.finditer(text):
        words = [fold(word).rstrip(".") for word in match.group(1).split()]
        core = [word for word in words if word not in forms] or words
        found.append((" ".join(core), fold(match.group(2))))
    return found
