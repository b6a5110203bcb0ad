"""`HandoffChecker`: a hand-off message against what its sender had, and where a claim first appeared."""

from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from time import perf_counter
from typing import Any

from groundwire.hooks.outcome import failed, settle
from groundwire.hooks.policy import HookPolicy, load_policy
from groundwire.hooks.swarm.chain import Hop, read_chain
from groundwire.hooks.swarm.conditions import dropped
from groundwire.ledger import Record
from groundwire.text.sentences import split_sentences
from groundwire.types import ClaimVerdict, HandoffResult, HookFinding, HookScope, Reason, Source, Status, Verdict
from groundwire.verify import VerifiedScorer
from groundwire.verify.scorer import as_sources

HOOK_ID = "swarm.handoff"
DEFAULTS = {"kind": "swarm", "version": 1}
_NUMBERS = (Reason.NUMBER_MISMATCH, Reason.UNIT_MISMATCH, Reason.DATE_MISMATCH)
_STRENGTH = (Reason.MODALITY, Reason.QUANTIFIER)
_ABSENT = (Reason.NUMBER_ABSENT, Reason.ENTITY_ABSENT, Reason.LOW_TRACEABILITY, Reason.WEAK_EVIDENCE, Reason.NO_SOURCE)
_QUOTE = 120

Had = str | Source | Sequence[str | Source]


class HandoffChecker:
    """Hold every hand-off against what its sender had; safe to share between threads."""

    def __init__(
        self,
        policy: HookPolicy | Mapping[str, Any] | str | FilePath | None = None,
        *,
        scorer: VerifiedScorer | None = None,
    ) -> None:
        self.policy = load_policy(DEFAULTS if policy is None else policy, "swarm")
        self.scorer = VerifiedScorer() if scorer is None else scorer
        routes = self.policy.values.get("routes")
        self._routes = None if routes is None else {(row["from"], to) for row in routes for to in row["to"]}
        self._max_hops = self.policy.values.get("max_hops")
        self._policy_hash = self.policy.hash

    def check(
        self,
        message: str,
        had: Had = (),
        *,
        from_agent: str = "",
        to_agent: str = "",
        chain: Sequence[Record] = (),
        head: str | None = None,
    ) -> HandoffResult:
        """Accept a message only if every claim in it is supported by what the sender had. Never raises."""
        started = perf_counter()
        score, hops = None, 0
        try:
            hops = len(chain)
            way = read_chain(chain, head)
            findings = self._judge_way(from_agent, to_agent, way)
            if not findings:
                score, findings = self._judge_message(message, had, way or ())
        except Exception as error:  # the edge of the guard: what breaks, blocks
            findings = [failed(error)]
        shared = settle(
            HOOK_ID,
            HookScope.SWARM,
            started,
            findings,
            score=score,
            attributes={"policy": self._policy_hash[:16], "hops": str(hops)},
        )
        return HandoffResult(**shared, from_agent=from_agent, to_agent=to_agent)

    def _judge_way(self, from_agent: str, to_agent: str, hops: Sequence[Hop] | None) -> list[HookFinding]:
        if hops is None or (hops and hops[-1].to_agent != from_agent):
            return [
                HookFinding("broken_chain", "chain", "A hop was changed, dropped, moved, or went to another agent.")
            ]
        if self._max_hops is not None and len(hops) + 1 > self._max_hops:
            return [HookFinding("route", "chain", f"There are more than {self._max_hops} hops.")]
        if self._routes is not None and (from_agent, to_agent) not in self._routes:
            return [HookFinding("route", "agents", "The policy has no route between the two agents.")]
        return []

    def _judge_message(self, message: str, had: Had, hops: Sequence[Hop]) -> tuple[float | None, list[HookFinding]]:
        sources = as_sources(had)
        result = self.scorer.verify(message, sources)
        if result.status == Status.TRUNCATED:
            return None, [HookFinding("message_too_long", "message", "Not all of it was checked.")]
        findings = []
        for claim in result.claims:
            if Reason.NOT_CHECKABLE in claim.reasons:
                continue
            rule = self._rule(claim, message, sources)
            origin = self._origin(claim.claim, hops)
            if rule:
                where = _named(origin, hops) if origin is not None else f"claim {claim.claim_index + 1}"
                findings.append(HookFinding(rule, where, f"Not in what the sender had: {claim.claim[:_QUOTE]!r}"))
            elif origin is not None and not self._supported(claim.claim, list(hops[origin].had)):
                detail = f"First said here, and not in what that sender had: {claim.claim[:_QUOTE]!r}"
                findings.append(HookFinding("invented_upstream", _named(origin, hops), detail))
        return result.support_probability, findings

    def _rule(self, claim: ClaimVerdict, message: str, sources: Sequence[Source]) -> str:
        if claim.verdict == Verdict.SUPPORTED:
            sentence, following = _evidence(claim, sources)
            return "dropped_condition" if dropped(message, sentence, following) else ""
        for rule, reasons in (
            ("changed_number", _NUMBERS),
            ("dropped_condition", (Reason.CONDITION,)),
            ("changed_strength", _STRENGTH),
        ):
            if any(reason in claim.reasons for reason in reasons):
                return rule
        if claim.verdict == Verdict.CONTRADICTED:
            return "changed_meaning"
        return "invented" if any(reason in claim.reasons for reason in _ABSENT) else "not_supported"

    def _origin(self, claim: str, hops: Sequence[Hop]) -> int | None:
        """Return the first hop whose message states a claim."""
        said = (claim in hop.message or self._supported(claim, [hop.message]) for hop in hops)
        return next((number for number, states in enumerate(said) if states), None)

    def _supported(self, claim: str, texts: list[str]) -> bool:
        verdicts = [item.verdict for item in self.scorer.verify(claim, texts).claims]
        return bool(verdicts) and all(verdict == Verdict.SUPPORTED for verdict in verdicts)


def _named(place: int, hops: Sequence[Hop]) -> str:
    return f"hop {place + 1}: {hops[place].from_agent} to {hops[place].to_agent}"


def _evidence(claim: ClaimVerdict, sources: Sequence[Source]) -> tuple[str, str]:
    """Return the sentence a claim rests on, and the one behind it."""
    span = claim.evidence_spans[0] if claim.evidence_spans else None
    source = next((item for item in sources if span and item.id == span.source_id), None)
    if span is None or source is None:
        return claim.matched_source, ""
    rest = split_sentences(source.text[span.end : span.end + 1_000])
    return source.text[span.start : span.end], rest[0].text if rest else ""
