"""`CoherenceAgent`: write several answers, review each, keep the best that passes."""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from groundwire.errors import InputError, InputTypeError
from groundwire.events import EventSink, check_sinks, emit
from groundwire.types import (
    CoherenceScore,
    EvidenceChunk,
    HaltEvidence,
    HaltTraceAttribution,
    HookScope,
    HookVerdict,
    PolicyDecision,
    ReviewResult,
    SafetyEvent,
)

HOOK = "agent.coherence"
Generator = Callable[[str], str | Iterable[str]]

_log = logging.getLogger("groundwire.guard")


@runtime_checkable
class Reviewer(Protocol):
    """What the agent and the guard need of a coherence scorer."""

    def review(self, prompt: str, response: str) -> tuple[bool, CoherenceScore]:
        """Decide whether a response may pass, and say why."""
        ...


@runtime_checkable
class Hook(Protocol):
    """Any object with `check`; it is asked about every answer that passed the review."""

    def check(self, response: str, /) -> Any:
        """Return a verdict with `allowed` and `safety_event`."""
        ...


class CoherenceAgent:
    """Ask a generator for candidates and settle on the best approved one."""

    def __init__(
        self,
        generator: Generator,
        scorer: Reviewer,
        *,
        hooks: Sequence[Hook] = (),
        fallback: str | None = None,
        candidates: int = 3,
        sinks: Sequence[EventSink] = (),
    ) -> None:
        if not callable(generator):
            raise InputTypeError(f"generator is a {type(generator).__name__}.", fix="pass a function of the prompt")
        if not isinstance(scorer, Reviewer):
            raise InputTypeError(f"scorer is a {type(scorer).__name__}.", fix="pass an object with review()")
        for hook in hooks:
            if not callable(getattr(hook, "check", None)):
                raise InputTypeError(f"A hook is a {type(hook).__name__}.", fix="pass objects with check()")
        if isinstance(candidates, bool) or not isinstance(candidates, int) or not 1 <= candidates <= 100:
            raise InputError(f"candidates is {candidates!r}.", fix="pass a whole number from 1 to 100")
        if fallback is not None and not isinstance(fallback, str):
            raise InputTypeError(f"fallback is a {type(fallback).__name__}.", fix="pass a text, or None to halt")
        self.generator = generator
        self.scorer = scorer
        self.hooks = tuple(hooks)
        self.fallback = fallback
        self.candidates = candidates
        self._sinks = check_sinks(sinks)

    def process(self, prompt: str, tenant_id: str = "", *, request_id: str = "") -> ReviewResult:
        """Return the best approved answer, the fallback, or a halt with its evidence."""
        if not isinstance(prompt, str):
            raise InputTypeError(f"prompt is a {type(prompt).__name__}.", fix="pass the prompt as a str")
        events: list[SafetyEvent] = []
        best: tuple[CoherenceScore, str] | None = None
        last: CoherenceScore | None = None
        evaluated = 0
        for _ in range(self.candidates):
            answer = self._generate(prompt)
            if answer is None:
                continue
            evaluated += 1
            score = self._review(prompt, answer, tenant_id)
            if score is None:
                continue
            if last is None or score.score > last.score:
                last = score
            if score.approved and self._is_allowed(answer, events) and (best is None or score.score > best[0].score):
                best = score, answer
        if best is not None:
            return ReviewResult(best[1], best[0], False, evaluated, safety_events=tuple(events))
        evidence = _evidence(last, evaluated)
        events.append(self._halt_event(evidence, tenant_id, request_id))
        emit(events[-1], self._sinks)
        if self.fallback is not None:
            return ReviewResult(self.fallback, None, False, evaluated, True, evidence, tuple(events))
        return ReviewResult("", last, True, evaluated, False, evidence, tuple(events))

    def _generate(self, prompt: str) -> str | None:
        try:
            made = self.generator(prompt)
            answer = made if isinstance(made, str) else "".join(made)
        except Exception as error:  # noqa: BLE001, RUF100 - one failed try leaves the others
            _log.warning("The generator failed: %s", type(error).__name__)
            return None
        return answer

    def _review(self, prompt: str, answer: str, tenant_id: str) -> CoherenceScore | None:
        try:
            if tenant_id:
                return self.scorer.review(prompt, answer, tenant_id=tenant_id)[1]  # type: ignore[call-arg]
            return self.scorer.review(prompt, answer)[1]
        except Exception as error:  # noqa: BLE001, RUF100 - what cannot be reviewed does not pass
            _log.warning("The review failed: %s", type(error).__name__)
            return None

    def _is_allowed(self, answer: str, events: list[SafetyEvent]) -> bool:
        allowed = True
        for hook in self.hooks:
            try:
                verdict = hook.check(answer)
            except Exception as error:  # noqa: BLE001, RUF100 - a hook that fails allows nothing
                _log.warning("The hook %s failed: %s", type(hook).__name__, type(error).__name__)
                events.append(_failed(hook))
                emit(events[-1], self._sinks)
                allowed = False
                continue
            event = getattr(verdict, "safety_event", None)
            if isinstance(event, SafetyEvent):
                events.append(event)
                emit(event, self._sinks)
            passed = verdict.allowed if isinstance(verdict, HookVerdict) else getattr(verdict, "allowed", False)
            allowed = allowed and passed is True
        return allowed

    def _halt_event(self, evidence: HaltEvidence, tenant_id: str, request_id: str) -> SafetyEvent:
        return SafetyEvent.from_halt_evidence(
            evidence, hook_id=HOOK, hook_scope=HookScope.AGENT, tenant_id=tenant_id, request_id=request_id
        )


def _failed(hook: object) -> SafetyEvent:
    return SafetyEvent(
        hook_id=f"agent.{type(hook).__name__}",
        hook_scope=HookScope.AGENT,
        policy_decision=PolicyDecision.BLOCK,
        tenant_safe_explanation="A hook failed, so nothing was allowed.",
    )


def _evidence(score: CoherenceScore | None, evaluated: int) -> HaltEvidence:
    chunks: list[EvidenceChunk] = []
    scores: list[float] | None = None
    if score is not None and score.evidence is not None:
        chunks, scores = list(score.evidence.chunks), score.evidence.chunk_scores
    return HaltEvidence(
        reason="no_candidate_approved" if evaluated else "no_candidate",
        last_score=score.score if score is not None else 0.0,
        evidence_chunks=chunks,
        nli_scores=scores,
        suggested_action="retry with KB context" if chunks else "lower temperature or rephrase",
        trace_attribution=HaltTraceAttribution(
            fact_source=", ".join(chunk.source or f"chunk-{number}" for number, chunk in enumerate(chunks)),
            scorer_path="coherence",
        ),
    )
