"""Does the cited span name what a question about a relation asks for?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from groundwire.audit.entities import extract_proper_nouns
from groundwire.text.lexicon import load_map, load_words
from groundwire.text.normal_form import find_bounded, normal_form

_YEAR = re.compile(r"(?<![\w.,])(?:1\d{3}|20\d{2})(?!\w|[.,]\d)")
_ISO_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_FIRST_WORD = re.compile(r"\W*(\w+)")


@dataclass(frozen=True, slots=True)
class Relation:
    """A question for a name, a place or a time, read once for all claims."""

    normal: str
    dates: frozenset[str]


def warrant_check(claim_text: str, cited_spans: Sequence[str], question: str | None = None) -> tuple[bool, list[str]]:
    """Tell whether the names and dates that answer a relation question stand in a cited span."""
    relation = relation_of(question)
    missing = [] if relation is None else missing_anchors(claim_text, cited_spans, relation)
    return not missing, missing


def relation_of(question: str | None) -> Relation | None:
    """Read a question, or return None when it asks for no relation."""
    if question is None or not is_relation_question(question):
        return None
    normal = normal_form(question)
    return Relation(normal, frozenset(_dates(normal)))


def missing_anchors(claim_text: str, cited_spans: Sequence[str], relation: Relation) -> list[str]:
    """List the names, when no span has any, and the dates that answer a question without evidence."""
    spans = [normal_form(span) for span in cited_spans]
    names = [name for name in _name_anchors(claim_text) if find_bounded(relation.normal, normal_form(name)) < 0]
    named = any(find_bounded(span, normal_form(name)) >= 0 for name in names for span in spans)
    known = relation.dates.union(*map(_dates, spans))
    dates = [date for date in _dates(normal_form(claim_text)) if date not in known]
    return ([] if named else names) + dates


def is_relation_question(question: str) -> bool:
    """Tell whether a question asks for a name, a place or a time."""
    text = normal_form(question)
    first = _FIRST_WORD.match(text)
    if first is not None and first.group(1) in load_words("audit_wh_relation"):
        return True
    return _typed_question().search(text) is not None


@cache
def _typed_question() -> re.Pattern[str]:
    kinds = "|".join(sorted(load_words("audit_answer_types")))
    return re.compile(rf"\b(?:what|which) (?:{kinds})\b|\bwhat(?: is|'s| was|s) the name of\b")


def _name_anchors(claim: str) -> list[str]:
    """List the names of a claim without leading titles and articles."""
    idle = load_words("titles") | load_words("function_words") | load_words("audit_stopwords")
    anchors: list[str] = []
    for name in extract_proper_nouns(claim):
        words = name.split()
        while words and normal_form(words[0]).strip(".") in idle:
            words = words[1:]
        anchor = " ".join(words).removesuffix("'s").removesuffix("’s")
        if anchor:
            anchors.append(anchor)
    return anchors


def _dates(normal: str) -> list[str]:
    """List the years and the days of a year in a normal form, days as `month-day`."""
    found = dict.fromkeys(_YEAR.findall(normal))
    for _, month, day in _ISO_DATE.findall(normal):
        found[f"{int(month)}-{int(day)}"] = None
    months, pattern = _months()
    for match in pattern.finditer(normal):
        month = match.group("m1") or match.group("m2")
        day = match.group("d1") or match.group("d2")
        found[f"{months[month]}-{int(day)}"] = None
    return list(found)


@cache
def _months() -> tuple[dict[str, int], re.Pattern[str]]:
    months = {name: int(number) for name, number in load_map("months").items()}
    names = "|".join(sorted(map(re.escape, months), key=len, reverse=True))
    day = r"([0-3]?\d)(?:st|nd|rd|th)?"
    left = rf"(?<!\d){day.replace('(', '(?P<d1>', 1)} (?:of )?(?P<m1>{names})\b"
    right = rf"\b(?P<m2>{names}) {day.replace('(', '(?P<d2>', 1)}(?!\d)"
    return months, re.compile(rf"{left}|{right}")
