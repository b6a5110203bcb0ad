"""Signal 4: is the claim affirmed where the evidence denies, or the other way round?"""

from typing import NamedTuple

from groundwire.evidence import Evidence
from groundwire.signals.claim import ClaimView
from groundwire.signals.coverage import covered
from groundwire.signals.finding import Finding
from groundwire.text.analysis import Analysis
from groundwire.text.meaning import opposites
from groundwire.text.polarity import Negation, find_negations
from groundwire.types import Reason

_SHARED_WORDS = 3


class Polarity(NamedTuple):
    """Clashes of polarity: negation flips and opposing words."""

    findings: tuple[Finding, ...]

    @property
    def flip(self) -> bool:
        """Tell whether a clash of polarity was found."""
        return bool(self.findings)


def compare_polarity(view: ClaimView, item: Evidence, settled: frozenset[str]) -> Polarity:
    """Compare each clause of the claim with its best clause in the evidence.

    `settled` are stems whose opposition a comparison or an order has already explained.
    """
    claim, source = view.analysis, item.analysis
    claim_cues, source_cues = find_negations(claim), find_negations(source)
    findings: list[Finding] = []
    for clause in sorted(set(claim.clauses)):
        stems = claim.clause_stems(clause)
        if not stems:
            continue
        partner = _partner(stems, source)
        if partner is None:
            continue
        finding = _compare_clauses(view, item, clause, partner, claim_cues, source_cues, settled)
        if finding is not None:
            findings.append(finding)
    return Polarity(tuple(findings))


def _partner(stems: frozenset[str], source: Analysis) -> int | None:
    best, best_count = None, 0
    for clause in sorted(set(source.clauses)):
        others = source.clause_stems(clause)
        count = sum(covered(key, others) or not others.isdisjoint(opposites(key)) for key in stems)
        if count > best_count:
            best, best_count = clause, count
    return best


def _compare_clauses(
    view: ClaimView, item: Evidence, clause: int, partner: int,
    claim_cues: list[Negation], source_cues: list[Negation], settled: frozenset[str],
) -> Finding | None:  # fmt: skip
    claim, source = view.analysis, item.analysis
    mine, theirs = claim.clause_stems(clause), source.clause_stems(partner)
    shared = [key for key in mine if covered(key, theirs)]
    opposed = _opposed(claim, clause, source, partner, mine, theirs, settled)
    frame = len(shared) + len(opposed)
    if frame < min(_SHARED_WORDS, len(mine)) and frame * 2 < len(mine) + 1:
        return None
    if not shared and len(mine) > 1 and not claim.quantities:
        return None
    my_cues = [cue for cue in claim_cues if cue.clause == clause and _counts(cue, claim, theirs)]
    their_cues = [cue for cue in source_cues if cue.clause == partner and _counts(cue, source, mine)]
    odd = (len(my_cues) + len(their_cues)) % 2 == 1
    if opposed and not odd:
        one, two = opposed[0]
        return Finding(
            Reason.ANTONYM, claim.words[one].start, claim.words[one].end,
            item, source.words[two].start, source.words[two].end,
        )  # fmt: skip
    if not opposed and odd:
        return _flip(claim, item, source, my_cues, their_cues, shared)
    return None


def _counts(cue: Negation, sentence: Analysis, others: frozenset[str]) -> bool:
    if cue.head < 0:
        return cue.verbal
    head = sentence.words[cue.head].stem
    known = covered(head, others) or not others.isdisjoint(opposites(head))
    return known or cue.verbal


def _opposed(
    claim: Analysis, clause: int, source: Analysis, partner: int,
    mine: frozenset[str], theirs: frozenset[str], settled: frozenset[str],
) -> list[tuple[int, int]]:  # fmt: skip
    pairs: list[tuple[int, int]] = []
    for one in claim.content:
        if claim.clauses[one] != clause:
            continue
        key = claim.words[one].stem
        if covered(key, theirs) or key in settled:
            continue
        against = opposites(key)
        for two in source.content:
            other = source.words[two].stem
            if source.clauses[two] == partner and other in against and not covered(other, mine) and other not in settled:
                pairs.append((one, two))
                break
    return pairs


def _flip(
    claim: Analysis, item: Evidence, source: Analysis, mine: list[Negation], theirs: list[Negation], shared: list[str]
) -> Finding:
    claim_span, source_span = _span(claim, mine, shared), _span(source, theirs, shared)
    return Finding(Reason.NEGATION_FLIP, *claim_span, item, *source_span)


def _span(sentence: Analysis, cues: list[Negation], shared: list[str]) -> tuple[int, int]:
    if cues:
        return cues[0].start, cues[0].end
    for place in sorted(sentence.verbs):
        if sentence.words[place].stem in shared or not sentence.words[place].content:
            return sentence.words[place].start, sentence.words[place].end
    for place in sentence.content:
        if sentence.words[place].stem in shared:
            return sentence.words[place].start, sentence.words[place].end
    return 0, len(sentence.text)
