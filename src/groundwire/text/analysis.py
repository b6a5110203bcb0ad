"""One sentence taken apart: words, clauses, quantities, verbs."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import groupby
from typing import NamedTuple

from groundwire.text.lexicon import load_map, load_rows, load_words
from groundwire.text.quantities import find_quantities
from groundwire.text.quantity import Quantity
from groundwire.text.tokens import Word, find_words, verb_shares

_HARD_BREAK = re.compile(r"[;:!?()\[\]{}|—]|\s[-–]\s")


class _Clause(NamedTuple):
    """What a clause speaks of."""

    stems: frozenset[str]
    inherited: frozenset[str]  # the subject of a clause before


@dataclass(frozen=True, eq=False)
class Analysis:
    """What the other parts need to know of one sentence; it equals itself alone, for that is told at once."""

    text: str
    words: tuple[Word, ...]
    quantities: tuple[Quantity, ...]
    content: tuple[int, ...]  # places of the content words outside quantities
    stems: frozenset[str]

    @cached_property
    def lowers(self) -> frozenset[str]:
        """Collect the lower-cased words, for cheap tests before costly ones."""
        return frozenset(word.lower for word in self.words)

    @cached_property
    def verbs(self) -> frozenset[int]:
        """Collect the places of finite-looking verbs, auxiliaries included."""
        return _find_verbs(self.words)

    @cached_property
    def clauses(self) -> tuple[int, ...]:
        """Number the clause of each word."""
        return tuple(_clauses(self.text, self.words, self.verbs))

    def clause_stems(self, clause: int) -> frozenset[str]:
        """Collect the content stems of a clause."""
        return self._parts[clause].stems

    def inherited_subject(self, clause: int) -> frozenset[str]:
        """Collect the subject that a clause without one of its own takes from the clause before."""
        return self._parts[clause].inherited

    @cached_property
    def _parts(self) -> list[_Clause]:
        # All at once: a row of a thousand cells is a sentence of a thousand clauses.
        content = frozenset(self.content)
        parts: list[_Clause] = []
        inherited = subject = frozenset[str]()
        for _, group in groupby(range(len(self.words)), key=self.clauses.__getitem__):
            places = list(group)
            verb = next((place for place in places if place in self.verbs), len(self.words))
            before = subject or inherited
            subject = frozenset(self.words[place].stem for place in places if place < verb and place in content)
            inherited = before if verb < len(self.words) and not subject else frozenset()
            stems = frozenset(self.words[place].stem for place in places if place in content)
            parts.append(_Clause(stems, inherited))
        return parts


@lru_cache(maxsize=2_048)
def analyse(text: str) -> Analysis:
    """Take one sentence apart; equal sentences are done once."""
    words = tuple(find_words(text))
    quantities = tuple(find_quantities(text, words))
    measured = _within(words, quantities)
    content = tuple(place for place, word in enumerate(words) if word.content and place not in measured)
    stems = frozenset(words[place].stem for place in content)
    return Analysis(text, words, quantities, content, stems)


@cache
def _irregular_pasts() -> frozenset[str]:
    return frozenset(
        form for _, forms, _ in load_rows("verbs") for form in forms.split(",") if form and not form.endswith("ing")
    )


def _within(words: Sequence[Word], quantities: Sequence[Quantity]) -> set[int]:
    """Collect the places of the words that belong to quantities ("days" in "30 days")."""
    starts = [word.start for word in words] if quantities else []
    found: set[int] = set()
    for quantity in quantities:
        found.update(range(bisect_left(starts, quantity.start), bisect_left(starts, quantity.end)))
    return found


def auxiliary(word: Word) -> str:
    """Name the role of an auxiliary verb, empty for other words."""
    return load_map("auxiliaries").get(word.lower, "")


def _find_verbs(words: Sequence[Word]) -> frozenset[int]:
    """Collect the words that look like a finite verb or participle in their place."""
    auxiliaries, shares = load_map("auxiliaries"), verb_shares()
    found: set[int] = set()
    for place, word in enumerate(words):
        if word.lower in auxiliaries:
            found.add(place)
        elif word.content:
            share = shares.get(word.stem)
            if share is not None and _stands_as_verb(words, place, share):
                found.add(place)
    return frozenset(found)


def _stands_as_verb(words: Sequence[Word], place: int, share: int) -> bool:
    lower = words[place].lower
    previous = words[place - 1].lower if place else ""
    if previous in load_words("noun_leads"):
        return False
    if previous in load_map("auxiliaries") or previous == "not" or previous.endswith("n't"):
        return True
    if previous == "to":
        return share >= 20
    if lower.endswith("ed") or lower in _irregular_pasts():
        return share >= 15
    if lower.endswith("ing"):
        return False
    if place == 0:
        return share >= 60 and not lower.endswith("s")
    if lower.endswith("s") and not lower.endswith("ss"):
        return share >= 12 and (words[place - 1].content or previous in load_words("verb_leads"))
    return share >= 55


def _clauses(text: str, words: Sequence[Word], verbs: frozenset[int]) -> list[int]:
    numbers: list[int] = []
    clause = 0
    opened_by_condition = False
    seen_verb = False
    for place, word in enumerate(words):
        if place:
            gap = text[words[place - 1].end : word.start]
            plain = gap == " "
            comma = not plain and "," in gap
            starts = (
                (not plain and _HARD_BREAK.search(gap) is not None)
                or (
                    not plain
                    and "." in gap
                    and len(words[place - 1].text) > 3
                    and not words[place - 1].text[:1].isupper()
                )
                or word.lower in load_words("clause_words")
                or (
                    comma
                    and (opened_by_condition or word.lower in ("and", "or", "then", "with", "including", "except"))
                )
                or (comma and seen_verb and _new_predicate(text, words, verbs, place))
                or (word.lower in ("and", "or") and seen_verb and _new_predicate(text, words, verbs, place + 1))
            )
            if starts:
                clause += 1
                seen_verb = False
                opened_by_condition = False
        if word.lower in load_words("clause_words") or (place == 0 and word.lower in load_words("conditions")):
            opened_by_condition = True
        if place in verbs:
            seen_verb = True
        numbers.append(clause)
    return numbers


def _new_predicate(text: str, words: Sequence[Word], verbs: frozenset[int], place: int) -> bool:
    # A verb within the next few words, before any further break, opens a clause of its own.
    for step in range(place, min(place + 6, len(words))):
        if step > place and re.search(r"[,;:]", text[words[step - 1].end : words[step].start]):
            return False
        if step in verbs:
            return not (
                step == place
                and words[step].lower.endswith("ed")
                and place + 1 < len(words)
                and words[step - 1].content
            )
    return False
