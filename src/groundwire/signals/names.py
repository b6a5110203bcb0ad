"""Signal 2: are the names of a claim the names of the evidence?"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from groundwire.evidence import Evidence, SourceIndex
from groundwire.signals.claim import ClaimView
from groundwire.signals.finding import Finding
from groundwire.signals.votes import HIGH, LOW
from groundwire.text.analysis import Analysis, analyse
from groundwire.text.coverage import covered, share
from groundwire.text.entities import Name, find_names, is_within, kind_of, same_name
from groundwire.text.tokens import stem
from groundwire.types import Policy, Reason


class Names(NamedTuple):
    """What the names say: overlap, vote, and clashes."""

    match: float
    vote: int  # +1 support, -1 contradict, 0 none
    findings: tuple[Finding, ...]


_SAME_FRAME = 0.75
Aliases = dict[str, frozenset[str]]


def alias_table(policy: Policy, index: SourceIndex) -> Aliases:
    """Put the policy's aliases and the sources' own definitions into one table for both directions."""
    if not policy.aliases:
        return index.definitions
    table: dict[str, set[str]] = {name: set(others) for name, others in index.definitions.items()}
    for name, others in policy.aliases.items():
        group = {name.lower(), *(other.lower() for other in others)}
        for member in group:
            table.setdefault(member, set()).update(group - {member})
    return {name: frozenset(group) for name, group in table.items()}


def compare_names(view: ClaimView, item: Evidence, index: SourceIndex, aliases: Aliases) -> Names:
    """Match the claim's names with those of one source sentence."""
    mine = view.names
    if not mine:
        return Names(1.0, 0, ())
    theirs = names_of(item.analysis.text, view.known)
    missing = [name for name in mine if not _stands_in(name, theirs, item, aliases)]
    extra = [name for name in theirs if not any(same_name(name, other, aliases) for other in mine)]
    overlap = (len(mine) - len(missing)) / (len(mine) + len(extra))
    if not missing:
        moved = _from_other_clause(view, item, mine, extra)
        return Names(overlap, 1, ()) if moved is None else Names(overlap, 0, (moved,))
    findings: list[Finding] = []
    absent = [name for name in missing if not _in_source(name, index, aliases)]
    swapped = _substitution(view, item, missing, extra, index) or _other_of_its_kind(view, item, absent, extra)
    if swapped is not None:
        findings.append(swapped)
    findings.extend(
        Finding(Reason.ENTITY_ABSENT, name.start, name.end, None, hard=False) for name in absent if swapped is None
    )
    if overlap < LOW and (absent or swapped is not None):
        return Names(overlap, -1, tuple(findings))
    return Names(overlap, 1 if overlap >= HIGH and not findings else 0, tuple(findings))


@lru_cache(maxsize=2_048)
def names_of(text: str, known: frozenset[str]) -> list[Name]:
    """List the names of a sentence; equal sentences are done once."""
    return find_names(analyse(text), known)


def _stands_in(name: Name, others: Sequence[Name], item: Evidence, aliases: Aliases) -> bool:
    if any(same_name(name, other, aliases) for other in others):
        return True
    return all(covered(stem(part), item.stems) for part in name.key)


def _in_source(name: Name, index: SourceIndex, aliases: Aliases) -> bool:
    keys = [name.key, *(tuple(other.split()) for other in aliases.get(" ".join(name.key), ()))]
    return any(all(index.contains(stem(part)) for part in key) for key in keys)


def _substitution(
    view: ClaimView, item: Evidence, missing: Sequence[Name], extra: Sequence[Name], index: SourceIndex
) -> Finding | None:
    if not extra or not missing:
        return None
    rest = _without_names(view, missing)
    frame = share(rest, item.stems) if rest else 0.0
    if frame < 0.5:
        return None
    for mine in missing:
        for theirs in extra:
            if not _may_replace(mine, theirs):
                continue
            # The cells of a table row have no neighbours to compare: the row is the frame.
            if item.header or _same_neighbour(view.analysis, mine, item.analysis, theirs):
                # A name the sources use elsewhere may be another word for the same thing, unless all else agrees.
                hard = frame >= _SAME_FRAME or not _in_source(mine, index, {})
                return Finding(
                    Reason.ENTITY_SUBSTITUTION, mine.start, mine.end, item, theirs.start, theirs.end, hard=hard
                )
    return None


def _may_replace(mine: Name, theirs: Name) -> bool:
    """Tell whether one name can stand in another's place: of one kind, and neither inside the other."""
    kinds = {kind_of(mine), kind_of(theirs)} - {""}
    return len(kinds) < 2 and not is_within(theirs, mine)


def _other_of_its_kind(
    view: ClaimView, item: Evidence, absent: Sequence[Name], extra: Sequence[Name]
) -> Finding | None:
    """Find a place or person the sources never name where the evidence has another place or person."""
    if len(absent) != 1 or share(_without_names(view, absent), item.stems) < 0.5:
        return None
    kind = kind_of(absent[0])
    rivals = [name for name in extra if kind and kind_of(name) == kind]
    if len(rivals) != 1:
        return None
    mine, theirs = absent[0], rivals[0]
    return Finding(Reason.ENTITY_SUBSTITUTION, mine.start, mine.end, item, theirs.start, theirs.end)


def _without_names(view: ClaimView, names: Sequence[Name]) -> list[str]:
    named = {stem(part) for name in names for part in name.key}
    return [key for key in view.stems if key not in named]


def _from_other_clause(view: ClaimView, item: Evidence, mine: Sequence[Name], extra: Sequence[Name]) -> Finding | None:
    """Find a name that the sentence holds in one clause and the claim puts into another."""
    claim, source = view.analysis, item.analysis
    if not extra or len(set(claim.clauses)) != 1 or len(set(source.clauses)) < 2:
        return None
    others = names_of(source.text, view.known)
    for name in mine:
        before = [p for p in claim.content if claim.words[p].end <= name.start]
        beside = claim.words[before[-1]].stem if before else ""
        if any(same_name(name, other) and _neighbour(source, other, -1) == beside for other in others):
            continue
        for theirs in extra:
            if not beside or beside != _neighbour(source, theirs, -1):
                continue
            clause = _clause_at(source, theirs.start)
            held = source.clause_stems(clause)
            if not any(stem(part) in held for part in name.key) and beside in held:
                return Finding(Reason.ENTITY_SUBSTITUTION, name.start, name.end, item, theirs.start, theirs.end)
    return None


def _clause_at(sentence: Analysis, offset: int) -> int:
    return next((number for word, number in zip(sentence.words, sentence.clauses, strict=True) if word.end > offset), 0)


def _same_neighbour(claim: Analysis, mine: Name, source: Analysis, theirs: Name) -> bool:
    for direction in (-1, 1):
        one = _neighbour(claim, mine, direction)
        two = _neighbour(source, theirs, direction)
        if one and two and (one == two or covered(one, frozenset((two,)))):
            return True
    return False


def _neighbour(sentence: Analysis, name: Name, direction: int) -> str:
    if direction < 0:
        before = [p for p in sentence.content if sentence.words[p].end <= name.start]
        return sentence.words[before[-1]].stem if before else ""
    after = [p for p in sentence.content if sentence.words[p].start >= name.end]
    return sentence.words[after[0]].stem if after else ""
