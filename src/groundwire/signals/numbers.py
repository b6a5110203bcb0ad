"""Signal 3: do the numbers of a claim agree with their counterparts?"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from groundwire.evidence import Evidence, SourceIndex
from groundwire.signals.absence import may_follow
from groundwire.signals.claim import ClaimView
from groundwire.signals.counterparts import Counterpart, Counterparts, counterparts, holds_exactly, matches
from groundwire.signals.derived import is_derived
from groundwire.signals.finding import Finding
from groundwire.text.agreement import Clash
from groundwire.text.coverage import share
from groundwire.types import Policy, Reason

# How much better another slot must fit before an equal number no longer counts:
# within one sentence, and when the better slot stands in another sentence.
_MARGIN = 0.4
_MARGIN_ELSEWHERE = 0.25
_COMPANY = 0.3


class Numbers(NamedTuple):
    """What the numbers say: match, clashes, and whether one was computed from two others."""

    match: bool | None
    findings: tuple[Finding, ...]
    derived: bool = False


def compare_numbers(view: ClaimView, evidence: Sequence[Evidence], policy: Policy, index: SourceIndex) -> Numbers:
    """Look up each quantity of the claim in the slots of the evidence, the best sentence first.

    The index is asked when no sentence states a number: it may yet follow from others.
    """
    quantities = view.analysis.quantities
    if not quantities or not evidence:
        absent = [Finding(Reason.NUMBER_ABSENT, item.start, item.end, None) for item in quantities if not item.weak]
        return Numbers(False if absent else None, tuple(absent))
    best = evidence[0]
    if not best.header and share(view.stems, best.stems) >= 0.5 and _all_in_order(view, best, policy):
        return Numbers(True, ())
    exchanged = _exchanged(view, best, policy)
    if exchanged is not None:
        return Numbers(False, (exchanged,))
    cover = {item.index: share(view.stems, item.stems) for item in evidence}
    taken = _taken(view, evidence, cover, policy)
    outcomes: list[bool | None] = []
    findings: list[Finding] = []
    derived = False
    for number, quantity in enumerate(quantities):
        fits = {item.index: cover[item.index] + _company(number, view, item, policy) for item in evidence}
        found = counterparts(number, view, evidence, fits, policy, taken)
        outcome, clashing = _outcome(found)
        if outcome is not True and is_derived(view, quantity, evidence):
            outcomes.append(None)
            derived = True
        elif clashing is not None:
            outcomes.append(False)
            item, theirs = clashing.match.evidence, clashing.match.quantity
            reason = _reason(clashing.match.verdict.clash)
            findings.append(Finding(reason, quantity.start, quantity.end, item, theirs.start, theirs.end))
        elif outcome is False and not quantity.weak:
            doubtful = may_follow(view, quantity, evidence, index)
            outcomes.append(None if doubtful else False)
            findings.append(Finding(Reason.NUMBER_ABSENT, quantity.start, quantity.end, None, hard=not doubtful))
        else:
            outcomes.append(outcome if outcome is not False else None)
    return Numbers(_fold(outcomes), tuple(findings), derived)


def match_numbers(view: ClaimView, item: Evidence, policy: Policy) -> bool | None:
    """Tell in short whether one sentence holds the numbers of the claim."""
    outcomes: list[bool | None] = []
    for number, found in enumerate(matches(view, item, policy)):
        if any(match.verdict.equal for match in found):
            outcomes.append(True)
        elif any(match.verdict.equal is False and match.comparable for match in found):
            outcomes.append(False)
        else:
            outcomes.append(None if view.analysis.quantities[number].weak else False)
    return _fold(outcomes)


def _outcome(found: Counterparts) -> tuple[bool | None, Counterpart | None]:
    """Weigh the best equal number against the best clashing one: outcome, and the clash that won."""
    equal, different, unknown = found
    rival = different.fit - _MARGIN if different else 0.0
    if equal and different and equal.match.verdict.loose:
        rival = different.fit
    elif equal and different and equal.match.evidence is not different.match.evidence:
        rival = different.fit - _MARGIN_ELSEWHERE
    if equal and (different is None or equal.fit >= rival):
        return True, None
    if different is not None and not (unknown and unknown.fit >= rival):
        return False, different
    return (None if unknown or equal else False), None


def _company(number: int, view: ClaimView, item: Evidence, policy: Policy) -> float:
    """Credit a sentence that also holds the claim's other numbers: those belong together."""
    held = _held(view, item, policy)
    own = held[number]
    others = len(held) - held.count(None) - (own is not None)
    return _COMPANY * (held.count(True) - (own is True)) / others if others else 0.0


def _held(view: ClaimView, item: Evidence, policy: Policy) -> list[bool | None]:
    """Tell of each number of the claim whether a sentence holds it, None where it proves nothing; once."""
    key = ~item.index  # beside the matches, which lie under the index itself
    if key not in view.memo:
        view.memo[key] = [
            None if quantity.weak else any(match.verdict.equal for match in found)
            for quantity, found in zip(view.analysis.quantities, matches(view, item, policy), strict=True)
        ]
    flags: list[bool | None] = view.memo[key]
    return flags


def _all_in_order(view: ClaimView, best: Evidence, policy: Policy) -> bool:
    """Tell whether all numbers of the claim occur in one sentence in the same order."""
    if len(view.analysis.quantities) < 2:
        return False
    reached = -1
    for found in matches(view, best, policy):
        starts = [match.quantity.start for match in found if holds_exactly(match) and match.quantity.start > reached]
        if not starts:
            return False
        reached = min(starts)
    return True


def _exchanged(view: ClaimView, best: Evidence, policy: Policy) -> Finding | None:
    """Find two numbers that changed places in a sentence that is otherwise word for word the same."""
    mine, theirs = view.analysis.quantities, best.analysis.quantities
    if len(mine) < 2 or len(mine) != len(theirs):
        return None
    if [word.stem for word in view.analysis.words] != [word.stem for word in best.analysis.words]:
        return None
    for (one, two), found in zip(zip(mine, theirs, strict=True), matches(view, best, policy), strict=True):
        here = next((match for match in found if match.quantity is two), None)
        if here is not None and here.verdict.equal:
            continue
        later = any(holds_exactly(match) and match.quantity.start > two.start for match in found)
        if here is None or not later:
            return None
        return Finding(_reason(here.verdict.clash), one.start, one.end, best, two.start, two.end)
    return None


def _taken(
    view: ClaimView, evidence: Sequence[Evidence], cover: Mapping[int, float], policy: Policy
) -> dict[tuple[int, int], int]:
    """Give each number of the claim the equal number that fits it best; that one is spoken for."""
    taken: dict[tuple[int, int], int] = {}
    if len(view.analysis.quantities) < 2:
        return taken
    for number in range(len(view.analysis.quantities)):
        equal, different, _ = counterparts(number, view, evidence, cover, policy, taken)
        if equal is None or equal.match.verdict.loose or (different is not None and equal.fit < different.fit):
            continue
        taken.setdefault(equal.place, number)
    return taken


def _fold(outcomes: Sequence[bool | None]) -> bool | None:
    if False in outcomes:
        return False
    return True if True in outcomes else None


def _reason(clash: Clash) -> Reason:
    if clash == Clash.UNIT:
        return Reason.UNIT_MISMATCH
    return Reason.DATE_MISMATCH if clash == Clash.DATE else Reason.NUMBER_MISMATCH
