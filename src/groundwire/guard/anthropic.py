"""Guard the user's own Anthropic client."""

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

_ALLOWED = ("models", "files", "close", "is_closed", "base_url", "timeout", "max_retries")


def from_anthropic(client: Any, source: SourceGiver, **options: Any) -> Any:
    """Return the client with `messages.create` checked against the source.

    `source` is what the answers may rest on, or a function that finds it from the request;
    the options are those of `AnswerGuard`.
    """
    try:
        import anthropic
    except ImportError as error:
        raise MissingExtraError("from_anthropic", "anthropic") from error
    check_version("anthropic", anthropic.__version__, 1, 3)
    guard = AnswerGuard(source, **options)
    if isinstance(client, anthropic.AsyncAnthropic):
        wrap = guarded_call_async
    elif isinstance(client, anthropic.Anthropic):
        wrap = guarded_call
    else:
        raise InputTypeError(f"client is a {type(client).__name__}.", fix="pass an Anthropic or AsyncAnthropic client")
    create = wrap(guard, Messages(), client.messages.create)
    return Door(client, {"messages.create": create}, _ALLOWED)


class Messages:
    """How the messages API writes an answer."""

    def question(self, request: Request) -> str | None:
        """Return the user's latest message."""
        return last_user_text(request.get("messages"))

    def texts(self, response: Any) -> list[str]:
        """Return the text of each block that has one."""
        return [block.text for block in _text_blocks(response)]

    def replace(self, response: Any, number: int, text: str) -> None:
        """Put another text in the place of a block's own."""
        _text_blocks(response)[number].text = text

    def read(self, event: Any) -> list[Piece]:
        """Return the text of a block, and whether the block ends here."""
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            return [Piece(event.index, event.delta.text, False)]
        if event.type == "content_block_stop":
            return [Piece(event.index, "", True)]
        return []

    def write(self, event: Any, shown: Mapping[int, str]) -> list[Any]:
        """Put the text that may be shown into the event; what is left comes before the block ends."""
        if event.type == "content_block_delta" and event.index in shown:
            event.delta.text = shown[event.index]
            return [event] if event.delta.text else []
        if event.type == "content_block_stop" and shown.get(event.index):
            return [_delta(event.index, shown[event.index]), event]
        return [event]

    def ending(self, event: Any, answer: int, text: str) -> list[Any]:
        """End the block and the message as a refusal does."""
        from anthropic import types
        from anthropic.types.raw_message_delta_event import Delta

        return [
            _delta(answer, text),
            types.RawContentBlockStopEvent.model_construct(type="content_block_stop", index=answer),
            types.RawMessageDeltaEvent.model_construct(
                type="message_delta",
                delta=Delta.model_construct(stop_reason="refusal", stop_sequence=None),
                usage=types.MessageDeltaUsage.model_construct(output_tokens=0),
            ),
            types.RawMessageStopEvent.model_construct(type="message_stop"),
        ]


def _text_blocks(response: Any) -> list[Any]:
    return [block for block in response.content if block.type == "text"]


def _delta(index: int, text: str) -> Any:
    from anthropic import types

    return types.RawContentBlockDeltaEvent.model_construct(
        type="content_block_delta",
        index=index,
        delta=types.TextDelta.model_construct(type="text_delta", text=text),
    )
