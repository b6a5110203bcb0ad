"""Guard the user's own OpenAI client."""

from collections.abc import Mapping
from typing import Any

from groundwire.errors import InputTypeError, MissingExtraError
from groundwire.guard.answers import AnswerGuard, SourceGiver
from groundwire.guard.door import (
    Door,
    Piece,
    Request,
    check_version,
    guarded_call,
    guarded_call_async,
    last_user_text,
)

_ALLOWED = ("models", "files", "embeddings", "moderations", "close", "is_closed", "base_url", "timeout", "max_retries")


def from_openai(client: Any, source: SourceGiver, **options: Any) -> Any:
    """Return the client with `chat.completions.create` checked against the source.

    `source` is what the answers may rest on, or a function that finds it from the request;
    the options are those of `AnswerGuard`.
    """
    try:
        import openai
    except ImportError as error:
        raise MissingExtraError("from_openai", "openai") from error
    check_version("openai", openai.__version__, 2, 4)
    guard = AnswerGuard(source, **options)
    if isinstance(client, openai.AsyncOpenAI):
        wrap = guarded_call_async
    elif isinstance(client, openai.OpenAI):
        wrap = guarded_call
    else:
        raise InputTypeError(f"client is a {type(client).__name__}.", fix="pass an OpenAI or AsyncOpenAI client")
    create = wrap(guard, ChatCompletions(), client.chat.completions.create)
    return Door(client, {"chat.completions.create": create}, _ALLOWED)


class ChatCompletions:
    """How chat completions write an answer."""

    def question(self, request: Request) -> str | None:
        """Return the user's latest message."""
        return last_user_text(request.get("messages"))

    def texts(self, response: Any) -> list[str]:
        """Return the text of each choice."""
        return [choice.message.content or "" for choice in response.choices]

    def replace(self, response: Any, number: int, text: str) -> None:
        """Put another text in the place of a choice's own."""
        choice = response.choices[number]
        choice.message.content = text
        if getattr(choice, "logprobs", None) is not None:
            choice.logprobs = None  # they spell the text that was withheld

    def read(self, event: Any) -> list[Piece]:
        """Return the text of each choice, and whether the choice ends here."""
        return [
            Piece(choice.index, choice.delta.content or "", choice.finish_reason is not None)
            for choice in event.choices
            if choice.delta.content or choice.finish_reason is not None
        ]

    def write(self, event: Any, shown: Mapping[int, str]) -> list[Any]:
        """Put the text that may be shown into the event; one that carries nothing is left out."""
        for choice in event.choices:
            if choice.index not in shown:
                continue
            if choice.delta.content or shown[choice.index]:
                choice.delta.content = shown[choice.index]
            if getattr(choice, "logprobs", None) is not None:
                choice.logprobs = None  # they spell text that is still held
        is_empty = event.choices and all(
            choice.index in shown and not _says_something(choice) for choice in event.choices
        )
        return [] if is_empty else [event]

    def ending(self, event: Any, answer: int, text: str) -> list[Any]:
        """End the choice as a content filter does."""
        last = event.model_copy(deep=True)
        last.choices = [choice for choice in last.choices if choice.index == answer][:1]
        for choice in last.choices:
            choice.delta.content = text
            choice.delta.tool_calls = None
            choice.finish_reason = "content_filter"
            choice.logprobs = None
        return [last]


def _says_something(choice: Any) -> bool:
    delta = choice.delta
    return bool(
        choice.finish_reason or delta.content or delta.role or delta.tool_calls or getattr(delta, "refusal", None)
    )
