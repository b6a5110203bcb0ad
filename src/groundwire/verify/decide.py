"""The verdict ladder: pure functions from signals to a verdict and from verdicts to an approval."""

from collections.abc import Sequence

from groundwire.signals.votes import HIGH, LOW
from groundwire.types import ClaimVerdict, Policy, Reason, Verdict

_UNTRACEABLE = 0.15
_FLOOR = 0.7
_VALUES = {Verdict.SUPPORTED: 1.0, Verdict.UNVERIFIABLE: 0.5, Verdict.CONTRADICTED: 0.0, Verdict.FABRICATED: 0.0}


def combine_signals(
    nli_divergence: float | None,
    entity_match: float | None,
    numerical_match: bool | None,
    negation_flip: bool,
    traceability: float | None,
    *,
    entity_votes: bool = True,
    entity_vote: int | None = None,
    hard_conflict: bool | None = None,
    soft_conflict: bool = False,
    number_absent: bool = False,
    nli_threshold: float = 0.65,
    support_threshold: float = 0.35,
    min_confidence: float = 0.4,
) -> tuple[Verdict, float]:
    """Turn five signal values into a verdict and a confidence.

    `entity_vote` (+1, 0, -1) replaces the vote that `entity_match` would cast;
    None for a signal means it casts no vote.
    """
    votes = [
        _vote_divergence(nli_divergence, support_threshold, nli_threshold),
        entity_vote if entity_vote is not None else _vote_share(entity_match if entity_votes else None),
        0 if numerical_match is None else (1 if numerical_match else -1),
        -1 if negation_flip else 0,
        _vote_share(traceability),
    ]
    support, contradict = votes.count(1), votes.count(-1)
    total = support + contradict
    support_ratio = support / total if total else 0.0
    contradict_ratio = contradict / total if total else 0.0
    if hard_conflict is None:
        hard_conflict = (numerical_match is False or negation_flip) and votes[0] == -1 and not number_absent
    verdict, confidence = _climb(
        support_ratio, contradict_ratio, traceability, hard_conflict,
        number_absent, soft_conflict or numerical_match is False or negation_flip,
    )  # fmt: skip
    if confidence < min_confidence:
        return Verdict.UNVERIFIABLE, confidence
    return verdict, confidence


def _climb(
    support_ratio: float, contradict_ratio: float, traceability: float | None,
    hard_conflict: bool, number_absent: bool, veto: bool,
) -> tuple[Verdict, float]:  # fmt: skip
    untraceable = traceability is not None and traceability < LOW
    if traceability is not None and traceability < _UNTRACEABLE:
        return Verdict.FABRICATED, max(_FLOOR, 1.0 - traceability)
    if contradict_ratio >= 0.5 and untraceable:
        return Verdict.FABRICATED, max(_FLOOR, contradict_ratio)
    # A found conflict is not out-voted by overlap: overlap is what makes it a conflict.
    if hard_conflict:
        return Verdict.CONTRADICTED, max(_FLOOR, contradict_ratio)
    if number_absent:
        return Verdict.FABRICATED, max(_FLOOR, contradict_ratio)
    if contradict_ratio >= 0.5:
        return Verdict.CONTRADICTED, contradict_ratio
    if veto:
        return Verdict.UNVERIFIABLE, max(support_ratio, contradict_ratio)
    if support_ratio >= 0.5:
        return Verdict.SUPPORTED, support_ratio
    return Verdict.UNVERIFIABLE, max(support_ratio, contradict_ratio)


def _vote_divergence(value: float | None, support: float, contradict: float) -> int:
    if value is None:
        return 0
    return 1 if value < support else -1 if value > contradict else 0


def _vote_share(value: float | None) -> int:
    if value is None:
        return 0
    return 1 if value >= HIGH else -1 if value < LOW else 0


def is_blocking(verdict: ClaimVerdict, policy: Policy) -> bool:
    """Tell whether one claim stands in the way of approval."""
    if verdict.verdict not in policy.fail_on or Reason.NOT_CHECKABLE in verdict.reasons:
        return False
    # Doubt has no confidence of its own: who fails on it means every such claim.
    return verdict.verdict == Verdict.UNVERIFIABLE or verdict.confidence >= policy.block_confidence


def is_rejected(verdict: ClaimVerdict, policy: Policy) -> bool:
    """Tell whether a claim alone would be refused, by the measure the policy approves on."""
    if policy.approve_on == "probability":
        return verdict.grounded is False and Reason.NOT_CHECKABLE not in verdict.reasons
    return is_blocking(verdict, policy)


def overall_score(verdicts: Sequence[ClaimVerdict]) -> float:
    """Average the values of the verdicts."""
    if not verdicts:
        return 0.0
    return sum(_VALUES[Verdict(item.verdict)] for item in verdicts) / len(verdicts)


def confidence_label(verdicts: Sequence[ClaimVerdict]) -> str:
    """Name the average confidence."""
    if not verdicts:
        return "low"
    average = sum(item.confidence for item in verdicts) / len(verdicts)
    # Four places, as shown: a mean of 0.7 must not turn "medium" by rounding.
    return "high" if round(average, 4) >= 0.7 else "medium" if round(average, 4) >= 0.4 else "low"
