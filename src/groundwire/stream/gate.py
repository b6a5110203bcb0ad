"""What of a growing answer may be shown: the part that sync and async claim streams share."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from groundwire.events import EventSink, emit
from groundwire.stream.certainty import certainty
from groundwire.stream.evidence import Findings, diagnose, halt_evidence, labels
from groundwire.text.claims import Claim
from groundwire.text.entities import capitals_in
from groundwire.text.feed import ClaimFeed, Settled
from groundwire.types import (
    ClaimVerdict,
    CounterfactualHaltDiagnostic,
    EvidenceChunk,
    HaltReason,
    HookScope,
    Policy,
    PolicyDecision,
    SafetyEvent,
    StreamSession,
    TokenEvent,
    Verdict,
)
from groundwire.verify import RunningVerification

HOOK = "streaming.claims"
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class StreamMode(StrEnum):
    """When a reader sees the text of a claim."""

    IMMEDIATE = "immediate"  # at once; a rejected claim ends the stream behind it
    HOLD_SENTENCE = "hold_sentence"  # when it was checked; a rejected claim is never seen
    BUFFERED = "buffered"  # when the whole answer was checked


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How a claim stream treats its text."""

    mode: StreamMode
    policy: Policy
    halts: bool
    min_certainty: float  # a rejection that is less sure lets the claim pass
    note: Callable[[ClaimVerdict], str] | None  # what is written behind a claim that was let through nevertheless
    has_model: bool
    sinks: tuple[EventSink, ...]
    request_id: str
    tenant_id: str


class Gate:
    """Take tokens, hand out settled claims to be checked, and say which text may be shown."""

    def __init__(self, settings: GateSettings, feed: ClaimFeed, run: RunningVerification) -> None:
        self.session = StreamSession(start_time=time.time())
        self.run = run
        self.verdicts: list[ClaimVerdict] = []
        self.rejected: list[ClaimVerdict] = []
        self._settings = settings
        self._feed = feed
        self._text = ""  # what was taken and let go neither to the reader nor to the buffer
        self._passed = 0  # where that text begins in the whole answer
        self._ready = ""  # what the buffered mode shows at the end
        self._used = 0
        self._half = ""  # the first half of a character that JSON spells as two

    @property
    def withheld(self) -> str:
        """Return the text that was taken and not shown."""
        return self._ready + self._text + self._half if self.session.halted else self._text + self._half

    def take(self, token: object) -> list[Settled]:
        """Take the next token and return the claims it completes."""
        if not isinstance(token, str):
            self.fail(HaltReason.BAD_TOKEN, None)
            return []
        # An empty token counts too: a stream of nothing else would never end.
        self._used += len(token) or 1
        if self._used > self._settings.policy.max_response_chars:
            self.fail(HaltReason.STREAM_LIMIT, None)
            return []
        if not token.isascii() or self._half:
            token = self._whole_characters(token)
        self._text += token
        return self._feed.feed(token)

    def close(self) -> list[Settled]:
        """Take the end of the answer and return the last claims."""
        if self._half:
            half, self._half = self._half, ""
            self._text += half
            return [*self._feed.feed(half), *self._feed.close()]
        return self._feed.close()

    def show_open(self) -> str:
        """Return the text that needs no claim to be finished first."""
        return self._show(self._feed.safe, None) if self._settings.mode == StreamMode.IMMEDIATE else ""

    def show_before(self, settled: Settled) -> str:
        """Return the text of a claim that is shown before it is checked."""
        return self._show(settled.end, None) if self._settings.mode == StreamMode.IMMEDIATE else ""

    def check(self, claims: Sequence[Claim]) -> list[ClaimVerdict]:
        """Check the claims of one sentence."""
        return self.run.check(claims, capitals_in(" ".join(claim.text for claim in claims)))

    def decide(self, settled: Settled, verdicts: Sequence[ClaimVerdict]) -> str:
        """Record the verdicts of one sentence and return the text they let go."""
        self.verdicts += verdicts
        scores = [verdict.support_probability for verdict in verdicts if verdict.support_probability is not None]
        self.session.coherence_history += scores
        rejected = [verdict for verdict in verdicts if self._is_rejected(verdict)]
        self.rejected += rejected
        if rejected and self._settings.halts:
            self._halt(settled, rejected[0], min(scores, default=None))
            return ""
        notes = ""
        for verdict in rejected:
            self._warn(verdict)
            notes += self._settings.note(verdict) if self._settings.note else ""
        if self._settings.mode == StreamMode.IMMEDIATE:
            return self._put(notes, None, warning=True) if notes else ""
        score = min(scores, default=None)
        if self._settings.mode == StreamMode.HOLD_SENTENCE:
            return self._show(settled.end, score, notes, warning=bool(rejected))
        self._ready += self._cut(settled.end) + notes
        return ""

    def _is_rejected(self, verdict: ClaimVerdict) -> bool:
        if not self.run.is_rejected(verdict):
            return False
        least = self._settings.min_certainty
        return least <= 0.0 or certainty(verdict, with_model=self._settings.has_model) >= least

    def show_rest(self) -> str:
        """Return what is left when the answer is over and nothing stopped it."""
        if self.session.halted:
            return ""
        text = self._ready + self._cut(self._feed.length)
        return self._put(text, None) if text else ""

    def fail(self, reason: HaltReason, error: BaseException | None) -> None:
        """Stop because the next text cannot be checked."""
        if self.session.halted:
            return
        cause = f": {type(error).__name__}" if error is not None else ""
        self._stop(reason, Findings([]), "", None, 0.0, None, None)
        self.session.halt_evidence = f"{reason}{cause}"

    def end(self) -> None:
        """Close the session."""
        self.session.end_time = time.time()

    def _whole_characters(self, token: str) -> str:
        text = self._half + token
        self._half = ""
        if not _HALF_PAIR.search(text):
            return text
        text = _PAIR.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return text

    def _cut(self, end: int) -> str:
        size = max(0, end - self._passed)
        text, self._text = self._text[:size], self._text[size:]
        self._passed += size
        return text

    def _show(self, end: int, score: float | None, notes: str = "", *, warning: bool = False) -> str:
        text = self._cut(end) + notes
        return self._put(text, score, warning=warning) if text else ""

    def _put(self, text: str, score: float | None, *, warning: bool = False) -> str:
        session = self.session
        session.events.append(TokenEvent(text, len(session.events), score, time.time(), warning=warning))
        session.tokens.append(text)
        return text

    def _halt(self, settled: Settled, verdict: ClaimVerdict, score: float | None) -> None:
        policy = self._settings.policy
        findings = _findings(verdict, self._settings.has_model)
        is_doubt = verdict.verdict in (Verdict.UNVERIFIABLE, Verdict.SUPPORTED)  # refused for its probability
        threshold = None if is_doubt else policy.block_confidence
        withheld = self._text[: max(0, settled.end - self._passed)]
        self._stop(
            HaltReason(verdict.verdict), findings, withheld, score, verdict.confidence, threshold,
            _diagnose(verdict, findings, policy.block_confidence),
        )  # fmt: skip
        reasons = ", ".join(verdict.reasons)
        places = "; ".join(_clashing(verdict, labels(findings.chunks)))
        self.session.halt_evidence = f"{verdict.verdict} ({reasons})" + (f", see {places}" if places else "")

    def _stop(
        self, reason: HaltReason, findings: Findings, token: str, score: float | None, last_score: float,
        threshold: float | None, diagnostic: CounterfactualHaltDiagnostic | None,
    ) -> None:  # fmt: skip
        session = self.session
        index = len(session.events)
        evidence = halt_evidence(
            reason, findings, last_score=last_score, token_offset=index, threshold=threshold,
            observed=last_score, diagnostic=diagnostic,
        )  # fmt: skip
        now = time.time()
        event = SafetyEvent.from_halt_evidence(
            evidence,
            hook_id=HOOK,
            request_id=self._settings.request_id,
            tenant_id=self._settings.tenant_id,
            latency_ms=(now - session.start_time) * 1000.0,
            evidence_refs=labels(findings.chunks),
            attributes={"mode": str(self._settings.mode)},
        )
        session.events.append(TokenEvent(token, index, score, now, halted=True, safety_event=event))
        session.halted = True
        session.halt_index = index
        session.halt_reason = str(reason)
        session.halt_evidence_structured = evidence
        session.safety_events.append(event)
        emit(event, self._settings.sinks)

    def _warn(self, verdict: ClaimVerdict) -> None:
        findings = _findings(verdict, self._settings.has_model)
        event = SafetyEvent(
            hook_id=HOOK,
            hook_scope=HookScope.STREAMING,
            policy_decision=PolicyDecision.WARN,
            request_id=self._settings.request_id,
            tenant_id=self._settings.tenant_id,
            halt_reason=str(verdict.verdict),
            observed_score=verdict.confidence,
            threshold=self._settings.policy.block_confidence,
            evidence_refs=labels(findings.chunks),
            tenant_safe_explanation=f"A claim was not stopped: {verdict.verdict}.",
            attributes={"mode": str(self._settings.mode)},
        )
        self.session.safety_events.append(event)
        emit(event, self._settings.sinks)


def _clashing(verdict: ClaimVerdict, names: Sequence[str]) -> list[str]:
    """Name the source sentences that the claim goes against, or else the nearest one."""
    places = {(item.source_id, item.source_start) for item in verdict.conflicts}
    found = [
        name
        for name, span in zip(names, verdict.evidence_spans, strict=True)
        if any(source == span.source_id and span.start <= start < span.end for source, start in places)
    ]
    return found or list(names[:1])


def _findings(verdict: ClaimVerdict, has_model: bool) -> Findings:
    spans = verdict.evidence_spans
    chunks = [
        EvidenceChunk(span.text, span.nli_divergence, f"{span.source_id}:{span.start}-{span.end}") for span in spans
    ]
    scores = [span.nli_divergence for span in spans] if has_model else None
    return Findings(chunks, scores, "index", "nli" if has_model else "words")


def _diagnose(verdict: ClaimVerdict, findings: Findings, threshold: float) -> CounterfactualHaltDiagnostic | None:
    clashes = [(item.source_id, item.source_start) for item in verdict.conflicts if item.source_start >= 0]

    def prevents(number: int) -> bool:
        span = verdict.evidence_spans[number]
        return bool(clashes) and all(
            source == span.source_id and span.start <= start < span.end for source, start in clashes
        )

    return diagnose(findings, verdict.claim, observed=verdict.confidence, threshold=threshold, prevents=prevents)
