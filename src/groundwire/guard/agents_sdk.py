"""Hang hooks into the OpenAI Agents SDK: its guardrails ask them, its tripwires carry their verdicts."""

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from groundwire.errors import MissingExtraError
from groundwire.hooks import Action, ActionKind, ContainmentGuard
from groundwire.types import HookVerdict


class TextHook(Protocol):
    """Any hook that can be asked about one text."""

    def check(self, text: str, /) -> HookVerdict:
        """Judge a text."""
        ...


def output_guardrail(hook: TextHook, name: str = "") -> Any:
    """Return an `OutputGuardrail` that trips when the hook does not allow the final output."""
    agents = _agents()

    def judge(context: Any, agent: Any, output: Any) -> Any:
        return _tripwire(agents, hook.check(_text(output)))

    return agents.OutputGuardrail(guardrail_function=judge, name=name or type(hook).__name__)


def input_guardrail(hook: TextHook, name: str = "") -> Any:
    """Return an `InputGuardrail` that trips when the hook does not allow the input; the agent waits for it."""
    agents = _agents()

    def judge(context: Any, agent: Any, given: Any) -> Any:
        return _tripwire(agents, hook.check(_text(given)))

    # Not in parallel: what runs beside its guard has already begun.
    return agents.InputGuardrail(guardrail_function=judge, name=name or type(hook).__name__, run_in_parallel=False)


def tool_guardrail(
    guard: ContainmentGuard, name: str = "", *, on_verdict: Callable[[HookVerdict], None] | None = None
) -> Any:
    """Return a `ToolInputGuardrail` that keeps a tool from running unless the guard allows the call."""
    agents = _agents()

    def judge(data: Any) -> Any:
        verdict = guard.check(_call(data.context.tool_name, data.context.tool_arguments))
        if on_verdict is not None:
            on_verdict(verdict)
        info = _event(verdict)
        if verdict.allowed:
            return agents.ToolGuardrailFunctionOutput.allow(output_info=info)
        # The model is told the rule, not the details: it learns that it may not, not how it was noticed.
        return agents.ToolGuardrailFunctionOutput.reject_content(
            message=f"Not allowed: {verdict.reason}.", output_info=info
        )

    return agents.ToolInputGuardrail(guardrail_function=judge, name=name or "containment")


def _call(name: str, arguments: str) -> Action:
    try:
        read = json.loads(arguments) if arguments else {}
    except (ValueError, RecursionError):
        read = None
    # Arguments that are no object fit no policy: they are handed on under a name that none describes.
    return Action(ActionKind.TOOL, name, read if isinstance(read, dict) else {"": arguments})


def _tripwire(agents: Any, verdict: HookVerdict) -> Any:
    return agents.GuardrailFunctionOutput(output_info=_event(verdict), tripwire_triggered=verdict.allowed is not True)


def _event(verdict: HookVerdict) -> dict[str, Any]:
    return verdict.safety_event.to_dict() if verdict.safety_event else {"halt_reason": verdict.reason}


def _text(value: Any) -> str:
    """Return what a person or model wrote in an input or output of any shape."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text, value)))
    if isinstance(value, dict):
        return _text(value.get("content") or value.get("text") or "")
    if hasattr(value, "model_dump_json"):
        return str(value.model_dump_json())
    return json.dumps(value, default=str, ensure_ascii=False)


def _agents() -> Any:
    try:
        return import_module("agents")
    except ImportError as error:
        raise MissingExtraError("The Agents SDK adapter", "openai") from error
