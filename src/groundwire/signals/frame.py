"""Whether claim and evidence otherwise say the same: only then is a clash a contradiction."""

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

from groundwire.evidence import Evidence, SourceIndex
from groundwire.signals.claim import ClaimView
from groundwire.signals.derived import follows
from groundwire.signals.finding import Finding
from groundwire.text.analysis import Analysis
from groundwire.text.bounds import Bound
from groundwire.text.coverage import covered, share, union
from groundwire.text.dates import Date
from groundwire.text.lexicon import load_map, load_words
from groundwire.text.quantity import Quantity
from groundwire.text.tokens import stem
from groundwire.types import Reason

# How much claim and sentence must share around a clash. In a looser paraphrase two numbers, or a
# word and its opposite, mostly speak of two things: that is a reason for doubt, not a contradiction.
_NEEDED: Mapping[Reason, float] = MappingProxyType(
    {
        Reason.NUMBER_MISMATCH: 0.8,
        Reason.UNIT_MISMATCH: 0.8,
        Reason.DATE_MISMATCH: 0.55,
        Reason.NEGATION_FLIP: 0.6,
        Reason.ANTONYM: 0.55,
        Reason.ENTITY_SUBSTITUTION: 0.5,
        Reason.SUBSTITUTION: 0.8,
        Reason.ORDER: 0.5,
        Reason.CONDITION: 0.5,
    }
)
# From here on a doubt about scope is a contradiction: "all" for "some", "must" for "may" in the same statement.
_ENOUGH: Mapping[Reason, float] = MappingProxyType({Reason.QUANTIFIER: 0.8, Reason.MODALITY: 0.9})
# What it adds when the words before, or after, two numbers are the same, when both are limits, and when
# both are days with month and year: few texts hold two of those.
_BEFORE = 0.25
_AFTER = 0.2
_BOUNDED = 0.25
_IN_FULL = 0.35
# How much more a number must share that a reader may have worked out, and the words that open a supposed case.
_WORKED_OUT = 0.2
_SUPPOSING = ("a", "an", "if", "were")


def within_frame(findings: Iterable[Finding], view: ClaimView, index: SourceIndex) -> tuple[Finding, ...]:
    """Let the words around each clash decide whether it contradicts or only raises doubt."""
    return tuple(finding._replace(hard=_is_hard(finding, view, index)) for finding in findings)


def _is_hard(finding: Finding, view: ClaimView, index: SourceIndex) -> bool:
    needed = _NEEDED if finding.hard else _ENOUGH
    limit = needed.get(Reason(finding.reason))
    if limit is None or finding.evidence is None:
        return finding.hard
    if not finding.hard and finding.claim_end - finding.claim_start >= len(view.claim.text):
        return False  # a doubt about the whole claim leaves no frame to measure
    return _frame(finding, finding.evidence, view, index) >= limit + _extra(finding, finding.evidence, view)


def told_around(finding: Finding, view: ClaimView, index: SourceIndex) -> float:
    """Measure how much of the claim around a clash stands in the sentence it clashes with, or next to it."""
    if finding.evidence is None:
        return 1.0
    rest = _around(view.analysis, finding.claim_start, finding.claim_end)
    return share(rest, union(item.stems for item in index.window(finding.evidence)))


def _around(sentence: Analysis, start: int, end: int) -> list[str]:
    return [
        word.stem
        for word in sentence.words
        if word.content and not start <= word.start < end and word.stem not in _empty_stems()
    ]


def _beside(sentence: Analysis, start: int, end: int) -> list[str]:
    """List the content stems of the clause of a clash, outside its span; of the sentence when that has none."""
    clause = next(
        (number for word, number in zip(sentence.words, sentence.clauses, strict=True) if word.end > start), 0
    )
    inside = [
        word.stem
        for word, number in zip(sentence.words, sentence.clauses, strict=True)
        if number == clause and word.content and not start <= word.start < end
    ]
    return inside or _around(sentence, start, end)


@cache
def _empty_stems() -> frozenset[str]:
    """Collect the stems that frame nothing: light verbs, and nouns that only announce a number or limit it."""
    return frozenset(map(stem, (*load_words("light_verbs"), *load_words("number_nouns"), *load_map("limit_nouns"))))


def _frame(finding: Finding, item: Evidence, view: ClaimView, index: SourceIndex) -> float:
    """Measure how much claim and sentence share around a clash, in the mean of both sides."""
    mine = frozenset(view.stems) | view.lead
    told_back = share(_around(item.analysis, finding.start, finding.end), mine)
    if finding.reason != Reason.NUMBER_MISMATCH:
        # A clause may say it all; numbers of one clause are too often told apart by another.
        told_back = max(told_back, share(_beside(item.analysis, finding.start, finding.end), mine))
    frame = (told_around(finding, view, index) + told_back) / 2
    return frame + _slot(finding, view, item)


def _extra(finding: Finding, item: Evidence, view: ClaimView) -> float:
    worked_out = finding.reason == Reason.NUMBER_MISMATCH and _may_be_worked_out(finding, view, item)
    return _WORKED_OUT if worked_out else 0.0


def _may_be_worked_out(finding: Finding, view: ClaimView, item: Evidence) -> bool:
    """Tell whether a number may apply a rule to a case ("a loss of 7 %"), or follow from the sentence itself."""
    quantity = _quantity_at(view.analysis.quantities, finding.claim_start)
    opening = view.analysis.words[0].lower if view.analysis.words else ""
    return quantity is not None and (opening in _SUPPOSING or follows(quantity, item.analysis.quantities))


def _slot(finding: Finding, view: ClaimView, item: Evidence) -> float:
    """Credit two numbers that stand in the same place."""
    mine = _quantity_at(view.analysis.quantities, finding.claim_start)
    theirs = _quantity_at(item.analysis.quantities, finding.start)
    if mine is None or theirs is None:
        return 0.0
    before = bool(mine.before) and covered(mine.before[0], frozenset(theirs.before[:2]))
    after = bool(mine.after) and covered(mine.after[0], frozenset(theirs.after))
    loose = (Bound.EXACT, Bound.APPROX)
    bounded = mine.bound not in loose and theirs.bound not in loose
    one_day = any(_in_full(day) and _in_full(other) for day in mine.dates[:1] for other in theirs.dates[:1])
    return _BEFORE * before + _AFTER * after + _BOUNDED * bounded + _IN_FULL * one_day


def _in_full(day: Date) -> bool:
    return day.year is not None and day.month is not None and day.day is not None


def _quantity_at(quantities: Iterable[Quantity], start: int) -> Quantity | None:
    return next((quantity for quantity in quantities if quantity.start == start), None)
