"""A step for LangChain pipelines: `prompt | model | guard_step(source)`."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from groundwire.errors import InputError, MissingExtraError
from groundwire.guard.answers import AnswerGuard, OnReject, SourceGiver, rejected_error
from groundwire.stream import AsyncClaimStream, ClaimStream


def guard_step(source: SourceGiver, **options: Any) -> Any:
    """Return a runnable that checks what flows through it: strings, messages, or streams of either."""
    try:
        from langchain_core.runnables import RunnableGenerator
    except ImportError as error:
        raise MissingExtraError("guard_step", "langchain") from error
    guard = AnswerGuard(source, **options)
    if guard.on_reject == OnReject.RETRY:
        raise InputError(
            "A step of a pipeline cannot ask the model again.",
            fix="use raise, block, warn or annotate, and LangChain's with_retry for raise",
        )

    def transform(items: Iterator[Any]) -> Iterator[Any]:
        stream = guard.stream(guard.source_for({}), None)
        last: Any = ""
        for last in items:
            if _is_whole(last):
                yield _checked(guard, last)
                return
            for text in stream.push(_text(last)):
                yield _like(last, text)
            if stream.session.halted:
                break
        for text in stream.finish():
            yield _like(last, text)
        if ending := _ending(guard, stream):
            yield _like(last, ending)

    async def atransform(items: AsyncIterator[Any]) -> AsyncIterator[Any]:
        stream = guard.stream_async(guard.source_for({}), None)
        last: Any = ""
        async for last in items:
            if _is_whole(last):
                import asyncio

                yield await asyncio.to_thread(_checked, guard, last)
                return
            async for text in stream.push(_text(last)):
                yield _like(last, text)
            if stream.session.halted:
                break
        async for text in stream.finish():
            yield _like(last, text)
        if ending := _ending(guard, stream):
            yield _like(last, ending)

    return RunnableGenerator(transform, atransform, name="groundwire")


def _is_whole(item: Any) -> bool:
    """Tell whether a message is complete; two of those cannot be added up as chunks can."""
    return not isinstance(item, str) and not type(item).__name__.endswith("Chunk")


def _text(item: Any) -> str:
    if isinstance(item, str):
        return item
    content = item.content
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content if isinstance(part, dict) and part.get("type") == "text")


def _like(item: Any, text: str) -> Any:
    return text if isinstance(item, str) else item.model_copy(update={"content": text})


def _checked(guard: AnswerGuard, message: Any) -> Any:
    reviewed = guard.review(_text(message), guard.source_for({}), None)
    shown = guard.act(reviewed)
    extra = {**message.response_metadata, "groundwire": guard.report(reviewed)}
    return message.model_copy(update={"content": shown, "response_metadata": extra})


def _ending(guard: AnswerGuard, stream: ClaimStream | AsyncClaimStream) -> str:
    if not stream.session.halted:
        return ""
    if guard.on_reject == OnReject.RAISE:
        raise rejected_error(stream.result, max(1, len(stream.rejected)))
    return guard.blocked_text
