"""Check an answer against its sources and act on what is found; every SDK door uses this."""

import logging
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

from groundwire.errors import AnswerRejectedError, InputError, InputTypeError, ModelError
from groundwire.events import EventSink, check_sinks, emit
from groundwire.guard.corrections import suggest_corrections
from groundwire.nli import NLI, DivergenceScorer
from groundwire.nli.shipped import load_model
from groundwire.stream import AsyncClaimStream, ClaimStream, StreamMode, certainty
from groundwire.stream.model import sound
from groundwire.stream.timed import call
from groundwire.types import (
    ClaimVerdict,
    Correction,
    GuardReport,
    HookScope,
    Policy,
    PolicyDecision,
    SafetyEvent,
    VerificationResult,
)
from groundwire.verify import PreparedSource, Sources, VerifiedScorer, is_rejected

HOOK = "guard.answer"
BLOCKED = "This answer was withheld: a statement in it is not supported by the sources."
SourceGiver = Sources | PreparedSource | Callable[[Mapping[str, Any]], Sources]

_log = logging.getLogger("groundwire.guard")
_LONGEST_QUOTE = 300


class OnReject(StrEnum):
    """What a guard does with an answer it does not approve."""

    RAISE = "raise"
    BLOCK = "block"
    WARN = "warn"
    ANNOTATE = "annotate"
    RETRY = "retry_with_evidence"


class Reviewed(NamedTuple):
    """An answer, its verdicts, and the claims that stand in its way."""

    text: str
    result: VerificationResult
    rejected: list[ClaimVerdict]
    corrections: list[Correction]
    approved: bool


class AnswerGuard:
    """Hold the settings of one guarded client; safe to share between threads."""

    def __init__(
        self,
        source: SourceGiver,
        *,
        on_reject: str = OnReject.RAISE,
        mode: str = StreamMode.HOLD_SENTENCE,
        policy: Policy | None = None,
        nli_scorer: NLI | DivergenceScorer | None = None,
        use_model: bool = True,
        min_certainty: float = 0.0,
        retries: int = 2,
        blocked_text: str = BLOCKED,
        check_timeout_s: float | None = 30.0,
        sinks: Sequence[EventSink] = (),
        request_id: str = "",
        tenant_id: str = "",
    ) -> None:
        known = [str(item) for item in OnReject]
        if on_reject not in known:
            raise InputError(f"on_reject is {on_reject!r}.", fix=f"choose from {', '.join(known)}")
        if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= 10:
            raise InputError(f"retries is {retries!r}.", fix="pass a whole number from 0 to 10")
        if not isinstance(blocked_text, str):
            raise InputTypeError(f"blocked_text is a {type(blocked_text).__name__}.", fix="pass a str")
        self.on_reject = OnReject(on_reject)
        self.retries = retries
        self.blocked_text = blocked_text
        # Told nothing, a guard takes the shipped model, as the command line does.
        nli_scorer = nli_scorer if nli_scorer is not None else load_model(not use_model)
        VerifiedScorer(nli_scorer)  # refuses what is no scorer
        self.scorer = VerifiedScorer(sound(nli_scorer))
        self.policy = policy or self.scorer.policy
        self._nli = nli_scorer
        self._min_certainty = min_certainty
        self._timeout = check_timeout_s
        self._sinks = check_sinks(sinks)
        self._ids = (request_id, tenant_id)
        self._source = source if callable(source) else self._prepare(source)
        # Said at once, not at the first answer.
        self._stream_options = {
            # A retry starts the answer anew, so nothing of the first one may have been seen.
            "mode": StreamMode.BUFFERED if self.on_reject == OnReject.RETRY else mode,
            "policy": self.policy, "nli_scorer": nli_scorer, "check_timeout_s": check_timeout_s, "sinks": self._sinks,
            "halt": self.on_reject not in (OnReject.WARN, OnReject.ANNOTATE),
            "min_certainty": min_certainty,
            "note": note if self.on_reject == OnReject.ANNOTATE else None,
            "request_id": request_id, "tenant_id": tenant_id,
        }  # fmt: skip
        ClaimStream("", **self._stream_options)  # type: ignore[arg-type]

    def _prepare(self, source: Sources | PreparedSource) -> PreparedSource:
        return source if isinstance(source, PreparedSource) else self.scorer.prepare(source, policy=self.policy)

    def source_for(self, request: Mapping[str, Any]) -> PreparedSource:
        """Return the source of one request, indexed."""
        return self._prepare(self._source(request)) if callable(self._source) else self._source

    def stream(self, prepared: PreparedSource, question: str | None) -> ClaimStream:
        """Open a claim stream for one answer."""
        return ClaimStream(prepared, question=question, **self._stream_options)  # type: ignore[arg-type]

    def stream_async(self, prepared: PreparedSource, question: str | None) -> AsyncClaimStream:
        """Open an async claim stream for one answer."""
        return AsyncClaimStream(prepared, question=question, **self._stream_options)  # type: ignore[arg-type]

    def review(self, text: str, prepared: PreparedSource, question: str | None) -> Reviewed:
        """Verify a whole answer; a model that hangs or fails is an error, never a pass."""
        verify = partial(self.scorer.verify, text, prepared, question=question, policy=self.policy)
        try:
            result = call(verify, self._timeout if self._nli is not None else None)
        except TimeoutError as error:
            raise ModelError(
                "The answer could not be checked.", why="the model took too long", fix="try again", retry=True
            ) from error
        rejected = [verdict for verdict in result.claims if self._is_rejected(verdict)]
        corrections = suggest_corrections(text, rejected, prepared, self.scorer)
        # What lies past the limit was not read, and a probability may refuse an answer whose claims all pass.
        whole = len(text) <= self.policy.max_response_chars and (result.approved or self._min_certainty > 0.0)
        return Reviewed(text, result, rejected, corrections, whole and not rejected)

    def _is_rejected(self, verdict: ClaimVerdict) -> bool:
        least = self._min_certainty
        if not is_rejected(verdict, self.policy):
            return False
        return least <= 0.0 or certainty(verdict, with_model=self._nli is not None) >= least

    def act(self, reviewed: Reviewed) -> str:
        """Return the text that may be shown, or raise."""
        if reviewed.approved:
            return reviewed.text
        decision = PolicyDecision.WARN if self.is_lenient else PolicyDecision.BLOCK
        emit(self.event(reviewed, decision), self._sinks)
        if self.on_reject == OnReject.RAISE:
            raise rejected_error(reviewed.result, len(reviewed.rejected))
        if self.on_reject == OnReject.WARN:
            _log.warning("An answer has %d claims that the sources do not support.", len(reviewed.rejected))
            return reviewed.text
        return annotated(reviewed) if self.on_reject == OnReject.ANNOTATE else self.blocked_text

    @property
    def is_lenient(self) -> bool:
        """Tell whether rejected answers are let through."""
        return self.on_reject in (OnReject.WARN, OnReject.ANNOTATE)

    def event(self, reviewed: Reviewed, decision: PolicyDecision) -> SafetyEvent:
        """Describe the decision on an answer without any of its text."""
        first = reviewed.rejected[0] if reviewed.rejected else None
        spans = first.evidence_spans if first else []
        return SafetyEvent(
            hook_id=HOOK,
            hook_scope=HookScope.AGENT,
            policy_decision=decision,
            request_id=self._ids[0],
            tenant_id=self._ids[1],
            halt_reason=str(first.verdict) if first else str(reviewed.result.status),
            observed_score=first.confidence if first else None,
            threshold=self.policy.block_confidence,
            evidence_refs=tuple(f"{span.source_id}:{span.start}-{span.end}" for span in spans),
            tenant_safe_explanation=f"{len(reviewed.rejected)} claims of the answer were not supported.",
            attributes={"action": str(self.on_reject)},
        )

    def report(self, reviewed: Reviewed) -> dict[str, Any]:
        """Return what is put beside the answer."""
        reasons = tuple(dict.fromkeys(reason for verdict in reviewed.rejected for reason in verdict.reasons))
        return GuardReport(
            reviewed.approved, reasons, reviewed.result, corrections=tuple(reviewed.corrections)
        ).to_dict()


def rejected_error(result: VerificationResult, count: int) -> AnswerRejectedError:
    """Make the error of an answer that was refused."""
    claims = "claim is" if count == 1 else "claims are"
    why = f"{count} {claims} not supported by the sources" if count else "it could not be checked as a whole"
    return AnswerRejectedError(
        f"The answer was rejected: {why}.",
        result,
        fix="read error.result.claims for the verdicts and their evidence",
    )


def note(verdict: ClaimVerdict) -> str:
    """Write what stands behind a rejected claim in an annotated answer."""
    told = next((item.source_text for item in verdict.conflicts if item.hard and item.source_text), "")
    seen = f'; the source says "{_short(told)}"' if told else ""
    return f" [{verdict.verdict}{seen}]"


def annotated(reviewed: Reviewed) -> str:
    """Put a note behind every rejected claim."""
    pieces, place = [], 0
    for verdict in reviewed.rejected:
        pieces += [reviewed.text[place : verdict.end], note(verdict)]
        place = verdict.end
    return "".join([*pieces, reviewed.text[place:]])


def retry_request(rejected: Sequence[ClaimVerdict]) -> str:
    """Ask for the answer again, with the evidence that the first one went against."""
    lines = ["Some statements of your answer are not supported by the sources. Write the whole answer again."]
    for verdict in rejected:
        lines.append(f'- You wrote: "{_short(verdict.claim)}"')
        lines += [f'  The source says: "{_short(span.text)}"' for span in verdict.evidence_spans[:2]]
    lines.append("Say only what the sources say, and leave out what they do not tell.")
    return "\n".join(lines)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST_QUOTE else flat[: _LONGEST_QUOTE - 1] + "…"
