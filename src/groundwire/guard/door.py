"""What the doors to SDKs share: the client's own shape, its version, and guarded streams of events."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from groundwire.errors import InputError
from groundwire.guard.answers import AnswerGuard, OnReject, rejected_error, retry_request
from groundwire.stream import AsyncClaimStream, ClaimStream
from groundwire.types import ClaimVerdict, StreamSession
from groundwire.verify import PreparedSource

Request = Mapping[str, Any]


class Piece(NamedTuple):
    """Text that one event adds to one of the answers of a stream."""

    answer: int
    text: str
    ends: bool


class Dialect(Protocol):
    """How one SDK writes an answer, whole or as a stream of events."""

    def question(self, request: Request) -> str | None:
        """Return the user's latest message, None where there is none."""
        ...

    def texts(self, response: Any) -> list[str]:
        """Return the answers of a whole response."""
        ...

    def replace(self, response: Any, number: int, text: str) -> None:
        """Put another text in the place of one answer."""
        ...

    def read(self, event: Any) -> list[Piece]:
        """Return the text that an event carries."""
        ...

    def write(self, event: Any, shown: Mapping[int, str]) -> list[Any]:
        """Return the events that carry the text that may be shown."""
        ...

    def ending(self, event: Any, answer: int, text: str) -> list[Any]:
        """Return the events that end a stream which was stopped."""
        ...


class Door:
    """Look like the client; let through the calls that are guarded and those that write no answer."""

    def __init__(
        self, target: Any, calls: Mapping[str, Callable[..., Any]], allowed: Sequence[str], path: str = ""
    ) -> None:
        self._target = target
        self._calls = calls
        self._allowed = allowed
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        path = f"{self._path}.{name}".lstrip(".")
        if path in self._calls:
            return self._calls[path]
        if any(call.startswith(path + ".") for call in self._calls):
            return Door(getattr(self._target, name), self._calls, self._allowed, path)
        if not self._path and name in self._allowed:
            return getattr(self._target, name)
        # An attribute that would write an answer past the guard must not look as if it were guarded.
        raise InputError(
            f"{path!r} is not guarded.",
            why=f"this client checks {' and '.join(sorted(self._calls))}",
            fix="use the guarded call, or your own client for what need not be checked",
        )


def check_version(name: str, version: str, least: int, below: int) -> None:
    """Refuse an SDK whose events we have never seen."""
    major = re.match(r"\d+", version)
    if major is None or not least <= int(major.group()) < below:
        raise InputError(
            f"{name} {version} is outside the supported range.",
            why=f"versions from {least} to below {below} are known to work",
            fix=f"pip install 'groundwire[{name}]'",
        )


class Exchange:
    """One guarded call: what was asked, what it may rest on, and how often it was tried."""

    def __init__(self, guard: AnswerGuard, dialect: Dialect, request: dict[str, Any]) -> None:
        self.guard = guard
        self.dialect = dialect
        # The messages may come as an iterator, and are read twice.
        self.request = {**request, "messages": list(request.get("messages") or ())}
        self.prepared: PreparedSource = guard.source_for(self.request)
        self.question = dialect.question(self.request)
        self.tries = 0

    def may_retry(self) -> bool:
        """Tell whether a rejected answer is asked for again."""
        return self.guard.on_reject == OnReject.RETRY and self.tries < self.guard.retries

    def ask_again(self, text: str, rejected: Sequence[ClaimVerdict]) -> None:
        """Add the rejected answer and the evidence against it to the request."""
        self.tries += 1
        messages = [
            *self.request["messages"],
            {"role": "assistant", "content": text},
            {"role": "user", "content": retry_request(rejected)},
        ]
        self.request = {**self.request, "messages": messages}

    def settle(self, response: Any) -> bool:
        """Check every answer of a whole response; False asks for another try."""
        texts = self.dialect.texts(response)
        reviews = [self.guard.review(text, self.prepared, self.question) for text in texts]
        for reviewed in reviews:
            if reviewed.rejected and self.may_retry():
                self.ask_again(reviewed.text, reviewed.rejected)
                return False
        for number, reviewed in enumerate(reviews):
            shown = self.guard.act(reviewed)
            if shown != reviewed.text:
                self.dialect.replace(response, number, shown)
        # The SDKs' own types keep fields they do not know.
        response.groundwire = [self.guard.report(reviewed) for reviewed in reviews]
        return True


class _Guarded:
    """A stream of the SDK's own events, with the text that may be shown."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._streams: dict[int, Any] = {}
        self._upstream: Any = None

    @property
    def sessions(self) -> list[StreamSession]:
        """Return the session of each answer."""
        return [stream.session for stream in self._streams.values()]

    @property
    def session(self) -> StreamSession | None:
        """Return the session of the first answer, None before its first text."""
        return next(iter(self.sessions), None)

    @property
    def verdicts(self) -> list[ClaimVerdict]:
        """List the claims checked so far."""
        return [verdict for stream in self._streams.values() for verdict in stream.verdicts]

    def _restart(self) -> None:
        self._streams = {}

    def _fail(self, error: BaseException | None) -> None:
        for stream in self._streams.values():
            if not stream.session.end_time:
                stream.fail(error)

    def _stopped(self) -> int | None:
        return next((number for number, stream in self._streams.items() if stream.session.halted), None)

    def _close_with(self, event: Any, answer: int) -> list[Any]:
        guard = self._exchange.guard
        stream = self._streams[answer]
        if guard.on_reject == OnReject.RAISE:
            raise rejected_error(stream.result, max(1, len(stream.rejected)))
        return self._exchange.dialect.ending(event, answer, guard.blocked_text)

    def _is_retried(self, answer: int) -> bool:
        stream = self._streams[answer]
        if not stream.rejected or not self._exchange.may_retry():
            return False
        self._exchange.ask_again(stream.withheld, stream.rejected)
        return True


class GuardedStream(_Guarded):
    """Iterate it like the SDK's own stream; `close` it or use it in a `with` block."""

    def __init__(self, exchange: Exchange, open_stream: Callable[[dict[str, Any]], Any]) -> None:
        super().__init__(exchange)
        self._open = open_stream
        self._upstream = open_stream(exchange.request)
        self._events = self._run()

    def __iter__(self) -> Iterator[Any]:
        return self._events

    def __next__(self) -> Any:
        return next(self._events)

    def __enter__(self) -> "GuardedStream":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop reading and hang up."""
        self._events.close()
        hang_up(self._upstream)

    def _run(self) -> Generator[Any, None, None]:
        again = True
        while again:
            again = yield from self._try_once()
            if again:
                self._restart()
                self._upstream = self._open(self._exchange.request)

    def _try_once(self) -> Generator[Any, None, bool]:
        dialect = self._exchange.dialect
        try:
            for event in self._upstream:
                shown = {piece.answer: self._push(piece) for piece in dialect.read(event)}
                stopped = self._stopped()
                if stopped is not None:
                    hang_up(self._upstream)  # whoever writes the answer need not go on
                    if self._is_retried(stopped):
                        return True
                    if any(shown.values()):
                        yield from dialect.write(event, shown)
                    yield from self._close_with(event, stopped)
                    return False
                yield from dialect.write(event, shown)
        except Exception as error:
            self._fail(error)
            raise
        finally:
            hang_up(self._upstream)
            self._fail(None)  # an answer that broke off is not shown to its end
        return False

    def _push(self, piece: Piece) -> str:
        stream: ClaimStream | None = self._streams.get(piece.answer)
        if stream is None:
            stream = self._streams[piece.answer] = self._exchange.guard.stream(
                self._exchange.prepared, self._exchange.question
            )
        shown = "".join(stream.push(piece.text)) if piece.text else ""
        return shown + "".join(stream.finish()) if piece.ends else shown


class AsyncGuardedStream(_Guarded):
    """Do the same for the SDK's async stream."""

    def __init__(self, exchange: Exchange, open_stream: Callable[[dict[str, Any]], Any], upstream: Any) -> None:
        super().__init__(exchange)
        self._open = open_stream
        self._upstream = upstream
        self._events = self._run()

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._events

    async def __anext__(self) -> Any:
        return await anext(self._events)

    async def __aenter__(self) -> "AsyncGuardedStream":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop reading and hang up."""
        await self._events.aclose()
        await hang_up_async(self._upstream)

    async def _run(self) -> AsyncGenerator[Any, None]:
        again = True
        while again:
            again = False
            async for event in self._try_once():
                if event is self:
                    again = True
                else:
                    yield event
            if again:
                self._restart()
                self._upstream = await self._open(self._exchange.request)

    async def _try_once(self) -> AsyncGenerator[Any, None]:
        """Yield the events of one try, and the stream itself when another try is wanted."""
        dialect = self._exchange.dialect
        try:
            async for event in self._upstream:
                shown = {piece.answer: await self._push(piece) for piece in dialect.read(event)}
                stopped = self._stopped()
                if stopped is not None:
                    await hang_up_async(self._upstream)
                    if self._is_retried(stopped):
                        yield self
                        return
                    if any(shown.values()):
                        for item in dialect.write(event, shown):
                            yield item
                    for item in self._close_with(event, stopped):
                        yield item
                    return
                for item in dialect.write(event, shown):
                    yield item
        except Exception as error:
            self._fail(error)
            raise
        finally:
            await hang_up_async(self._upstream)
            self._fail(None)

    async def _push(self, piece: Piece) -> str:
        stream: AsyncClaimStream | None = self._streams.get(piece.answer)
        if stream is None:
            stream = self._streams[piece.answer] = self._exchange.guard.stream_async(
                self._exchange.prepared, self._exchange.question
            )
        texts = [text async for text in stream.push(piece.text)] if piece.text else []
        return "".join([*texts, *([text async for text in stream.finish()] if piece.ends else [])])


def hang_up(upstream: Any) -> None:
    """Close a stream, however its SDK calls that."""
    close = getattr(upstream, "close", None) or getattr(getattr(upstream, "completion_stream", None), "close", None)
    if callable(close):
        close()


async def hang_up_async(upstream: Any) -> None:
    """Close an async stream, however its SDK calls that."""
    for name in ("aclose", "close"):
        close = getattr(upstream, name, None)
        if callable(close):
            await close()
            return


def guarded_call(guard: AnswerGuard, dialect: Dialect, create: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the `create` of a client: the same call, the answer checked."""

    def call(**request: Any) -> Any:
        exchange = Exchange(guard, dialect, request)
        if request.get("stream"):
            return GuardedStream(exchange, lambda wanted: create(**wanted))
        while True:
            response = create(**exchange.request)
            if exchange.settle(response):
                return response

    return call


def guarded_call_async(guard: AnswerGuard, dialect: Dialect, create: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the `create` of an async client; the answer is checked beside the event loop."""
    import asyncio  # for those who await

    async def call(**request: Any) -> Any:
        exchange = await asyncio.to_thread(Exchange, guard, dialect, request)
        if request.get("stream"):
            upstream = await create(**exchange.request)
            return AsyncGuardedStream(exchange, lambda wanted: create(**wanted), upstream)
        while True:
            response = await create(**exchange.request)
            if await asyncio.to_thread(exchange.settle, response):
                return response

    return call


def last_user_text(messages: Any) -> str | None:
    """Return the text of the user's latest message, None where there is none."""
    for message in reversed(list(messages or ())):
        if not isinstance(message, Mapping) or message.get("role") != "user":
            continue
        content = message.get("content")
        if isinstance(content, str):
            return content
        parts = [part.get("text") for part in content or () if isinstance(part, Mapping)]
        return " ".join(part for part in parts if isinstance(part, str)) or None
    return None
