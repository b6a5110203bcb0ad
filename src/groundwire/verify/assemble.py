"""Put signals, verdicts and offsets together into the result types."""

from collections.abc import Sequence

from groundwire.signals import Signals
from groundwire.signals.claim import ClaimView
from groundwire.signals.finding import Finding
from groundwire.signals.votes import LOW
from groundwire.text.claims import Claim
from groundwire.types import (
    ClaimVerdict,
    Conflict,
    ModelInfo,
    Policy,
    Reason,
    SourceSpan,
    Status,
    Unchecked,
    Verdict,
    VerificationResult,
)
from groundwire.types.verification import PROBABILITY_CHECK
from groundwire.verify.calibrate import is_grounded, support_probability
from groundwire.verify.decide import combine_signals, confidence_label, is_blocking, overall_score
from groundwire.verify.features import ClaimFacts

_CHECKS = ("entailment", "entities", "numbers", "negation", "traceability", "relations")


def judge(
    number: int, view: ClaimView, signals: Signals, facts: ClaimFacts, policy: Policy, *, has_source: bool
) -> ClaimVerdict:
    """Decide one claim and place its evidence in response and source."""
    verdict, confidence = _decide(view, signals, policy, has_source)
    probability = support_probability([facts])
    claim = view.claim
    conflicts = [] if signals.foreign else [_conflict(claim, finding) for finding in signals.findings]
    return ClaimVerdict(
        claim=claim.text,
        claim_index=number,
        matched_source=signals.matched.text if signals.matched else "",
        source_index=signals.matched.index if signals.matched else -1,
        nli_divergence=1.0 if signals.divergence is None else signals.divergence,
        entity_match=signals.entity_match,
        numerical_match=signals.numerical_match,
        negation_flip=signals.negation_flip,
        traceability=1.0 if signals.traceability is None else signals.traceability,
        verdict=verdict,
        confidence=confidence,
        evidence_spans=[
            SourceSpan(
                span.evidence.text, span.evidence.index, span.divergence, span.entity_match, span.numerical_match,
                span.evidence.start, span.evidence.end, span.evidence.source_id,
            )
            for span in signals.spans
        ],
        is_atomic=claim.is_atomic,
        reasons=_reasons(verdict, signals, has_source),
        start=claim.start,
        end=claim.end,
        support_probability=probability,
        grounded=is_grounded(probability, policy.grounded_threshold),
        unsupported_spans=_unsupported(verdict, claim, conflicts, signals),
        conflicts=conflicts,
    )  # fmt: skip


def _unsupported(
    verdict: Verdict, claim: Claim, conflicts: Sequence[Conflict], signals: Signals
) -> list[tuple[int, int]]:
    """Collect the clashing spans and, in a claim that is not supported, those a model marks; in order, none twice."""
    spans = {(item.claim_start, item.claim_end) for item in conflicts}
    if verdict != Verdict.SUPPORTED and signals.reading is not None and not signals.foreign:
        for start, end, _ in signals.reading.spans:
            own = (claim.start + start, claim.start + end)
            if not any(own[0] < high and own[1] > low for low, high in spans):
                spans.add(own)
    return sorted(spans)


def unchecked_verdict(number: int, claim: Claim) -> ClaimVerdict:
    """Make the entry of a unit that states nothing to check."""
    return ClaimVerdict(
        claim=claim.text, claim_index=number, matched_source="", source_index=-1, nli_divergence=0.5,
        entity_match=1.0, numerical_match=None, negation_flip=False, traceability=1.0,
        verdict=Verdict.UNVERIFIABLE, confidence=0.0, is_atomic=claim.is_atomic,
        reasons=[Reason.NOT_CHECKABLE], start=claim.start, end=claim.end,
    )  # fmt: skip


def summarise(
    verdicts: list[ClaimVerdict], unchecked: list[Unchecked], facts: Sequence[ClaimFacts], *,
    status: Status, model: ModelInfo | None, policy: Policy, policy_hash: str, version: str,
) -> VerificationResult:  # fmt: skip
    """Count, average and approve."""
    counted = [item for item in verdicts if Reason.NOT_CHECKABLE not in item.reasons]
    supported = [item for item in counted if item.verdict == Verdict.SUPPORTED]
    probability = support_probability(facts, len(unchecked))
    return VerificationResult(
        approved=_approve(counted, probability, policy),
        overall_score=overall_score(counted),
        confidence=confidence_label(counted),
        claims=verdicts,
        supported_count=len(supported),
        contradicted_count=_count(verdicts, Verdict.CONTRADICTED),
        fabricated_count=_count(verdicts, Verdict.FABRICATED),
        unverifiable_count=_count(verdicts, Verdict.UNVERIFIABLE),
        coverage=len(supported) / len(counted) if counted else 0.0,
        status=status,
        unchecked=unchecked,
        support_probability=probability,
        grounded=is_grounded(probability, policy.grounded_threshold),
        model=model,
        checks=_checks(counted, policy),
        policy_hash=policy_hash,
        version=version,
    )


def _approve(counted: Sequence[ClaimVerdict], probability: float | None, policy: Policy) -> bool:
    # A response with nothing to check has no probability: both ways of approving treat it alike.
    if policy.approve_on == "probability" and probability is not None:
        return probability >= policy.grounded_threshold
    return not any(is_blocking(item, policy) for item in counted)


def _checks(counted: Sequence[ClaimVerdict], policy: Policy) -> list[str]:
    decides = [PROBABILITY_CHECK] if policy.approve_on == "probability" else []
    return [*_CHECKS, *decides] if counted else []


def _count(verdicts: Sequence[ClaimVerdict], verdict: Verdict) -> int:
    return sum(item.verdict == verdict for item in verdicts)


def _decide(view: ClaimView, signals: Signals, policy: Policy, has_source: bool) -> tuple[Verdict, float]:
    if not view.stems and not signals.findings and not view.lead:
        return Verdict.UNVERIFIABLE, 0.0
    if not has_source:
        return Verdict.FABRICATED, 1.0
    if signals.foreign:
        return Verdict.UNVERIFIABLE, 0.0
    return combine_signals(
        signals.divergence,
        signals.entity_match,
        signals.numerical_match,
        signals.negation_flip,
        signals.traceability,
        entity_vote=signals.entity_vote,
        hard_conflict=signals.hard,
        soft_conflict=signals.soft or signals.thin,
        number_absent=signals.absent,
        nli_threshold=policy.nli_threshold,
        support_threshold=policy.support_threshold,
        min_confidence=policy.min_confidence,
    )


def _reasons(verdict: Verdict, signals: Signals, has_source: bool) -> list[str]:
    if not has_source:
        return [Reason.NO_SOURCE]
    if signals.foreign:
        return [Reason.OTHER_LANGUAGE]
    reasons: list[str] = list(dict.fromkeys(finding.reason for finding in signals.findings))
    if signals.derived:
        reasons.append(Reason.DERIVED)
    if verdict == Verdict.FABRICATED and signals.traceability is not None and signals.traceability < LOW:
        reasons.append(Reason.LOW_TRACEABILITY)
    if verdict == Verdict.CONTRADICTED and not reasons:
        reasons.append(Reason.MODEL_CONTRADICTION)
    if (verdict == Verdict.UNVERIFIABLE and not reasons) or (signals.thin and verdict == Verdict.UNVERIFIABLE):
        reasons.append(Reason.WEAK_EVIDENCE)
    return reasons


def _conflict(claim: Claim, finding: Finding) -> Conflict:
    item = finding.evidence
    return Conflict(
        reason=finding.reason,
        claim_start=claim.start + finding.claim_start,
        claim_end=claim.start + finding.claim_end,
        claim_text=claim.text[finding.claim_start : finding.claim_end],
        source_start=item.start + finding.start if item else -1,
        source_end=item.start + finding.end if item else -1,
        source_text=item.text[finding.start : finding.end] if item else "",
        source_id=item.source_id if item else "",
        hard=finding.hard,
    )
