"""One run of a kernel: what was emitted, scored and decided."""

import re
import time
from dataclasses import dataclass

from groundwire.events import EventSink, emit
from groundwire.stream.evidence import (
    Evidence,
    Findings,
    Rescore,
    diagnose,
    halt_evidence,
    is_alone,
    labels,
    read_findings,
    replaced,
)
from groundwire.stream.step import Crossing, Limits, step
from groundwire.text.sentences import split_sentences
from groundwire.types import CounterfactualHaltDiagnostic, HaltReason, SafetyEvent, StreamSession, TokenEvent

HOOK = "streaming.kernel"
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*(?:\s|$)|\n")
_LONGEST_CLAIM = 2_000


@dataclass(frozen=True, slots=True)
class Settings:
    """How a kernel treats its streams."""

    limits: Limits
    is_soft: bool
    soft_halt_cap: int
    score_every_n: int
    max_tokens: int
    sinks: tuple[EventSink, ...]


class KernelRun:
    """Keep the session of one stream; sync and async kernels drive it alike."""

    def __init__(self, settings: Settings, request_id: str, tenant_id: str, rescore: Rescore | None) -> None:
        self.session = StreamSession(start_time=time.time())
        self.text = ""
        self.is_open = True
        self._settings = settings
        self._ids = (request_id, tenant_id)
        self._rescore = rescore
        self._seen = 0
        self._token = ""
        self._crossing: Crossing | None = None
        self._grace = -1  # tokens that a soft halt still lets through; -1 before a halt

    def admit(self, token: object) -> bool:
        """Take the next token and tell whether it must be scored."""
        if not isinstance(token, str):
            self.fail(HaltReason.BAD_TOKEN, None)
            return False
        if self._seen >= self._settings.max_tokens:
            self.fail(HaltReason.STREAM_LIMIT, None)
            return False
        self._seen += 1
        if self._grace >= 0:
            self._let_through(token)
            return False
        self._token = token
        self.text += token
        if self._seen % self._settings.score_every_n == 0:
            return True
        self._emit(None)
        return False

    def judge(self, score: float) -> bool:
        """Record a score and tell whether it halts the stream; a token that passes is emitted."""
        history = self.session.coherence_history
        history.append(score)
        self._crossing = step(history, self._settings.limits)
        if self._crossing is not None:
            return True
        self._emit(score)
        return False

    def halt(self, evidence: Evidence) -> None:
        """Stop at the token that crossed a limit."""
        crossing = self._crossing
        if crossing is None:
            return
        findings = read_findings(evidence)
        self._stop(crossing.reason, findings, crossing, self._diagnose(findings, crossing))
        session = self.session
        session.halt_evidence = (
            f"{crossing.reason} at token {session.halt_index}: {crossing.observed:.3f} against {crossing.threshold:.3f}"
        )
        if not self._settings.is_soft:
            self.is_open = False
            return
        session.soft_halted = True
        session.tokens.append(self._token)
        self._grace = self._settings.soft_halt_cap
        self.is_open = self._grace > 0 and not _SENTENCE_END.search(self._token)

    def fail(self, reason: HaltReason, error: Exception | None) -> None:
        """Stop because nothing can be said of the next token."""
        self.is_open = False
        if self.session.halted:
            return  # a soft halt that was under way
        self._stop(reason, Findings([]), None, None)
        cause = f": {type(error).__name__}" if error is not None else ""
        self.session.halt_evidence = f"{reason} at token {self.session.halt_index}{cause}"

    def end(self) -> StreamSession:
        """Close the session."""
        self.session.end_time = time.time()
        return self.session

    def _emit(self, score: float | None) -> None:
        session = self.session
        session.events.append(TokenEvent(self._token, len(session.events), score, time.time()))
        session.tokens.append(self._token)

    def _let_through(self, token: str) -> None:
        session = self.session
        session.events.append(TokenEvent(token, len(session.events), None, time.time(), warning=True))
        session.tokens.append(token)
        self._grace -= 1
        self.is_open = self._grace > 0 and not _SENTENCE_END.search(token)

    def _stop(
        self,
        reason: HaltReason,
        findings: Findings,
        crossing: Crossing | None,
        diagnostic: CounterfactualHaltDiagnostic | None,
    ) -> None:
        session = self.session
        index = len(session.events)
        history = session.coherence_history
        evidence = halt_evidence(
            reason,
            findings,
            last_score=history[-1] if history else 0.0,
            token_offset=index,
            threshold=crossing.threshold if crossing else None,
            observed=crossing.observed if crossing else None,
            diagnostic=diagnostic,
        )
        now = time.time()
        event = SafetyEvent.from_halt_evidence(
            evidence,
            hook_id=HOOK,
            request_id=self._ids[0],
            tenant_id=self._ids[1],
            latency_ms=(now - session.start_time) * 1000.0,
            evidence_refs=labels(findings.chunks),
        )
        score = history[-1] if crossing else None
        token = self._token if crossing or reason.startswith("callback") else ""
        session.events.append(TokenEvent(token, index, score, now, halted=True, safety_event=event))
        session.halted = True
        session.halt_index = index
        session.halt_reason = str(reason)
        session.halt_evidence_structured = evidence
        session.safety_events.append(event)
        emit(event, self._settings.sinks)

    def _diagnose(self, findings: Findings, crossing: Crossing) -> CounterfactualHaltDiagnostic | None:
        units = split_sentences(self.text[-_LONGEST_CLAIM:])
        claim = units[-1].text if units else self.text[-_LONGEST_CLAIM:].strip()

        def prevents(number: int) -> bool:
            if self._rescore is None:
                return is_alone(findings, number)
            try:
                return self._rescore(self.text, replaced(findings.chunks, number, claim)) >= crossing.needed
            except Exception:  # noqa: BLE001, RUF100 - a diagnostic never changes the decision
                return False

        return diagnose(findings, claim, observed=crossing.observed, threshold=crossing.threshold, prevents=prevents)
