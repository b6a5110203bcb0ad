"""Signal 4: is the claim affirmed where the evidence denies, or the other way round?"""

from collections.abc import Sequence
from typing import NamedTuple

from groundwire.evidence import Evidence
from groundwire.signals.claim import ClaimView
from groundwire.signals.finding import Finding
from groundwire.signals.reading import read
from groundwire.text.analysis import Analysis
from groundwire.text.coverage import covered, share
from groundwire.text.lexicon import load_map
from groundwire.text.meaning import against, opposed
from groundwire.text.polarity import Negation
from groundwire.text.sentences import split_cells
from groundwire.text.tokens import content_stems
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
    spoken = {
        clause: source.clause_stems(clause) | source.inherited_subject(clause) for clause in sorted(set(source.clauses))
    }
    partners = {clause: _partner(claim, clause, spoken) for clause in sorted(set(claim.clauses))}
    matched = frozenset(partner for partner in partners.values() if partner is not None)
    theirs = [cue for cue in read(source).negations if cue.clause in matched or _bears(claim, source, cue)]
    mine, theirs = _cancel(claim, read(claim).negations, source, theirs)
    pairs = _opposed_words(view, item, settled) + _opposed_particles(claim, source)
    findings: list[Finding] = []
    for clause, partner in partners.items():
        if partner is None:
            continue
        finding = _compare_clauses(view, item, clause, partner, mine, theirs, pairs)
        if finding is not None:
            findings.append(finding)
    if not findings and not mine:
        findings.extend(_denied_elsewhere(view, item, theirs))
    if not findings and item.header:
        findings.extend(_answered_by_cell(view, item))
    return Polarity(tuple(findings))


def _denied_elsewhere(view: ClaimView, item: Evidence, cues: Sequence[Negation]) -> list[Finding]:
    """Find a clause that denies outright a part of what the claim affirms ("… but not iOS")."""
    claim, source = view.analysis, item.analysis
    for cue in cues:
        stems = source.clause_stems(cue.clause)
        if cue.verbal or cue.head < 0 or not stems <= claim.stems:
            continue
        key = source.words[cue.head].stem
        place = next((p for p in claim.content if claim.words[p].stem == key), -1)
        if place >= 0 and share(view.stems, item.stems) >= 0.75:
            word = claim.words[place]
            return [Finding(Reason.NEGATION_FLIP, word.start, word.end, item, cue.start, source.words[cue.head].end)]
    return []


def _answered_by_cell(view: ClaimView, item: Evidence) -> list[Finding]:
    """Read a cell that says yes or no under a column the claim speaks of."""
    denied = bool(read(view.analysis).negations)
    for (cell, start, end), name in zip(split_cells(item.text), item.header, strict=False):
        answer = load_map("cell_answers").get(cell.strip().lower())
        stems = content_stems(name)
        if answer is None or not stems or not all(covered(key, view.analysis.stems) for key in stems):
            continue
        if denied == (answer == "yes"):
            place = next(
                p for p in view.analysis.content if covered(stems[0], frozenset((view.analysis.words[p].stem,)))
            )
            word = view.analysis.words[place]
            return [Finding(Reason.NEGATION_FLIP, word.start, word.end, item, start, end)]
    return []


def _cancel(
    claim: Analysis, mine: Sequence[Negation], source: Analysis, theirs: Sequence[Negation]
) -> tuple[list[Negation], list[Negation]]:
    """Strike out the negations that deny the same word on both sides."""
    left, right = list(mine), list(theirs)
    for one in mine:
        for two in right:
            if _same_head(claim, one, source, two):
                left.remove(one)
                right.remove(two)
                break
    return left, right


def _same_head(claim: Analysis, one: Negation, source: Analysis, two: Negation) -> bool:
    if one.head < 0 or two.head < 0:
        return one.head == two.head
    return covered(claim.words[one.head].stem, frozenset((source.words[two.head].stem,)))


def _bears(claim: Analysis, source: Analysis, cue: Negation) -> bool:
    """Tell whether a denial in some other clause concerns what the claim speaks of."""
    head = source.words[cue.head].stem if cue.head >= 0 else ""
    return all(key == head or covered(key, claim.stems) for key in source.clause_stems(cue.clause))


def _opposed_particles(claim: Analysis, source: Analysis) -> list[tuple[int, int]]:
    """Find "switched on" against "switched off", and "more willing" against "less willing"."""
    opposite, degrees = load_map("particles"), load_map("degrees")
    pairs: list[tuple[int, int]] = []
    for one, word in enumerate(claim.words):
        if word.lower in degrees:
            pairs.extend((one, two) for two in _other_degree(claim, one, source, degrees[word.lower]))
            continue
        against_it = opposite.get(word.lower)
        if against_it is None or one == 0 or not claim.words[one - 1].content:
            continue
        for two in range(1, len(source.words)):
            same_verb = source.words[two - 1].stem == claim.words[one - 1].stem
            if same_verb and source.words[two].lower == against_it:
                pairs.append((one, two))
                break
    return pairs


def _other_degree(claim: Analysis, one: int, source: Analysis, opposite: str) -> list[int]:
    if one + 1 >= len(claim.words) or not claim.words[one + 1].content:
        return []
    key = claim.words[one + 1].stem
    return [
        two
        for two in range(len(source.words) - 1)
        if source.words[two].lower == opposite and source.words[two + 1].stem == key
    ][:1]


def _partner(claim: Analysis, claim_clause: int, clauses: dict[int, frozenset[str]]) -> int | None:
    """Find the clause of the evidence that speaks of the same thing, by the stems of each.

    A word that stands in one clause alone tells more than one that stands in all of them.
    """
    stems = claim.clause_stems(claim_clause)
    if not stems:
        return None
    subject = next((claim.words[p].stem for p in claim.content if claim.clauses[p] == claim_clause), "")
    found: dict[str, list[int]] = {}
    for key in stems:
        same = [number for number, others in clauses.items() if covered(key, others)]
        found[key] = same or [number for number, others in clauses.items() if not against(key).isdisjoint(others)]
    best, best_weight = None, 0.0
    for number in clauses:
        weight = sum(1.0 / len(places) for places in found.values() if number in places)
        if weight and number in found.get(subject, ()):
            weight += 0.5
        if weight > best_weight:
            best, best_weight = number, weight
    return best


def _compare_clauses(
    view: ClaimView, item: Evidence, clause: int, partner: int,
    mine: Sequence[Negation], theirs: Sequence[Negation], pairs: Sequence[tuple[int, int]],
) -> Finding | None:  # fmt: skip
    claim, source = view.analysis, item.analysis
    stems, others = claim.clause_stems(clause), source.clause_stems(partner)
    shared = [key for key in stems if covered(key, others)]
    clashing = [pair for pair in pairs if claim.clauses[pair[0]] == clause and source.clauses[pair[1]] == partner]
    frame = len(shared) + len(clashing)
    if frame < min(_SHARED_WORDS, len(stems)) and frame * 2 < len(stems) + 1:
        return None
    if not shared and len(stems) > 1 and not claim.quantities:
        return None
    my_cues = [cue for cue in mine if cue.clause == clause and _counts(cue, claim, others)]
    their_cues = [cue for cue in theirs if cue.clause == partner and _counts(cue, source, stems)]
    odd = (len(my_cues) + len(their_cues)) % 2 == 1
    if clashing and not odd:
        one, two = claim.words[clashing[0][0]], source.words[clashing[0][1]]
        return Finding(Reason.ANTONYM, one.start, one.end, item, two.start, two.end)
    if clashing or not odd or (mine and theirs and not _all_clear(claim, mine, source, theirs)):
        # With denials left on both sides, in other words, nobody can tell.
        return None
    claim_span, source_span = _span(claim, my_cues, shared), _span(source, their_cues, shared)
    return Finding(Reason.NEGATION_FLIP, *claim_span, item, *source_span)


def _all_clear(claim: Analysis, mine: Sequence[Negation], source: Analysis, theirs: Sequence[Negation]) -> bool:
    """Tell whether every denial denies a verb that the other side affirms."""
    return all(
        cue.verbal and cue.head >= 0 and covered(sentence.words[cue.head].stem, other.stems)
        for sentence, cues, other in ((claim, mine, source), (source, theirs, claim))
        for cue in cues
    )


def _counts(cue: Negation, sentence: Analysis, others: frozenset[str]) -> bool:
    if cue.verbal or cue.head < 0:
        return cue.verbal
    head = sentence.words[cue.head].stem
    return covered(head, others) or not against(head).isdisjoint(others)


def _opposed_words(view: ClaimView, item: Evidence, settled: frozenset[str]) -> list[tuple[int, int]]:
    claim, source = view.analysis, item.analysis
    pairs: list[tuple[int, int]] = []
    for one in claim.content:
        key = claim.words[one].stem
        if key in settled or covered(key, source.stems) or against(key).isdisjoint(source.stems):
            continue
        for two in source.content:
            other = source.words[two].stem
            if opposed(key, other) and not covered(other, claim.stems) and other not in settled:
                pairs.append((one, two))
    return pairs


def _span(sentence: Analysis, cues: Sequence[Negation], shared: Sequence[str]) -> tuple[int, int]:
    if cues:
        return cues[0].start, cues[0].end
    for place in sorted(sentence.verbs):
        if sentence.words[place].stem in shared or not sentence.words[place].content:
            return sentence.words[place].start, sentence.words[place].end
    for place in sentence.content:
        if sentence.words[place].stem in shared:
            return sentence.words[place].start, sentence.words[place].end
    return 0, len(sentence.text)
