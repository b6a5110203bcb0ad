"""Who does what to whom, comparisons, order, quantifiers, modality, conditions."""

import re
from functools import cache
from typing import NamedTuple

from groundwire.text.analysis import Analysis, auxiliary
from groundwire.text.lexicon import load_map, load_rows, load_words
from groundwire.text.tokens import stem


class Relation(NamedTuple):
    """A verb with what stands on its agent's and its patient's side."""

    verb: int
    stem: str
    phrase: str  # the stem with the preposition that follows: "lose to"
    agent: frozenset[str]
    patient: frozenset[str]


class Pair(NamedTuple):
    """Two operands held apart by a comparing or ordering word."""

    start: int
    end: int
    word: str  # stem of the comparing word, or "order"
    sign: int
    left: frozenset[str]
    right: frozenset[str]


class Marked(NamedTuple):
    """A quantifier or modal with the word it governs."""

    start: int
    end: int
    value: str
    head: str
    place: int


def find_relations(sentence: Analysis) -> list[Relation]:
    """List the lexical verbs with their two sides; passives are turned round."""
    relations: list[Relation] = []
    words = sentence.words
    for place in sorted(sentence.verbs):
        if auxiliary(words[place]) or place not in sentence.content:
            continue
        clause = sentence.clauses[place]
        left = [p for p in sentence.content if p < place and sentence.clauses[p] == clause]
        right = [p for p in sentence.content if p > place and sentence.clauses[p] == clause]
        if _is_passive(sentence, place):
            by = _find(sentence, "by", place, clause)
            if by < 0:
                continue
            agent = [p for p in right if p > by]
            patient = left
            if not patient:
                continue
        else:
            agent, patient = left, right
        relations.append(
            Relation(
                place,
                words[place].stem,
                _phrase(sentence, place),
                frozenset(words[p].stem for p in agent),
                frozenset(words[p].stem for p in patient),
            )
        )
    return relations


def _phrase(sentence: Analysis, place: int) -> str:
    following = sentence.words[place + 1].lower if place + 1 < len(sentence.words) else ""
    return f"{sentence.words[place].stem} {following}"


@cache
def _converses() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for first, second, *_ in load_rows("converses"):
        one, two = _relation_key(first), _relation_key(second)
        found.setdefault(one, set()).add(two)
        found.setdefault(two, set()).add(one)
    return {key: frozenset(others) for key, others in found.items()}


def _relation_key(phrase: str) -> str:
    verb, *rest = phrase.split("_")
    return " ".join((stem(verb), *rest))


def are_converse(first: Relation, second: Relation) -> bool:
    """Tell whether two verbs say the same with their sides exchanged ("beat" and "lose to")."""
    keys = {second.stem, second.phrase}
    return any(not _converses().get(key, frozenset()).isdisjoint(keys) for key in (first.stem, first.phrase))


def _is_passive(sentence: Analysis, place: int) -> bool:
    for back in range(place - 1, max(-1, place - 4), -1):
        role = auxiliary(sentence.words[back])
        if role == "be":
            return True
        if role or sentence.words[back].lower in ("by", "to"):
            return False
    # "a portrait painted by X" leaves the auxiliary out.
    following = [word.lower for word in sentence.words[place + 1 : place + 5]]
    return "by" in following[:1] or ("by" in following and following[0] in ("in", "on", "at"))


def _find(sentence: Analysis, lower: str, after: int, clause: int) -> int:
    for place in range(after + 1, len(sentence.words)):
        if sentence.words[place].lower == lower and sentence.clauses[place] == clause:
            return place
    return -1


@cache
def _comparative_bases() -> dict[str, str]:
    bases: dict[str, str] = {}
    for row in load_rows("comparatives"):
        bases.setdefault(row[0], row[1])
    for row in load_rows("gradable"):
        for form in row[1:]:
            bases.setdefault(form, row[0])
    return bases


def comparative_base(lower: str) -> str | None:
    """Return the base form of a comparative or superlative, None for other words."""
    return _comparative_bases().get(lower)


def find_comparisons(sentence: Analysis) -> list[Pair]:
    """List the comparisons with "than" and their operands."""
    pairs: list[Pair] = []
    words = sentence.words
    for place, word in enumerate(words):
        if word.lower != "than":
            continue
        comparing = _comparing_word(sentence, place)
        if comparing < 0:
            continue
        inside = {item for item in sentence.content if comparing <= item < place}
        left = frozenset(words[p].stem for p in sentence.content if p < comparing)
        right = frozenset(words[p].stem for p in sentence.content if p > place)
        middle = frozenset(words[p].stem for p in inside if p != comparing)
        sign = -1 if words[comparing].lower in ("less", "fewer") else 1
        base = comparative_base(words[comparing].lower)
        if words[comparing].lower in ("more", "less", "fewer"):
            name = words[comparing + 1].stem if comparing + 1 < place and middle else "amount"
        else:
            name = stem(base) if base else words[comparing].stem
        if left and right:
            pairs.append(Pair(words[comparing].start, word.end, name, sign, left - right, right - left))
    return pairs


def _comparing_word(sentence: Analysis, than: int) -> int:
    for place in range(than - 1, max(-1, than - 6), -1):
        lower = sentence.words[place].lower
        if (
            lower in ("more", "less", "fewer")
            or comparative_base(lower)
            or (lower.endswith("er") and len(lower) > 4 and place == than - 1)
        ):
            return place
    return -1


@cache
def _first_words(name: str) -> frozenset[str]:
    return frozenset(row[0].split()[0] for row in load_rows(name))


@cache
def _order_pattern() -> tuple[re.Pattern[str], dict[str, int]]:
    signs = {row[0]: int(row[1]) for row in load_rows("order_words")}
    names = "|".join(name.replace(" ", r"\s+") for name in sorted(signs, key=len, reverse=True))
    return re.compile(rf"\b({names})\b", re.IGNORECASE), signs


def find_orders(sentence: Analysis) -> list[Pair]:
    """List the places where two events are put in order."""
    pattern, signs = _order_pattern()
    pairs: list[Pair] = []
    if _first_words("order_words").isdisjoint(sentence.lowers):
        return pairs
    for match in pattern.finditer(sentence.text):
        phrase = re.sub(r"\s+", " ", match.group(1).lower())
        comma = sentence.text.find(",", match.end())
        opening = not sentence.text[: match.start()].strip()
        left_span, right_span = (0, match.start()), (match.end(), len(sentence.text))
        if opening:
            if comma < 0:
                continue
            left_span, right_span = (comma, len(sentence.text)), (match.end(), comma)
        left, right = _stems_in(sentence, *left_span), _stems_in(sentence, *right_span)
        if left and right:
            pairs.append(Pair(match.start(), match.end(), "order", signs[phrase], left - right, right - left))
    return pairs


def _stems_in(sentence: Analysis, start: int, end: int) -> frozenset[str]:
    return frozenset(sentence.words[p].stem for p in sentence.content if start <= sentence.words[p].start < end)


def find_quantifiers(sentence: Analysis) -> list[Marked]:
    """List the quantifiers with the class they belong to and their head word."""
    classes = load_map("quantifiers")
    found: list[Marked] = []
    for place, word in enumerate(sentence.words):
        following = sentence.words[place + 1].lower if place + 1 < len(sentence.words) else ""
        value = "some" if word.lower == "one" and following == "of" else classes.get(word.lower)
        if value is None:
            continue
        previous = sentence.words[place - 1].lower if place else ""
        if word.lower in ("few", "some", "any", "most", "all") and previous == "at":
            continue  # "at most", "at all"
        if word.lower == "few" and previous == "a":
            value = "some"
        if value in ("all", "any") and (previous == "not" or previous.endswith("n't")):
            value = "some" if word.lower not in ("any", "anyone", "anybody") else "none"
        head = _head_after(sentence, place)
        found.append(Marked(word.start, word.end, value, head, place))
    return found


@cache
def _modal_pattern() -> tuple[re.Pattern[str], dict[str, str]]:
    classes = load_map("modals")
    names = "|".join(name.replace(" ", r"\s+") for name in sorted(classes, key=len, reverse=True))
    return re.compile(rf"(?<![\w'’-])({names})(?![\w'’-])", re.IGNORECASE), classes


def find_modals(sentence: Analysis) -> list[Marked]:
    """List the modal words with their class and the word they govern."""
    found: list[Marked] = []
    if _first_words("modals").isdisjoint(sentence.lowers):
        return found
    pattern, classes = _modal_pattern()
    for match in pattern.finditer(sentence.text):
        if match.group() in ("May", "Will") and match.start():
            continue  # a month, a person
        place = next((p for p, word in enumerate(sentence.words) if word.start >= match.start()), -1)
        if place < 0:
            continue
        last = next((p for p in range(len(sentence.words) - 1, -1, -1) if sentence.words[p].end <= match.end()), place)
        found.append(
            Marked(match.start(), match.end(), classes[re.sub(r"\s+", " ", match.group(1).lower())],
                   _head_after(sentence, last), place)
        )  # fmt: skip
    return found


def _head_after(sentence: Analysis, place: int) -> str:
    clause = sentence.clauses[place]
    for step in sentence.content:
        if step > place and sentence.clauses[step] == clause and step - place <= 6:
            return sentence.words[step].stem
    return ""


@cache
def _condition_pattern() -> re.Pattern[str]:
    names = "|".join(name.replace(" ", r"\s+") for name in sorted(load_words("conditions"), key=len, reverse=True))
    return re.compile(rf"(?<![\w'’-])({names})(?![\w'’-])", re.IGNORECASE)


@cache
def _condition_words() -> frozenset[str]:
    return frozenset(phrase.split()[0] for phrase in load_words("conditions"))


class Condition(NamedTuple):
    """A condition with its opening word and the content it depends on."""

    start: int
    end: int
    opener: str
    stems: frozenset[str]


def find_conditions(sentence: Analysis) -> list[Condition]:
    """List the conditions of a sentence."""
    found: list[Condition] = []
    if _condition_words().isdisjoint(sentence.lowers):
        return found
    text = sentence.text
    for match in _condition_pattern().finditer(text):
        opener = re.sub(r"\s+", " ", match.group(1).lower())
        comma = re.compile(r"[,;.](?=\s|$)").search(text, match.end())
        end = comma.start() if comma and (match.start() == 0 or comma.group() != ",") else len(text)
        if comma and match.start() > 0 and comma.group() == ",":
            end = comma.start()
        stems = _stems_in(sentence, match.end(), end)
        if stems and not (found and match.start() < found[-1].end):
            found.append(Condition(match.start(), end, opener, stems))
    return found


_STRENGTH = {"none": 0, "few": 1, "some": 2, "half": 3, "many": 4, "most": 5, "all": 6, "any": 6}
_MODAL_CLASH = {
    ("required", "possible"), ("required", "able"), ("required", "advised"), ("certain", "possible"),
    ("certain", "expected"), ("possible", "required"), ("able", "required"), ("advised", "required"),
    ("certain", "advised"), ("", "possible"), ("", "expected"), ("", "advised"), ("required", ""),
}  # fmt: skip


def quantifier_clash(mine: str, theirs: str) -> bool | None:
    """Tell a hard clash (True) from a soft one (False); None when there is none."""
    if mine == theirs:
        return None
    if "only" in (mine, theirs):
        return False if mine in ("all", "any", "only") or theirs == "only" else None
    strong, weak = _STRENGTH.get(mine), _STRENGTH.get(theirs)
    if strong is None or weak is None:
        return None
    if 0 in (strong, weak):
        return None  # polarity: the negation signal tells
    if {mine, theirs} == {"few", "most"} or {mine, theirs} == {"few", "many"} or {mine, theirs} == {"few", "all"}:
        return True
    return False if strong > weak else None


def modal_clash(mine: str, theirs: str) -> bool:
    """Tell whether one modality, or none, cannot stand for another."""
    return (mine, theirs) in _MODAL_CLASH
