"""Take is-a, part-of and property statements out of a text, in the words of an ontology."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from groundwire.hooks.ontology.model import RDF_TYPE, SUBCLASS, Model
from groundwire.injection.folding import fold
from groundwire.text.sentences import split_sentences
from groundwire.text.tokens import stem

MAX_TEXT = 200_000
MINTED = "urn:groundwire:text:"
_MAX_WORDS = 8
_LONGEST_CLAUSE = 400  # a statement is short
_ARTICLE = re.compile(r"^(?:a|an|the|every|each|all|any)\s+")
_COPULA = re.compile(r"\s(is|are|was|were)\s")
_NEGATED = re.compile(r"\b(?:not|never|no|isn't|aren't|wasn't|weren't|neither|hardly)\b")
# What is asked, supposed or put into someone's mouth is not stated.
_NOT_STATED = re.compile(
    r"^(?:if|suppose|imagine|assume)\b|\b(?:believes?|thinks?|claims?|says?|said|wrongly|falsely|myth|would|could)\b"
)
_STOP = re.compile(r"\s(?:of|from|in|that|which|who|with|for|at|on|by|because|but|while)\s")
_ALSO = re.compile(r"\s*,?\s+and\s+(?=an?\s)")
_MARKUP = re.compile(r"\*\*|__|`|^#+\s")
_KIND_OF = re.compile(r"^(?:an?\s+)?(?:kind|type|sort|form|species)\s+of\s+")
_ASIDE = re.compile(r",\s[^,]{1,200},\s(?=(?:is|are|was|were|has|works)\s)")
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,10})?")


@dataclass(frozen=True, slots=True)
class Statement:
    """A triple; `value` is a term unless `literal`, and `phrase` is a class that the ontology lacks."""

    subject: str
    predicate: str
    value: Any
    literal: bool = False
    phrase: str = ""


def read_text(text: str, model: Model) -> list[Statement]:
    """List the statements of a text that the ontology has words for."""
    found = [item for clause in _clauses(text) for item in _clause(clause, model)]
    typed = {item.subject for item in found if item.predicate == RDF_TYPE and not item.phrase}
    # A class that the ontology lacks is a mistake only when it is said of something the ontology knows.
    return [item for item in found if not item.phrase or item.subject in typed or not item.subject.startswith(MINTED)]


def _clauses(text: str) -> Iterator[str]:
    for unit in split_sentences(text[:MAX_TEXT]):
        sentence = _MARKUP.sub("", fold(unit.text).text).strip()
        if sentence.endswith("?") or _NOT_STATED.search(sentence):
            continue
        for part in re.split(r"[;:]\s|,\s(?=(?:and|but|so)\s)", sentence):
            clause = " ".join(re.sub(r"^(?:and|but|so)\s+", "", part.strip(" \t-*•.!,")).split())
            if 0 < len(clause) <= _LONGEST_CLAUSE:
                yield _ASIDE.sub(" ", clause)


def _clause(clause: str, model: Model) -> Iterator[Statement]:
    if _NEGATED.search(clause):
        return
    found = list(_property(clause, model))
    yield from found
    if found:
        return
    match = _COPULA.search(f" {clause} ", 1)
    if match is None:
        return
    subject, rest = f" {clause} "[: match.start()].strip(), f" {clause} "[match.end() :].strip()
    if not subject or not rest or len(subject.split()) > _MAX_WORDS:
        return
    plural = match[1] in ("are", "were")
    if not plural and not re.match(r"an?\s", rest):
        return
    for part in _ALSO.split(rest):
        kind = _KIND_OF.sub("a ", part)
        yield from _is_a(subject, _STOP.split(f"{kind} ")[0].strip(" ,"), plural, model)


def _is_a(subject: str, phrase: str, plural: bool, model: Model) -> Iterator[Statement]:
    words = _ARTICLE.sub("", phrase, count=1).split()
    if not words or len(words) > _MAX_WORDS:
        return
    kind = _class_at_end(words, model)
    bare = _ARTICLE.sub("", subject, count=1)
    own = model.class_labels.get(tuple(stem(word) for word in bare.split()))
    about_class = own is not None and (plural or bare != subject) and bare not in model.individual_labels
    if plural and not about_class:
        return
    node = own if about_class and own else _individual(bare, model)
    predicate = SUBCLASS if about_class else RDF_TYPE
    if kind is not None:
        yield Statement(node, predicate, kind)
    elif not about_class and len(words) == 1:
        # "an English mathematician" may be more than the ontology tells apart; "a unicorn" is one class, or none.
        yield Statement(node, predicate, "", phrase=words[0])


def _class_at_end(words: list[str], model: Model) -> str | None:
    """Return the class that the longest ending of a phrase names: adjectives may stand before it."""
    stems = [stem(word) for word in words]
    for start in range(len(stems)):
        found = model.class_labels.get(tuple(stems[start:]))
        if found is not None:
            return found
    return None


def _property(clause: str, model: Model) -> Iterator[Statement]:
    for label, term in model.property_labels.items():
        if label not in clause:
            continue
        name = re.escape(label)
        for pattern in (
            rf"(.+?)(?:'s|s')\s+{name}\s+(?:is|was)\s+(.+)",
            rf"the\s+{name}\s+of\s+(.+?)\s+(?:is|was)\s+(.+)",
            rf"(.+?)\s+has\s+(?:an?\s+|the\s+)?{name}\s+(?:of\s+)?(.+)",
            rf"(.+?)\s+{name}\s+(.+)",
        ):
            match = re.fullmatch(pattern, clause)
            if match and len(match[1].split()) <= _MAX_WORDS:
                yield _stated(match[1], term, match[2], model)
                break


def _stated(subject: str, term: str, value: str, model: Model) -> Statement:
    node = _individual(_ARTICLE.sub("", subject.strip(), count=1), model)
    if model.properties[term].is_object:
        return Statement(node, term, _individual(_ARTICLE.sub("", value.strip(), count=1), model))
    plain: Any = value.strip()
    if _NUMBER.fullmatch(plain):
        plain = float(plain) if "." in plain else int(plain)
    return Statement(node, term, plain, literal=True)


def _individual(name: str, model: Model) -> str:
    return model.individual_labels.get(name) or MINTED + re.sub(r"\W+", "-", name)
