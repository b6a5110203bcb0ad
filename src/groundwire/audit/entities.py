"""Names in an answer, and how their places in the context decide."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from groundwire.audit.context import ContextIndex
from groundwire.audit.outcomes import AuditMode
from groundwire.audit.spans import Unit
from groundwire.text.lexical import (
    SALIENT_TOKEN_CHARS,
    capitalised_words,
    framing_end,
    is_framing,
    is_single_sentence,
    line_ranges,
    numeric_signature,
)
from groundwire.text.lexicon import load_words
from groundwire.text.normal_form import normal_form

ENTITY_POLICIES: Final = ("strict", "hybrid", "drop", "proximity")
DEFAULT_ENTITY_POLICY: Final = "proximity"
DEFAULT_PROXIMITY_N: Final = 3
DEFAULT_PROXIMITY_WINDOW: Final = 300

_NAME_WORD = re.compile(r"[^\W\d_](?:[\w\u0300-\u036f]|['’\-](?=[^\W_]))*+")
_SPACES = re.compile(r"\.?[ \t]+")


def extract_proper_nouns(text: str) -> list[str]:
    """List the names of two words and more, each once."""
    return [unit.text for unit in name_units(text)]


def name_units(text: str) -> list[Unit]:
    """Find the names with the place of their first mention."""
    found: dict[str, Unit] = {}
    for start, end in line_ranges(text):
        while is_framing(text[start:end]):
            lead = framing_end(text[start:end])
            start = start + lead if lead else end
        for unit in _names(text, start, end):
            found.setdefault(normal_form(unit.text), unit)
    return list(found.values())


def without_particles(unit: Unit) -> list[Unit]:
    """List the names that remain when particles end a name."""
    parts = _names(unit.text, 0, len(unit.text), frozenset())
    return [Unit(part.text, unit.start + part.start, unit.start + part.end) for part in parts]


def name_places(name: str, context: ContextIndex) -> list[int]:
    """List where a name, or the name without its possessive ending, occurs in the context."""
    needle = normal_form(name)
    return context.places(needle) or (context.places(needle[:-2]) if needle.endswith("'s") else [])


def entity_mode(
    answer: str,
    context: ContextIndex,
    places: Sequence[list[int]],
    *,
    policy: str,
    proximity_n: int,
    proximity_window: int,
) -> AuditMode:
    """Name the mode when at least one name is present; `places` has an entry per name."""
    present = sum(map(bool, places))
    all_present = present == len(places)
    if policy == "strict":
        return AuditMode.STRICT if all_present else AuditMode.HYBRID
    if policy == "hybrid":
        return AuditMode.HYBRID
    if has_cluster(places, proximity_n, proximity_window):
        return AuditMode.STRICT if all_present else AuditMode.HYBRID
    if present <= 1 and is_single_sentence(answer) and disagrees_saliently(answer, context):
        return AuditMode.UNGROUNDED
    return AuditMode.HYBRID


def has_cluster(places: Sequence[list[int]], n: int, window: int) -> bool:
    """Tell whether n distinct names occur within a window of the context."""
    occurrences = sorted((place, name) for name, listed in enumerate(places) for place in listed)
    inside: Counter[int] = Counter()
    first = 0
    for place, name in occurrences:
        inside[name] += 1
        while place - occurrences[first][0] > window:
            gone = occurrences[first][1]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            first += 1
        if len(inside) >= n:
            return True
    return False


def disagrees_saliently(answer: str, context: ContextIndex) -> bool:
    """Tell whether an answer states a number or a capitalised word that the context lacks."""
    if not numeric_signature(answer) <= context.numbers:
        return True
    stop = load_words("audit_stopwords")
    for word in capitalised_words(answer):
        token = normal_form(word)
        if len(word) > SALIENT_TOKEN_CHARS and token not in stop and not context.has(token):
            return True
    return False


def _names(text: str, start: int, end: int, particles: frozenset[str] | None = None) -> list[Unit]:
    """Join capitalised words that only spaces, particles or initials separate."""
    particles = load_words("audit_name_particles") if particles is None else particles
    units: list[Unit] = []
    first, last, capitals = -1, -1, 0
    previous: re.Match[str] | None = None
    for match in _NAME_WORD.finditer(text, start, end):
        word = match.group()
        if previous is None or not _joined(text, previous, match):
            _close(units, text, first, last, capitals)
            first, capitals = -1, 0
        if len(word) > 1 and word[0].isupper():
            first = match.start() if first < 0 else first
            last, capitals = match.end(), capitals + 1
        elif first < 0 or not (word in particles or _is_initial(text, match)):
            _close(units, text, first, last, capitals)
            first, capitals = -1, 0
        previous = match
    _close(units, text, first, last, capitals)
    return units


def _joined(text: str, left: re.Match[str], right: re.Match[str]) -> bool:
    """Tell whether only spaces lie between two words; a full stop must belong to an initial."""
    gap = _SPACES.fullmatch(text, left.end(), right.start())
    return gap is not None and (not gap.group().startswith(".") or _is_initial(text, left))


def _is_initial(text: str, word: re.Match[str]) -> bool:
    return len(word.group()) == 1 and word.group().isupper() and text[word.end() : word.end() + 1] == "."


def _close(units: list[Unit], text: str, first: int, last: int, capitals: int) -> None:
    if first >= 0 and capitals >= 2:
        units.append(Unit(text[first:last], first, last))
