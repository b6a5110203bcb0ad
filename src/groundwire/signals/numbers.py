"""Signal 3: do the numbers of a claim agree with their counterparts?"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from groundwire.evidence import Evidence
from groundwire.signals.claim import ClaimView
from groundwire.signals.coverage import covered, share
from groundwire.signals.finding import Finding
from groundwire.text.analysis import Analysis
from groundwire.text.agreement import Agreement, Clash, agree, same_kind
from groundwire.text.lexicon import load_words
from groundwire.text.quantities import Kind, Quantity
from groundwire.types import Policy, Reason

# How much better another slot must fit before an equal number no longer counts.
_MARGIN = 0.4
_MARGIN_ELSEWHERE = 0.25
_COMPANY = 0.3
_NEAR = 4
_PRICE_WORDS = frozenset(("fre", "cost", "pric", "charg", "fe", "pay"))
_BESIDE = 0.5
_MOST_DERIVED = 24


class Numbers(NamedTuple):
    """What the numbers say: match, clashes, and the evidence that decided."""

    match: bool | None
    findings: tuple[Finding, ...]
    used: tuple[Evidence, ...]


class _Counterpart(NamedTuple):
    fit: float
    evidence: Evidence
    quantity: Quantity
    verdict: Agreement


def compare_numbers(view: ClaimView, evidence: Sequence[Evidence], policy: Policy) -> Numbers:
    """Look up each quantity of the claim in the slots of the evidence, the best sentence first."""
    quantities = view.analysis.quantities
    if not quantities:
        return Numbers(None, (), ())
    if (
        evidence
        and share(view.stems, evidence[0].stems) >= 0.5
        and _all_in_order(quantities, evidence[0].analysis.quantities, policy)
    ):
        return Numbers(True, (), (evidence[0],))
    outcomes: list[bool | None] = []
    findings: list[Finding] = []
    used: list[Evidence] = []
    cover = {item.index: share(view.stems, item.stems) for item in evidence}
    for quantity in quantities:
        company = {item.index: cover[item.index] + _company(quantity, quantities, item, policy) for item in evidence}
        equal, different, unknown = _counterparts(quantity, evidence, company, policy)
        rival = different.fit - _MARGIN if different else 0.0
        if equal and different and equal.verdict.loose:
            rival = different.fit
        elif equal and different and equal.evidence is not different.evidence:
            rival = different.fit - _MARGIN_ELSEWHERE
        if equal and (different is None or equal.fit >= rival):
            outcomes.append(True)
            used.append(equal.evidence)
        elif _derived(view, quantity, evidence):
            outcomes.append(None)
        elif different is not None and not (unknown and unknown.fit >= rival):
            outcomes.append(False)
            used.append(different.evidence)
            theirs = different.quantity
            findings.append(
                Finding(
                    _reason(different.verdict.clash), quantity.start, quantity.end,
                    different.evidence, theirs.start, theirs.end,
                )
            )  # fmt: skip
        elif unknown is not None or quantity.weak or equal is not None:
            outcomes.append(None)
        else:
            outcomes.append(False)
            findings.append(Finding(Reason.NUMBER_ABSENT, quantity.start, quantity.end, None))
    return Numbers(_fold(outcomes), tuple(findings), tuple(used))


def compare_charges(view: ClaimView, item: Evidence) -> Finding | None:
    """Find "free" where the evidence names a price, and a price where it says "free"."""
    rest = [key for key in view.stems if key not in _PRICE_WORDS]
    mine = _price(view.analysis, None)
    if mine is None or not rest or share(rest, item.stems) < 0.75:
        return None
    clauses = sorted(set(item.analysis.clauses))
    clause = max(clauses, key=lambda number: (share(rest, item.analysis.clause_stems(number)), -number), default=None)
    theirs = _price(item.analysis, clause)
    if theirs is None or mine[0] == theirs[0]:
        return None
    return Finding(Reason.NUMBER_MISMATCH, mine[1], mine[2], item, theirs[1], theirs[2])


def _price(sentence: Analysis, clause: int | None) -> tuple[bool, int, int] | None:
    """Tell whether a clause says "free" (True) or names a price (False), with the place."""
    places = [place for place, number in enumerate(sentence.clauses) if clause is None or number == clause]
    if not places:
        return None
    start, end = sentence.words[places[0]].start, sentence.words[places[-1]].end
    prices = [item for item in sentence.quantities if item.kind == Kind.MONEY and item.low > 0 and start <= item.end <= end + 9]
    free = next((sentence.words[place] for place in places if sentence.words[place].lower == "free"), None)
    if free is not None and prices:
        return None
    if free is not None:
        return True, free.start, free.end
    return (False, prices[0].start, prices[0].end) if prices else None


def _company(quantity: Quantity, quantities: Sequence[Quantity], item: Evidence, policy: Policy) -> float:
    """Credit a sentence that also holds the claim's other numbers: those belong together."""
    others = [other for other in quantities if other is not quantity and not other.weak]
    if not others:
        return 0.0
    held = sum(any(_agreement(other, theirs, policy).equal for theirs in item.analysis.quantities) for other in others)
    return _COMPANY * held / len(others)


def _all_in_order(mine: Sequence[Quantity], theirs: Sequence[Quantity], policy: Policy) -> bool:
    """Tell whether all numbers of the claim occur in one sentence in the same order."""
    if len(mine) < 2:
        return False
    place = 0
    for quantity in mine:
        while place < len(theirs) and not _exactly(_agreement(quantity, theirs[place], policy)):
            place += 1
        if place == len(theirs):
            return False
        place += 1
    return True


def _exactly(verdict: Agreement) -> bool:
    return bool(verdict.equal) and not verdict.loose


def _agreement(mine: Quantity, theirs: Quantity, policy: Policy) -> Agreement:
    return agree(mine, theirs, policy.approximate_within, policy.approximate_beyond)


def _fold(outcomes: Sequence[bool | None]) -> bool | None:
    if False in outcomes:
        return False
    if True in outcomes:
        return True
    return None


def _reason(clash: Clash) -> Reason:
    if clash == Clash.UNIT:
        return Reason.UNIT_MISMATCH
    return Reason.DATE_MISMATCH if clash == Clash.DATE else Reason.NUMBER_MISMATCH


def _counterparts(
    quantity: Quantity, evidence: Sequence[Evidence], cover: dict[int, float], policy: Policy
) -> tuple[_Counterpart | None, _Counterpart | None, _Counterpart | None]:
    equal: _Counterpart | None = None
    different: _Counterpart | None = None
    unknown: _Counterpart | None = None
    for item in evidence:
        for other in item.analysis.quantities:
            verdict = _agreement(quantity, other, policy)
            nearness = _nearness(quantity, other)
            comparable = same_kind(quantity, other) and _same_slot(quantity, other, nearness)
            found = _Counterpart(cover[item.index] + nearness, item, other, verdict)
            if verdict.equal and (comparable or not same_kind(quantity, other)):
                equal = _better(equal, found)
            elif (
                verdict.equal is False
                and (comparable or verdict.clash == Clash.UNIT)
                and not _other_length(quantity, other, nearness)
            ):
                different = _better(different, found)
            elif (verdict.equal is None and (comparable or verdict.loose)) or verdict.equal:
                unknown = _better(unknown, found)
    return equal, different, unknown


def _better(best: _Counterpart | None, found: _Counterpart) -> _Counterpart:
    return found if best is None or found.fit > best.fit + 1e-9 else best


def _same_slot(claim: Quantity, source: Quantity, nearness: float) -> bool:
    if claim.kind == Kind.ORDINAL:
        return bool(claim.after and source.after and claim.after[0] == source.after[0])
    if claim.weak:
        return bool(claim.after and source.after and claim.after[0] == source.after[0])
    if claim.kind != Kind.COUNT:
        return True
    if not claim.after or not source.after:
        return True
    if share(claim.after, frozenset(source.after)) > 0:
        return True
    return bool(claim.before and source.before and claim.before[0] == source.before[0])


def _other_length(claim: Quantity, source: Quantity, nearness: float) -> bool:
    # Minutes are the counterpart of years only where the sentence puts them in the same place.
    return claim.kind == Kind.MEASURE and claim.unit != source.unit and claim.raw != source.raw and nearness < 0.5


def _nearness(claim: Quantity, source: Quantity) -> float:
    mine = (*claim.before[: max(1, min(_NEAR, claim.near))], *claim.after)
    theirs = frozenset((*source.before[: max(1, min(_NEAR + 1, source.near))], *source.after))
    if not mine:
        return 0.0
    near = sum(covered(key, theirs) for key in mine) / len(mine)
    if claim.after and source.after:
        # "€6 on Studio and €4 on Agency": what follows a number tells the slots apart.
        near += _BESIDE if share(claim.after, frozenset(source.after)) > 0 else -_BESIDE
    return near


def _derived(view: ClaimView, quantity: Quantity, evidence: Sequence[Evidence]) -> bool:
    """Tell whether a number is the sum, difference, average or share of two source numbers."""
    if quantity.kind in (Kind.DATE, Kind.TIME, Kind.IDENTIFIER, Kind.ORDINAL):
        return False
    if load_words("arithmetic_cues").isdisjoint(word.lower for word in view.analysis.words):
        return False
    values: list[tuple[float, Kind]] = []
    for item in evidence[:4]:
        for other in item.analysis.quantities:
            if other.kind in (quantity.kind, Kind.COUNT) and other.unit in (quantity.unit, ""):
                values.append((other.low, other.kind))
    values = values[:_MOST_DERIVED]
    target = abs(quantity.low)
    for (first, _), (second, _) in combinations(values, 2):
        results = [first + second, abs(first - second), (first + second) / 2]
        if any(abs(result - target) <= 1e-9 * max(1.0, target) for result in results):
            return True
    return quantity.kind == Kind.PERCENT and _is_change(target, evidence)


def _is_change(target: float, evidence: Sequence[Evidence]) -> bool:
    for item in evidence[:4]:
        for first, second in combinations(item.analysis.quantities, 2):
            if first.kind != second.kind or first.kind in (Kind.DATE, Kind.TIME, Kind.IDENTIFIER):
                continue
            for base, other in ((first.low, second.low), (second.low, first.low)):
                if base and abs(abs(other - base) / abs(base) * 100 - target) < 0.51:
                    return True
    return False
