"""Check an answer while it is written: `ClaimStream` and its async twin."""

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable, Iterator, Sequence
from functools import partial

from groundwire.errors import InputError, InputTypeError
from groundwire.events import EventSink, check_sinks
from groundwire.nli import NLI, DivergenceScorer
from groundwire.stream import timed
from groundwire.stream.gate import Gate, GateSettings, StreamMode
from groundwire.stream.kernel import as_async, check_timeout, failure, tell
from groundwire.stream.model import sound
from groundwire.text.feed import ClaimFeed, Settled
from groundwire.types import ClaimVerdict, HaltReason, Policy, StreamSession, VerificationResult
from groundwire.verify import PreparedSource, Sources, VerifiedScorer


class _Stream:
    def __init__(
        self,
        source: Sources | PreparedSource,
        *,
        policy: Policy | None = None,
        mode: str = StreamMode.HOLD_SENTENCE,
        nli_scorer: NLI | DivergenceScorer | None = None,
        question: str | None = None,
        atomic: bool = False,
        halt: bool = True,
        min_certainty: float = 0.0,
        note: Callable[[ClaimVerdict], str] | None = None,
        check_timeout_s: float | None = 30.0,
        on_halt: Callable[[StreamSession], object] | None = None,
        sinks: Sequence[EventSink] = (),
        request_id: str = "",
        tenant_id: str = "",
    ) -> None:
        known = [str(item) for item in StreamMode]
        if mode not in known:
            raise InputError(f"mode is {mode!r}.", fix=f"choose from {', '.join(known)}")
        if question is not None and not isinstance(question, str):
            raise InputTypeError(f"question is a {type(question).__name__}.", fix="pass the question as a str")
        if isinstance(min_certainty, bool) or not isinstance(min_certainty, int | float) or not 0 <= min_certainty <= 1:
            raise InputError(f"min_certainty is {min_certainty!r}.", fix="pass a number from 0 to 1")
        check_timeout("check_timeout_s", check_timeout_s)
        VerifiedScorer(nli_scorer)  # refuses what is no scorer
        self._scorer = VerifiedScorer(sound(nli_scorer))
        policy = policy or self._scorer.policy
        self._settings = GateSettings(
            mode=StreamMode(mode),
            policy=policy,
            halts=halt,
            min_certainty=float(min_certainty),
            note=note,
            has_model=nli_scorer is not None,
            sinks=check_sinks(sinks),
            request_id=request_id,
            tenant_id=tenant_id,
        )
        self._prepared = source if isinstance(source, PreparedSource) else self._scorer.prepare(source, policy=policy)
        self._split = (atomic, question)
        self._on_halt = on_halt
        self._timeout = check_timeout_s
        self._gate = self._new_gate()

    @property
    def session(self) -> StreamSession:
        """Return the session of the latest stream."""
        return self._gate.session

    @property
    def verdicts(self) -> list[ClaimVerdict]:
        """List the claims checked so far; their offsets count from the start of the answer."""
        return list(self._gate.verdicts)

    @property
    def rejected(self) -> list[ClaimVerdict]:
        """List the claims the policy refuses."""
        return list(self._gate.rejected)

    @property
    def withheld(self) -> str:
        """Return the text that came and was not shown."""
        return self._gate.withheld

    @property
    def result(self) -> VerificationResult:
        """Put the claims checked so far together as `verify` would."""
        return self._gate.run.result(truncated=self.session.halt_reason == HaltReason.STREAM_LIMIT)

    def _new_gate(self) -> Gate:
        run = self._scorer.start(self._prepared, policy=self._settings.policy)
        return Gate(self._settings, ClaimFeed(*self._split), run)

    def begin(self) -> None:
        """Forget the stream before and start another one against the same source."""
        self._gate = self._new_gate()

    def fail(self, error: BaseException | None = None) -> None:
        """Say that the answer broke off: what was not shown stays unseen."""
        self._gate.fail(HaltReason.STREAM_ERROR, error)
        self._end()

    def _end(self) -> None:
        session = self._gate.session
        if session.end_time:
            return
        self._gate.end()
        if session.halted and self._on_halt is not None:
            tell(self._on_halt, session)


class ClaimStream(_Stream):
    """Let an answer through claim by claim; one stream at a time, the source is indexed once."""

    def guard(self, tokens: Iterable[str]) -> Iterator[str]:
        """Yield the text that may be shown, and stop at the first claim that is rejected."""
        self.begin()
        try:
            for token in tokens:
                yield from self.push(token)
                if self.session.halted:
                    return
            yield from self.finish()
        except Exception as error:
            self.fail(error)
            raise
        finally:
            if isinstance(tokens, Generator):
                tokens.close()  # whoever writes the answer need not go on
            self._end()

    def push(self, token: str) -> Iterator[str]:
        """Take one token and yield the text it lets go; nothing more once the session is halted."""
        gate = self._gate
        if gate.session.halted:
            return
        yield from self._settle(gate.take(token))
        if not gate.session.halted and (text := gate.show_open()):
            yield text

    def finish(self) -> Iterator[str]:
        """Take the end of the answer and yield the rest."""
        if not self._gate.session.halted:
            yield from self._settle(self._gate.close())
            if rest := self._gate.show_rest():
                yield rest
        self._end()

    def _settle(self, settled: list[Settled]) -> Iterator[str]:
        gate = self._gate
        for item in settled:
            if text := gate.show_before(item):
                yield text
            verdicts: list[ClaimVerdict] = []
            if item.claims:
                try:
                    # Only a model can hang; our own checks are bounded and need no thread.
                    seconds = self._timeout if self._settings.has_model else None
                    verdicts = timed.call(partial(gate.check, item.claims), seconds)
                except Exception as error:  # noqa: BLE001, RUF100 - fail closed
                    gate.fail(failure(error), error)
                    return
            if text := gate.decide(item, verdicts):
                yield text
            if gate.session.halted:
                return


class AsyncClaimStream(_Stream):
    """Do the same for an async stream; claims are checked beside the event loop."""

    async def guard(self, tokens: AsyncIterable[str] | Iterable[str]) -> AsyncGenerator[str, None]:
        """Yield the text that may be shown, and stop at the first claim that is rejected."""
        self.begin()
        source = as_async(tokens)
        try:
            async for token in source:
                async for text in self.push(token):
                    yield text
                if self.session.halted:
                    return
            async for text in self.finish():
                yield text
        except Exception as error:
            self.fail(error)
            raise
        finally:
            await source.aclose()
            if isinstance(tokens, AsyncGenerator):
                await tokens.aclose()  # whoever writes the answer need not go on
            self._end()

    async def push(self, token: str) -> AsyncGenerator[str, None]:
        """Take one token and yield the text it lets go; nothing more once the session is halted."""
        gate = self._gate
        if gate.session.halted:
            return
        async for text in self._settle(gate.take(token)):
            yield text
        if not gate.session.halted and (open_text := gate.show_open()):
            yield open_text

    async def finish(self) -> AsyncGenerator[str, None]:
        """Take the end of the answer and yield the rest."""
        if not self._gate.session.halted:
            async for text in self._settle(self._gate.close()):
                yield text
            if rest := self._gate.show_rest():
                yield rest
        self._end()

    async def _settle(self, settled: list[Settled]) -> AsyncGenerator[str, None]:
        gate = self._gate
        for item in settled:
            if text := gate.show_before(item):
                yield text
            verdicts: list[ClaimVerdict] = []
            if item.claims:
                try:
                    verdicts = await timed.call_async(partial(gate.check, item.claims), self._timeout)
                except Exception as error:  # noqa: BLE001, RUF100 - fail closed
                    gate.fail(failure(error), error)
                    return
            if text := gate.decide(item, verdicts):
                yield text
            if gate.session.halted:
                return
