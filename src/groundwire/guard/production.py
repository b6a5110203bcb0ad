"""`ProductionGuard`: scorer, verifier and detector behind one object that never raises on odd input."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from groundwire.errors import InputTypeError
from groundwire.guard.agent import Reviewer
from groundwire.guard.corrections import suggest_corrections
from groundwire.injection import InjectionDetector
from groundwire.nli.shipped import load_model
from groundwire.types import (
    CoherenceScore,
    Correction,
    GuardReport,
    HookScope,
    InjectionResult,
    Policy,
    PolicyDecision,
    SafetyEvent,
    Source,
    VerificationResult,
)
from groundwire.verify import PreparedSource, Sources, VerifiedScorer, is_rejected

HOOK = "guard.production"
T = TypeVar("T")

_log = logging.getLogger("groundwire.guard")


class ProductionGuard:
    """Check an exchange with everything that was handed in; safe to share between threads."""

    def __init__(
        self,
        scorer: Reviewer | None = None,
        verifier: VerifiedScorer | None = None,
        detector: InjectionDetector | None = None,
        *,
        source: Sources | PreparedSource | None = None,
        policy: Policy | None = None,
        fail_closed: bool = True,
        use_model: bool = True,
    ) -> None:
        if scorer is not None and not isinstance(scorer, Reviewer):
            raise InputTypeError(f"scorer is a {type(scorer).__name__}.", fix="pass an object with review(), or None")
        self.scorer = scorer
        self.verifier = verifier or VerifiedScorer(load_model(not use_model))
        self.detector = detector or InjectionDetector()
        self.policy = policy or self.verifier.policy
        self.fail_closed = fail_closed
        self._prepared = (
            source
            if source is None or isinstance(source, PreparedSource)
            else self.verifier.prepare(source, policy=self.policy)
        )

    def check(
        self,
        prompt: str,
        response: str,
        *,
        source: Sources | PreparedSource | None = None,
        documents: Sequence[str | Source] = (),
        tenant_id: str = "",
        request_id: str = "",
    ) -> GuardReport:
        """Review, verify and scan one answer; what fails is listed and, by default, counts against it."""
        errors: list[str] = []
        reasons: list[str] = []
        given = source if source is not None else self._prepared
        verification = self._try("verification", errors, lambda: self._verify(prompt, response, given))
        coherence = self._try("coherence", errors, lambda: self._review(prompt, response))
        injection = self._try("injection", errors, lambda: self._detect(prompt, response, documents))
        corrections: list[Correction] = []
        if verification is not None and not verification.approved:
            blocking = [verdict for verdict in verification.claims if is_rejected(verdict, self.policy)]
            reasons += [str(reason) for verdict in blocking for reason in verdict.reasons] or ["not_grounded"]
            if given is not None:
                found = self._try(
                    "corrections", [], lambda: suggest_corrections(response, blocking, given, self.verifier)
                )
                corrections = found or []
        if isinstance(response, str) and len(response) > self.policy.max_response_chars:
            reasons.append("too_long")  # what lies past the limit was not read
        if coherence is not None and not coherence.approved:
            reasons.append("incoherent")
        if injection is not None and injection.injection_detected:
            reasons.append("injection")
        if verification is None and coherence is None and not errors:
            reasons.append("nothing_was_checked")  # no source and no scorer: an answer nobody looked at
        if errors and self.fail_closed:
            reasons.append("check_failed")
        reasons = list(dict.fromkeys(reasons))
        event = SafetyEvent(
            hook_id=HOOK,
            hook_scope=HookScope.AGENT,
            policy_decision=PolicyDecision.BLOCK if reasons else PolicyDecision.ALLOW,
            request_id=request_id if isinstance(request_id, str) else "",
            tenant_id=tenant_id if isinstance(tenant_id, str) else "",
            tenant_safe_explanation="; ".join(reasons) or "every check passed",
        )
        return GuardReport(
            not reasons, tuple(reasons), verification, coherence, injection, tuple(corrections), tuple(errors), (event,)
        )

    def check_injection(
        self,
        response: str,
        intent: str = "",
        *,
        user_query: str = "",
        system_prompt: str = "",
        documents: Sequence[str | Source] = (),
    ) -> InjectionResult:
        """Scan for instructions the user never gave; input that cannot be read counts as detected."""
        errors: list[str] = []
        found = self._try(
            "injection",
            errors,
            lambda: self.detector.detect(
                response, intent, user_query=user_query, system_prompt=system_prompt, documents=documents
            ),
        )
        return found if found is not None else _unreadable(self.fail_closed, errors)

    def _verify(self, prompt: str, response: str, source: Sources | PreparedSource | None) -> VerificationResult | None:
        if source is None:
            return None
        return self.verifier.verify(response, source, question=prompt or None, policy=self.policy)

    def _review(self, prompt: str, response: str) -> CoherenceScore | None:
        return None if self.scorer is None else self.scorer.review(prompt, response)[1]

    def _detect(self, prompt: str, response: str, documents: Sequence[str | Source]) -> InjectionResult:
        return self.detector.detect(response, prompt, user_query=prompt, documents=documents)

    def _try(self, name: str, errors: list[str], check: Callable[[], T]) -> T | None:
        try:
            return check()
        except Exception as error:  # noqa: BLE001, RUF100 - the edge: it fails closed and says so
            # The name alone: a message may quote the text.
            _log.warning("The check %s failed: %s", name, type(error).__name__)
            errors.append(f"{name}: {type(error).__name__}")
            return None


def _unreadable(detected: bool, errors: list[str]) -> InjectionResult:
    risk = 1.0 if detected else 0.0
    return InjectionResult(
        injection_detected=detected,
        injection_risk=risk,
        intent_coverage=1.0 - risk,
        total_claims=0,
        grounded_claims=0,
        drifted_claims=0,
        injected_claims=0,
        claims=[],
        input_sanitizer_score=risk,
        combined_score=risk,
        findings=(),
        notes=tuple(f"not checked: {error}" for error in errors),
    )
