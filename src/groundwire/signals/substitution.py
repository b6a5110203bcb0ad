"""One word standing in another's place in an otherwise equal stretch."""

from difflib import SequenceMatcher

from groundwire.evidence import Evidence, SourceIndex
from groundwire.signals.claim import ClaimView
from groundwire.signals.finding import Finding
from groundwire.text.analysis import Analysis
from groundwire.text.coverage import covered, share
from groundwire.text.meaning import opposed, opposites
from groundwire.text.sentences import split_cells
from groundwire.text.tokens import content_stems, verb_share
from groundwire.types import Reason

_FRAME = 0.6
_LONGEST = 60


def find_substitution(view: ClaimView, item: Evidence, index: SourceIndex) -> Finding | None:
    """Align claim and sentence and look for a replaced content word.

    The clash is hard when the source itself uses the claim's word elsewhere: then it is
    a known filler of another slot. A word the source never uses may be a synonym we do
    not know, so it only forbids support.
    """
    claim, source = view.analysis, item.analysis
    if len(claim.words) > _LONGEST or len(source.words) > _LONGEST:
        return None
    found = share(view.stems, item.stems)
    if found < _FRAME or found == 1.0 or len(view.stems) < 3:
        return None  # without a missing word nothing was replaced
    mine = [word.stem for word in claim.words]
    theirs = [word.stem for word in source.words]
    changes = [code for code in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes() if code[0] != "equal"]
    for tag, start, end, other_start, other_end in changes:
        if tag != "replace" or end - start > 2 or other_end - other_start > 2:
            continue
        one, two = _only_content(claim, start, end), _only_content(source, other_start, other_end)
        if one < 0 or two < 0 or not _framed(mine, theirs, start, end, other_start, other_end):
            continue
        key, other = mine[one], theirs[two]
        if covered(key, item.stems) or covered(other, frozenset(mine)) or opposed(key, other):
            continue
        if one in claim.verbs or two in source.verbs:
            continue
        first, second = claim.words[one], source.words[two]
        named = any(name.start <= first.start < name.end for name in view.names) and second.text[:1].isupper()
        reason = Reason.ENTITY_SUBSTITUTION if named else Reason.SUBSTITUTION
        hard = named or index.contains(key) or (len(changes) == 1 and _names_a_thing(key) and _names_a_thing(other))
        return Finding(reason, first.start, first.end, item, second.start, second.end, hard=hard)
    return None


def _names_a_thing(key: str) -> bool:
    """Tell whether a stem looks like a noun without shades: a product, a substance, an office."""
    return not opposites(key) and verb_share(key) < 30 and not key.endswith("ly")


def _only_content(sentence: Analysis, start: int, end: int) -> int:
    places = [place for place in range(start, end) if place in sentence.content]
    return places[0] if len(places) == 1 else -1


def _framed(mine: list[str], theirs: list[str], start: int, end: int, other_start: int, other_end: int) -> bool:
    left = start > 0 and other_start > 0 and mine[start - 1] == theirs[other_start - 1]
    right = end < len(mine) and other_end < len(theirs) and mine[end] == theirs[other_end]
    at_end = end == len(mine) and other_end == len(theirs)
    at_start = start == 0 and other_start == 0
    return (left or at_start) and (right or at_end)


def find_other_subject(view: ClaimView, item: Evidence) -> Finding | None:
    """Find a claim that takes its subject from one clause and its statement from another."""
    claim, source = view.analysis, item.analysis
    if len(set(claim.clauses)) != 1 or len(set(source.clauses)) < 2 or len(view.stems) < 2:
        return None
    verb = min(claim.verbs, default=-1)
    subject = frozenset(claim.words[p].stem for p in claim.content if p < verb)
    rest = frozenset(view.stems) - subject
    if not subject or not rest:
        return None
    clauses = {number: source.clause_stems(number) for number in sorted(set(source.clauses))}
    home = [number for number, stems in clauses.items() if all(covered(key, stems) for key in subject)]
    said = [number for number, stems in clauses.items() if all(covered(key, stems) for key in rest)]
    if not home or len(said) != 1 or said[0] in home:
        return None
    if any(covered(key, clauses[number]) for number in home for key in rest):
        return None  # "wine is served there": the subject's own clause takes the statement up again
    owner = next((p for p in source.content if source.clauses[p] == said[0]), -1)
    verbs = [p for p in source.verbs if source.clauses[p] == said[0]]
    if owner < 0 or not verbs or owner > min(verbs) or covered(source.words[owner].stem, claim.stems):
        return None  # the clause names no subject of its own
    mine = claim.words[claim.content[0]]
    theirs = source.words[owner]
    return Finding(Reason.SUBSTITUTION, mine.start, mine.end, item, theirs.start, theirs.end, hard=False)


def find_other_cell(view: ClaimView, item: Evidence, index: SourceIndex) -> Finding | None:
    """Find a claim that gives a table row the value of another row."""
    if not item.header:
        return None
    cells = split_cells(item.text)
    for word in (view.analysis.words[place] for place in view.analysis.content):
        if covered(word.stem, item.stems):
            continue
        for other in index.rows(item.header):
            if word.stem not in other.stems:
                continue
            for (cell, _, _), (_, start, end) in zip(split_cells(other.text), cells, strict=False):
                if word.stem in content_stems(cell):
                    return Finding(Reason.SUBSTITUTION, word.start, word.end, item, start, end)
    return None
