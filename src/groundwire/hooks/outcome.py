"""Turn findings into what every verdict carries: the decision and its one safety event."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from groundwire.text.lexicon import load_map
from groundwire.types import HookFinding, HookScope, PolicyDecision, SafetyEvent

ALLOWED = "allowed"
HOOK_ERROR = "hook_error"


def settle(
    hook_id: str,
    scope: HookScope,
    started: float,
    findings: Sequence[HookFinding],
    *,
    score: float | None = None,
    threshold: float | None = None,
    attributes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the fields that all verdicts share; no finding means allowed.

    The event is built from rule names and identifiers alone, so that no text of the action can be in it.
    """
    allowed = not findings
    reason = ALLOWED if allowed else findings[0].rule
    event = SafetyEvent(
        hook_id=hook_id,
        hook_scope=scope,
        policy_decision=PolicyDecision.ALLOW if allowed else PolicyDecision.BLOCK,
        halt_reason="" if allowed else reason,
        threshold=threshold,
        observed_score=score,
        latency_ms=round(1000 * (perf_counter() - started), 4),
        tenant_safe_explanation=explain(reason),
        attributes={
            **(attributes or {}),
            **({} if allowed else {"rules": ",".join(dict.fromkeys(item.rule for item in findings))}),
        },
    )
    return {
        "allowed": allowed,
        "reason": reason,
        "score": score,
        "safety_event": event,
        "findings": tuple(findings),
    }


def failed(error: Exception) -> HookFinding:
    """Return the finding of a check that broke: the action is blocked, never waved through."""
    # The kind of error only: its message may quote the input.
    return HookFinding(HOOK_ERROR, "", f"The check itself failed ({type(error).__name__}).")


def explain(rule: str) -> str:
    """Say in one sentence, without any text of the action, what a rule means."""
    return load_map("hook_rules")[rule]
