"""Choose the sentence a claim is judged by, and read it closely."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from groundwire.evidence import Evidence, SourceIndex
from groundwire.signals.charges import compare_charges
from groundwire.signals.claim import ClaimView
from groundwire.signals.counterparts import matches
from groundwire.signals.finding import Finding
from groundwire.signals.names import Aliases, Names, compare_names, names_of
from groundwire.signals.negation import compare_polarity
from groundwire.signals.reading import read
from groundwire.signals.relations import compare_relations
from groundwire.signals.substitution import find_other_cell, find_other_subject, find_substitution
from groundwire.text.coverage import covered, share
from groundwire.text.meaning import against
from groundwire.text.polarity import may_deny
from groundwire.text.tokens import stem
from groundwire.types import Policy, Reason

# How many sentences are taken apart at first, at most, and for conflicts that break ties.
_FIRST_LOOK = 2
_CLOSE_FIT = 4
_CLOSE_READ = 3
# Sentences whose wording fits almost equally well are told apart by their conflicts.
_TIE = 0.05
_LEAD_OF_ONE = 1.5
_CLEAR = 0.9
# What the subject of the sentence before, and the label of a table row, add to the fit.
_LEAD = 0.25
_LABEL = 0.3
# A sentence that shares less than this with a claim cannot clash with it.
FRAME = 0.34
_STOPS = ".!? "


@dataclass(frozen=True, slots=True)
class CloseReading:
    """One candidate sentence read closely against a claim."""

    evidence: Evidence
    names: Names
    findings: tuple[Finding, ...]
    flip: bool
    confirmed: bool = False  # read word for word, or the relation was recognised from its other side

    @property
    def conflicts(self) -> int:
        """Count the hard clashes."""
        return sum(finding.hard for finding in self.findings)


def choose(
    view: ClaimView, items: Sequence[Evidence], index: SourceIndex, policy: Policy, aliases: Aliases
) -> tuple[CloseReading, list[Evidence], int]:
    """Find the sentence a claim is judged by; return its reading, all sentences, and how many come near."""
    rough = {item.index: _rough_fit(view, item) for item in items}
    ranked = sorted(items, key=lambda item: (-rough[item.index], item.index))
    # Numbers are compared by value, which the index cannot: they may make up for this much.
    enough = rough[ranked[0].index] - 1.0 - 0.5 * len(view.analysis.quantities)
    close = [item for item in ranked[:_CLOSE_FIT] if rough[item.index] >= enough]
    if rough[ranked[0].index] < FRAME * (len(view.stems) + len(view.digits)):
        # No sentence shares enough with the claim to clash with it; one is shown, more need no reading.
        close = close[:1]
    rest = ranked[len(close) :]
    ahead = len(close) > 1 and rough[close[0].index] >= rough[close[1].index] + _LEAD_OF_ONE
    look = 1 if ahead else _FIRST_LOOK
    fits = {item.index: _fit(view, item, policy) for item in close[:look]}
    first = min(close[:look], key=lambda item: (-fits[item.index], item.index))
    best = read_closely(view, first, index, aliases)
    if best.conflicts or fits[first.index] < _CLEAR:
        # Not clear yet: look at the others that come near, and let conflicts break ties.
        fits |= {item.index: _fit(view, item, policy) for item in close[look:]}
        close.sort(key=lambda item: (-fits[item.index], item.index))
        best = best if close[0] is first else read_closely(view, close[0], index, aliases)
        if best.conflicts:
            rivals = [item for item in close[1:_CLOSE_READ] if fits[item.index] >= fits[close[0].index] - _TIE]
            reads = [best, *(read_closely(view, item, index, aliases) for item in rivals)]
            best = min(reads, key=lambda read: read.conflicts)
        if not best.conflicts:
            best = _mixed_up(view, best, close, index, aliases) or best
            best = _denied_part(view, best, items) or best
    ranked = [best.evidence, *(item for item in (*close, *rest) if item is not best.evidence)]
    return best, ranked, min(len(close), len(fits))


def read_closely(view: ClaimView, item: Evidence, index: SourceIndex, aliases: Aliases) -> CloseReading:
    """Compare names, relations, polarity, charges and wording of a claim with one sentence."""
    if view.claim.text.rstrip(_STOPS) == item.text.rstrip(_STOPS):
        # A sentence repeated word for word cannot clash with itself.
        return CloseReading(item, Names(1.0, 1 if view.names else 0, ()), (), False, True)
    names = compare_names(view, item, index, aliases)
    relations = compare_relations(view, item)
    polarity = compare_polarity(view, item, relations.settled)
    findings = names.findings + relations.findings + polarity.findings
    charge = compare_charges(view, item)
    if charge is not None:
        findings = (*findings, charge)
    if not any(finding.hard for finding in findings):
        replaced = (
            find_substitution(view, item, index) or find_other_subject(view, item) or find_other_cell(view, item, index)
        )
        if replaced is not None:
            # The word that stands in another's place needs no second mention as absent.
            findings = (*(f for f in findings if f.claim_start != replaced.claim_start), replaced)
    confirmed = not findings and (
        bool(relations.settled) or _stands_in(view, item) or (names.vote > 0 and _stands_in_renamed(view, item))
    )
    return CloseReading(item, names, findings, polarity.flip, confirmed)


def _stands_in(view: ClaimView, item: Evidence) -> bool:
    """Tell whether the claim's words stand in the sentence one after the other."""
    mine = [word.stem for word in view.analysis.words]
    theirs = [word.stem for word in item.analysis.words]
    width = len(mine)
    return any(theirs[start : start + width] == mine for start in range(len(theirs) - width + 1))


def _stands_in_renamed(view: ClaimView, item: Evidence) -> bool:
    """Tell whether the sentence is the claim word for word, but for another form of its one name."""
    theirs = names_of(item.text, view.known)
    if len(view.names) != 1 or len(theirs) != 1:
        return False
    both = [
        [word.stem for word in analysis.words if not name.start <= word.start < name.end]
        for analysis, name in ((view.analysis, view.names[0]), (item.analysis, theirs[0]))
    ]
    return both[0] == both[1]


def _fit(view: ClaimView, item: Evidence, policy: Policy) -> float:
    plain = [key for key in view.stems if key not in view.name_stems]
    hits = float(sum(_meets(key, item.stems) for key in plain))
    total = len(plain)
    for name in view.names:
        total += 1
        hits += share([stem(part) for part in name.key], item.stems)
    found = matches(view, item, policy)
    for number, quantity in enumerate(view.analysis.quantities):
        if not quantity.weak:
            total += 1
            hits += any(match.verdict.equal for match in found[number])
    lead = view.lead - set(view.stems)
    bonus = _LEAD * share(sorted(lead), item.stems) if lead else 0.0
    if item.label and item.label <= frozenset(view.stems):
        bonus += _LABEL  # the row that the claim names
    return (hits / total if total else 0.0) + bonus


def _rough_fit(view: ClaimView, item: Evidence) -> float:
    """Estimate the fit from the index alone, before a sentence is taken apart."""
    stems = item.stems
    hits = len([reach for reach in view.reach if not reach.isdisjoint(stems)])
    return hits + len(view.digits & item.numbers) + _LEAD * sum(key in item.stems for key in view.lead)


def _meets(key: str, stems: frozenset[str]) -> bool:
    """Tell whether a sentence speaks of a word: it holds the word, its like, or its opposite."""
    return covered(key, stems) or not against(key).isdisjoint(stems)


def _mixed_up(
    view: ClaimView, best: CloseReading, close: Sequence[Evidence], index: SourceIndex, aliases: Aliases
) -> CloseReading | None:
    """Find the sentence that gives the claim's statement to another name.

    "Haddad is the lead" fits "Tester: Haddad" and "Lead: Falk" half each; the second denies it.
    """
    missing = [key for key in view.stems if not covered(key, best.evidence.stems)]
    if not missing or not view.names:
        return None
    found: CloseReading | None = None
    for item in close:
        known = [key for key in missing if index.contains(key)]
        if item is best.evidence or not known or not all(covered(key, item.stems) for key in known):
            continue
        rival = read_closely(view, item, index, aliases)
        if not rival.conflicts:
            return None  # some sentence supplies the missing words without a clash
        if any(finding.hard and finding.reason == Reason.ENTITY_SUBSTITUTION for finding in rival.findings):
            found = found or rival
    return found


def _denied_part(view: ClaimView, best: CloseReading, items: Sequence[Evidence]) -> CloseReading | None:
    """Find a sentence that denies the very words which the best one does not hold."""
    missing = frozenset(key for key in view.stems if not covered(key, best.evidence.stems))
    if not missing or read(view.analysis).negations:
        return None
    for item in items:
        if item is best.evidence or missing.isdisjoint(item.stems) or not may_deny(item.text):
            continue
        for cue in read(item.analysis).negations:
            if cue.head >= 0 and item.analysis.words[cue.head].stem in missing:
                head = item.analysis.words[cue.head]
                mine = next(word for word in view.analysis.words if word.stem == head.stem)
                finding = Finding(
                    Reason.NEGATION_FLIP, mine.start, mine.end, item, cue.start, head.end, hard=False
                )  # fmt: skip
                return replace(best, findings=(*best.findings, finding))
    return None
