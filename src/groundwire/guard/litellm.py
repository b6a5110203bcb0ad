"""LiteLLM's `completion` and `acompletion`, checked."""

from collections.abc import Callable
from typing import Any, NamedTuple

from groundwire.errors import MissingExtraError
from groundwire.guard.answers import AnswerGuard, SourceGiver
from groundwire.guard.door import guarded_call, guarded_call_async
from groundwire.guard.openai import ChatCompletions


class GuardedCompletions(NamedTuple):
    """The two functions, called as LiteLLM's own, with keywords."""

    completion: Callable[..., Any]
    acompletion: Callable[..., Any]


def from_litellm(source: SourceGiver, **options: Any) -> GuardedCompletions:
    """Return LiteLLM's functions with their answers checked against the source."""
    try:
        import litellm
    except ImportError as error:
        raise MissingExtraError("from_litellm", "litellm") from error
    guard, dialect = AnswerGuard(source, **options), ChatCompletions()
    return GuardedCompletions(
        guarded_call(guard, dialect, litellm.completion), guarded_call_async(guard, dialect, litellm.acompletion)
    )
