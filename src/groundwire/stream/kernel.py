"""Stop a stream of tokens when its scores ask for it: `StreamingKernel` and its async twin."""

import inspect
import logging
import math
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable, Sequence
from typing import Any

from groundwire.errors import InputError, InputTypeError
from groundwire.events import EventSink, check_sinks
from groundwire.stream import timed
from groundwire.stream.evidence import Evidence, Rescore
from groundwire.stream.run import KernelRun, Settings
from groundwire.stream.step import Limits
from groundwire.types import HaltReason, StreamSession

ScoreCallback = Callable[[str], float]
EvidenceCallback = Callable[[str], Evidence]
HaltCallback = Callable[[StreamSession], object]

_log = logging.getLogger("groundwire.stream")


class _Kernel:
    def __init__(
        self,
        hard_limit: float = 0.5,
        window_size: int = 10,
        window_threshold: float = 0.55,
        trend_window: int = 5,
        trend_threshold: float = 0.15,
        halt_mode: str = "hard",
        soft_halt_cap: int = 50,
        score_every_n: int = 1,
        on_halt: HaltCallback | None = None,
        *,
        callback_timeout: float | None = None,
        max_tokens: int = 1_000_000,
        sinks: Sequence[EventSink] = (),
    ) -> None:
        for name, value in (
            ("hard_limit", hard_limit), ("window_threshold", window_threshold), ("trend_threshold", trend_threshold),
        ):  # fmt: skip
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
                raise InputError(f"{name} is {value!r}.", fix="pass a number from 0 to 1")
        for name, value, least in (
            ("window_size", window_size, 1), ("trend_window", trend_window, 1), ("soft_halt_cap", soft_halt_cap, 0),
            ("score_every_n", score_every_n, 1), ("max_tokens", max_tokens, 1),
        ):  # fmt: skip
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"{name} is {value!r}.", fix=f"pass a whole number of {least} or more")
        if halt_mode not in ("hard", "soft"):
            raise InputError(f"halt_mode is {halt_mode!r}.", fix="use 'hard' or 'soft'")
        check_timeout("callback_timeout", callback_timeout)
        limits = Limits(hard_limit, window_size, window_threshold, trend_window, trend_threshold)
        self.settings = Settings(
            limits, halt_mode == "soft", soft_halt_cap, score_every_n, max_tokens, check_sinks(sinks)
        )
        self.on_halt = on_halt
        self.callback_timeout = callback_timeout

    def _start(self, score: object, request_id: str, tenant_id: str, rescore: Rescore | None) -> KernelRun:
        if not callable(score):
            raise InputTypeError(
                f"coherence_callback is a {type(score).__name__}.", fix="pass a function of the text so far"
            )
        return KernelRun(self.settings, request_id, tenant_id, rescore)

    def _end(self, run: KernelRun) -> StreamSession:
        session = run.end()
        if session.halted and self.on_halt is not None:
            tell(self.on_halt, session)
        return session


class StreamingKernel(_Kernel):
    """Watch the scores of a token stream and stop it at the first limit that is crossed."""

    def stream_tokens(
        self,
        token_iterable: Iterable[str],
        coherence_callback: ScoreCallback,
        evidence_callback: EvidenceCallback | None = None,
        request_id: str = "",
        tenant_id: str = "",
        *,
        rescore_callback: Rescore | None = None,
    ) -> StreamSession:
        """Run a stream to its end or to its halt and return the finished session."""
        run = self._start(coherence_callback, request_id, tenant_id, rescore_callback)
        tokens = iter(token_iterable)
        while run.is_open:
            try:
                token = next(tokens)
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001, RUF100 - what was emitted must not be lost with the upstream
                run.fail(HaltReason.STREAM_ERROR, error)
                break
            if not run.admit(token):
                continue
            try:
                score = read_score(timed.call(lambda: coherence_callback(run.text), self.callback_timeout))
            except Exception as error:  # noqa: BLE001, RUF100 - fail closed
                run.fail(failure(error), error)
                break
            if run.judge(score):
                found = None
                if evidence_callback is not None:
                    found = _evidence(lambda: evidence_callback(run.text), self.callback_timeout)
                run.halt(found)
        return self._end(run)


class AsyncStreamingKernel(_Kernel):
    """Do the same for an async stream; callbacks may be plain or async."""

    async def stream_tokens(
        self,
        token_iterable: AsyncIterable[str] | Iterable[str],
        coherence_callback: Callable[[str], float | Awaitable[float]],
        evidence_callback: Callable[[str], Evidence | Awaitable[Evidence]] | None = None,
        request_id: str = "",
        tenant_id: str = "",
        *,
        rescore_callback: Rescore | None = None,
    ) -> StreamSession:
        """Run a stream to its end or to its halt and return the finished session."""
        run = self._start(coherence_callback, request_id, tenant_id, rescore_callback)
        tokens = as_async(token_iterable)
        while run.is_open:
            try:
                token = await anext(tokens)
            except StopAsyncIteration:
                break
            except Exception as error:  # noqa: BLE001, RUF100 - what was emitted must not be lost with the upstream
                run.fail(HaltReason.STREAM_ERROR, error)
                break
            if not run.admit(token):
                continue
            try:
                score = read_score(await self._ask(coherence_callback, run.text))
            except Exception as error:  # noqa: BLE001, RUF100 - fail closed
                run.fail(failure(error), error)
                break
            if run.judge(score):
                found: Evidence = None
                if evidence_callback is not None:
                    try:
                        found = await self._ask(evidence_callback, run.text)
                    except Exception as error:  # noqa: BLE001, RUF100 - the halt stands without its evidence
                        _log.warning("The evidence callback failed: %s", type(error).__name__)
                run.halt(found)
        return self._end(run)

    async def _ask(self, callback: Callable[[str], Any], text: str) -> Any:
        import asyncio  # for those who await

        if inspect.iscoroutinefunction(callback):
            return await asyncio.wait_for(callback(text), self.callback_timeout)
        if self.callback_timeout is None:
            answer = callback(text)
        else:
            answer = await timed.call_async(lambda: callback(text), self.callback_timeout)
        return await asyncio.wait_for(answer, self.callback_timeout) if inspect.isawaitable(answer) else answer


def tell(on_halt: Callable[[StreamSession], object], session: StreamSession) -> None:
    """Call the user's function; its failure must not undo the halt."""
    try:
        on_halt(session)
    except Exception as error:  # noqa: BLE001, RUF100 - other people's code
        _log.warning("on_halt failed: %s", type(error).__name__)


def check_timeout(name: str, seconds: float | None) -> None:
    """Refuse a time limit that is none."""
    if seconds is None:
        return
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0.0 < seconds < math.inf:
        raise InputError(f"{name} is {seconds!r}.", fix="pass seconds above 0, or None for no limit")


def failure(error: Exception) -> HaltReason:
    """Name the halt that a failed callback causes."""
    return HaltReason.CALLBACK_TIMEOUT if isinstance(error, TimeoutError) else HaltReason.CALLBACK_ERROR


async def as_async(tokens: AsyncIterable[str] | Iterable[str]) -> AsyncGenerator[str, None]:
    """Let a plain iterable be awaited too."""
    if isinstance(tokens, AsyncIterable):
        async for token in tokens:
            yield token
    else:
        for token in tokens:
            yield token


def _evidence(ask: Callable[[], Evidence], seconds: float | None) -> Evidence:
    try:
        return timed.call(ask, seconds)
    except Exception as error:  # noqa: BLE001, RUF100 - the halt stands without its evidence
        _log.warning("The evidence callback failed: %s", type(error).__name__)
        return None


def read_score(value: object) -> float:
    """Clamp a score to 0..1 and refuse what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise InputError("The coherence callback returned no number.", fix="return a number from 0 to 1")
    return min(1.0, max(0.0, float(value)))
