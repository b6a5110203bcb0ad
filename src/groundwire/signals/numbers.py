"""Signal 3: do the numbers of a claim agree with their counterparts?"""

from collections.abc import Sequence
from typing import NamedTuple

from groundwire.evidence import Evidence
from groundwire.signals.claim import ClaimView
from groundwire.signals.coverage import covered, share
from groundwire.signals.finding import Finding
from groundwire.text.agreement import Clash, agree, same_kind
from groundwire.text.quantities import Kind, Quantity
from groundwire.types import Policy, Reason

# How much better another slot must fit before an equal number no longer counts.
_MARGIN = 0.15
_NEAR = 4


class Numbers(NamedTuple):
    """What the numbers say: match, clashes, and whether a number is simply absent."""

    match: bool | None
    findings: tuple[Finding, ...]
    used: tuple[Evidence, ...]


class _Counterpart(NamedTuple):
    fit: float
    evidence: Evidence
    quantity: Quantity
    clash: Clash


def compare_numbers(view: ClaimView, evidence: Sequence[Evidence], policy: Policy) -> Numbers:
    """Look up each quantity of the claim in the slots of the evidence."""
    outcomes: list[bool | None] = []
    findings: list[Finding] = []
    used: list[Evidence] = []
    cover = {item.index: share(view.stems, item.stems) for item in evidence}
    for quantity in view.analysis.quantities:
        equal, different, unknown = _counterparts(view, quantity, evidence, cover, policy)
        if equal and (not different or equal.fit >= different.fit - _MARGIN):
            outcomes.append(True)
            used.append(equal.evidence)
        elif different is not None and not (unknown and unknown.fit >= different.fit - _MARGIN):
            outcomes.append(False)
            used.append(different.evidence)
            findings.append(
                Finding(
                    _reason(different.clash), quantity.start, quantity.end,
                    different.evidence, different.quantity.start, different.quantity.end,
                )
            )  # fmt: skip
        elif unknown is not None or quantity.weak or equal is not None:
            outcomes.append(None)
        else:
            outcomes.append(False)
            findings.append(Finding(Reason.NUMBER_ABSENT, quantity.start, quantity.end, None))
    return Numbers(_fold(outcomes), tuple(findings), tuple(used))


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
    view: ClaimView, quantity: Quantity, evidence: Sequence[Evidence], cover: dict[int, float], policy: Policy
) -> tuple[_Counterpart | None, _Counterpart | None, _Counterpart | None]:
    equal: _Counterpart | None = None
    different: _Counterpart | None = None
    unknown: _Counterpart | None = None
    for item in evidence:
        for other in item.analysis.quantities:
            verdict = agree(quantity, other, policy.approximate_within, policy.approximate_beyond)
            comparable = same_kind(quantity, other) and _same_slot(quantity, other)
            fit = cover[item.index] + _nearness(quantity, other)
            found = _Counterpart(fit, item, other, verdict.clash)
            if verdict.equal and (comparable or not same_kind(quantity, other)):
                equal = _better(equal, found)
            elif verdict.equal is False and comparable:
                different = _better(different, found)
            elif verdict.equal is False and verdict.clash == Clash.UNIT:
                different = _better(different, found)
            elif verdict.equal is None and comparable:
                unknown = _better(unknown, found)
            elif verdict.equal:
                unknown = _better(unknown, found)
    return equal, different, unknown


def _better(best: _Counterpart | None, found: _Counterpart) -> _Counterpart:
    return found if best is None or found.fit > best.fit + 1e-9 else best


def _same_slot(claim: Quantity, source: Quantity) -> bool:
    if claim.kind == Kind.ORDINAL:
        return bool(claim.after and source.after and claim.after[0] == source.after[0])
    if claim.kind != Kind.COUNT:
        return True
    if not claim.after or not source.after:
        return not claim.weak
    if share(claim.after, frozenset(source.after)) > 0:
        return True
    return bool(claim.before and source.before and claim.before[0] == source.before[0]) and not claim.weak


def _nearness(claim: Quantity, source: Quantity) -> float:
    mine = (*claim.before[:_NEAR], *claim.after)
    theirs = frozenset((*source.before[: _NEAR + 1], *source.after))
    if not mine:
        return 0.0
    return sum(covered(key, theirs) for key in mine) / len(mine)
