"""Guard a LlamaIndex query engine: each answer is checked against the nodes it was written from."""

from collections.abc import Iterator
from typing import Any

from groundwire.errors import InputError, InputTypeError, MissingExtraError
from groundwire.guard.answers import AnswerGuard, OnReject, rejected_error
from groundwire.types import Source
from groundwire.verify import PreparedSource


class GuardedQueryEngine:
    """Ask it like the engine; `query` and `aquery` return the engine's own response, checked."""

    def __init__(self, engine: Any, **options: Any) -> None:
        try:
            import llama_index.core  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("GuardedQueryEngine", "llamaindex") from error
        if not callable(getattr(engine, "query", None)):
            raise InputTypeError(f"engine is a {type(engine).__name__}.", fix="pass a query engine")
        self.guard = AnswerGuard("", **options)
        if self.guard.on_reject == OnReject.RETRY:
            raise InputError("A query engine cannot be asked again.", fix="use raise, block, warn or annotate")
        self.engine = engine

    def query(self, question: Any) -> Any:
        """Ask the engine and check its answer."""
        return self._settle(self.engine.query(question), str(question))

    async def aquery(self, question: Any) -> Any:
        """Ask the engine and check its answer beside the event loop."""
        import asyncio  # for those who await

        return await asyncio.to_thread(self._settle, await self.engine.aquery(question), str(question))

    def _settle(self, response: Any, question: str) -> Any:
        prepared = self.guard.source_for({}) if not response.source_nodes else self._prepared(response.source_nodes)
        if getattr(response, "response_gen", None) is not None:
            response.response_gen = self._stream(response.response_gen, prepared, question)
            return response
        reviewed = self.guard.review(str(response.response or ""), prepared, question)
        response.response = self.guard.act(reviewed)
        response.metadata = {**(response.metadata or {}), "groundwire": self.guard.report(reviewed)}
        return response

    def _prepared(self, nodes: Any) -> PreparedSource:
        sources = [Source(node.node.node_id, node.node.get_content()) for node in nodes]
        return self.guard.scorer.prepare(sources, policy=self.guard.policy)

    def _stream(self, tokens: Any, prepared: PreparedSource, question: str) -> Iterator[str]:
        stream = self.guard.stream(prepared, question)
        yield from stream.guard(tokens)
        if not stream.session.halted:
            return
        if self.guard.on_reject == OnReject.RAISE:
            raise rejected_error(stream.result, max(1, len(stream.rejected)))
        yield self.guard.blocked_text
