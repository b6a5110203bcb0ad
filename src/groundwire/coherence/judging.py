"""When a judge is asked, and what its answer changes."""

import threading
from collections import deque
from enum import StrEnum

from groundwire.errors import GroundwireError, InputError, InputTypeError
from groundwire.nli.judge import Judge, JudgeAnswer, consult

LLM_JUDGE_NLI_WEIGHT = 0.7
LLM_JUDGE_LLM_WEIGHT = 0.3
LLM_JUDGE_AGREE_DIVERGENCE = 0.2
LLM_JUDGE_DISAGREE_DIVERGENCE = 0.8
# Below this confidence a second opinion is worth its price.
LOW_CONFIDENCE = 0.5
_KEPT_FAILURES = 100


class JudgeMode(StrEnum):
    """When a judge is asked."""

    OFF = "off"
    LOW_CONFIDENCE = "low_confidence"
    HYBRID = "hybrid"


def blend(divergence: float, agrees: bool) -> float:
    """Put a measured divergence and a judge's yes or no together."""
    judged = LLM_JUDGE_AGREE_DIVERGENCE if agrees else LLM_JUDGE_DISAGREE_DIVERGENCE
    return round(LLM_JUDGE_NLI_WEIGHT * divergence + LLM_JUDGE_LLM_WEIGHT * judged, 12)


class Bench:
    """Ask a judge when the mode says so, and keep count of what went wrong; safe for threads."""

    def __init__(self, judge: Judge | None, mode: str) -> None:
        if mode not in list(JudgeMode):
            raise InputError(f"judge_mode is {mode!r}.", fix=f"choose from {', '.join(JudgeMode)}")
        if judge is not None and not callable(judge):
            raise InputTypeError(
                f"llm_judge is a {type(judge).__name__}.",
                fix="pass judge_from_openai(client, model), judge_from_anthropic(client, model) or a function",
            )
        if judge is None and mode != JudgeMode.OFF:
            raise InputError(f"judge_mode is {mode!r} without a judge.", fix="pass llm_judge, or leave judge_mode off")
        self.judge = judge
        self.mode = JudgeMode(mode)
        self._lock = threading.Lock()
        self._failures: deque[str] = deque(maxlen=_KEPT_FAILURES)

    @property
    def failures(self) -> list[str]:
        """List the last failures, oldest first; each says what happened, never what was asked."""
        with self._lock:
            return list(self._failures)

    def wanted(self, confidence: float | None) -> bool:
        """Tell whether a judge should be asked at this confidence."""
        if self.mode is JudgeMode.LOW_CONFIDENCE:
            return confidence is None or confidence < LOW_CONFIDENCE
        return self.mode is JudgeMode.HYBRID

    def ask(self, prompt: str, response: str, facts: str) -> JudgeAnswer | None:
        """Ask the judge; None when it gave no usable answer, which is then among the failures."""
        if self.judge is None:
            return None
        try:
            return consult(self.judge, prompt, response, facts)
        except GroundwireError as error:
            with self._lock:
                self._failures.append(str(error))
            return None
