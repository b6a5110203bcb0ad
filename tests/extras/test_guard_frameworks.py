"""The adapters, tested against the real LangChain, LlamaIndex, LiteLLM and OpenTelemetry."""

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import pytest

# LiteLLM asks the network for prices when it is imported, unless told not to.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from llama_index.core.base.response.schema import Response, StreamingResponse
from llama_index.core.query_engine import CustomQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from groundwire.errors import AnswerRejectedError, InputError
from groundwire.events import OpenTelemetrySink
from groundwire.guard.langchain import guard_step
from groundwire.guard.litellm import from_litellm
from groundwire.guard.llamaindex import GuardedQueryEngine
from groundwire.stream import ClaimStream
from tests.extras.test_guard_sdks import ASKED, RIGHT, SOURCE, WRONG
from tests.standins.llm_stream_server import stream_server

pytestmark = [pytest.mark.extras, pytest.mark.filterwarnings("ignore")]  # their warnings are theirs

FIRST = "The Pro plan costs $20 per month."


def model(text: str) -> Any:
    return GenericFakeChatModel(messages=iter([AIMessage(text)] * 4))


def test_langchain_checks_a_whole_message() -> None:
    assert (model(RIGHT) | guard_step(SOURCE)).invoke("?").content == RIGHT
    answer = (model(WRONG) | guard_step(SOURCE, on_reject="block", blocked_text="No.")).invoke([HumanMessage("?")])
    assert answer.content == "No."
    assert answer.response_metadata["groundwire"]["approved"] is False
    with pytest.raises(AnswerRejectedError):
        (model(WRONG) | guard_step(SOURCE)).invoke("?")
    assert "[contradicted" in (model(WRONG) | guard_step(SOURCE, on_reject="annotate")).invoke("?").content


def test_langchain_stops_a_stream() -> None:
    chain = model(WRONG) | guard_step(SOURCE, on_reject="block", blocked_text="|")
    assert "".join(chunk.content for chunk in chain.stream("?")) == FIRST + "|"
    parsed = model(WRONG) | StrOutputParser() | guard_step(SOURCE, on_reject="block", blocked_text="|")
    assert "".join(parsed.stream("?")) == FIRST + "|"
    whole = model(RIGHT) | StrOutputParser() | guard_step(SOURCE)
    assert "".join(whole.stream("?")) == RIGHT


def test_langchain_async() -> None:
    async def drive() -> tuple[str, str]:
        chain = model(WRONG) | guard_step(SOURCE, on_reject="block", blocked_text="|")
        shown = "".join([chunk.content async for chunk in chain.astream("?")])
        return shown, (await chain.ainvoke("?")).content

    assert asyncio.run(drive()) == (FIRST + "|", "|")


def test_langchain_cannot_ask_again() -> None:
    with pytest.raises(InputError, match="cannot ask the model again"):
        guard_step(SOURCE, on_reject="retry_with_evidence")


class Engine(CustomQueryEngine):  # type: ignore[misc]
    answer: str
    streams: bool = False

    def custom_query(self, query_str: str) -> Any:
        nodes = [NodeWithScore(node=TextNode(text=SOURCE, id_="handbook"), score=1.0)]
        if not self.streams:
            return Response(self.answer, source_nodes=nodes)

        def tokens() -> Iterator[str]:
            yield from self.answer

        return StreamingResponse(response_gen=tokens(), source_nodes=nodes)


def test_llamaindex_checks_against_the_nodes_of_the_answer() -> None:
    response = GuardedQueryEngine(Engine(answer=RIGHT)).query("How much?")
    assert (response.response, response.metadata["groundwire"]["approved"]) == (RIGHT, True)
    blocked = GuardedQueryEngine(Engine(answer=WRONG), on_reject="block", blocked_text="No.")
    assert blocked.query("How much?").response == "No."
    assert asyncio.run(blocked.aquery("How much?")).response == "No."
    with pytest.raises(AnswerRejectedError):
        GuardedQueryEngine(Engine(answer=WRONG)).query("How much?")


def test_llamaindex_stops_a_stream() -> None:
    engine = GuardedQueryEngine(Engine(answer=WRONG, streams=True), on_reject="block", blocked_text="|")
    assert "".join(engine.query("How much?").response_gen) == FIRST + "|"
    right = GuardedQueryEngine(Engine(answer=RIGHT, streams=True))
    assert str(right.query("How much?")) == RIGHT


def test_litellm_is_checked_whole_and_in_a_stream() -> None:
    with stream_server(WRONG) as server:
        request = {**ASKED, "model": "openai/m", "api_base": f"{server.url}/v1", "api_key": "k"}
        calls = from_litellm(SOURCE, on_reject="block", blocked_text="|")
        assert calls.completion(**request).choices[0].message.content == "|"
        chunks = list(calls.completion(**request, stream=True))
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == FIRST + "|"

        async def drive() -> str:
            stream = await calls.acompletion(**request, stream=True)
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

        assert asyncio.run(drive()) == FIRST + "|"
    with stream_server(RIGHT) as server:
        request["api_base"] = f"{server.url}/v1"
        chunks = list(from_litellm(SOURCE).completion(**request, stream=True))
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == RIGHT


def test_opentelemetry_gets_the_event_without_text() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    sink = OpenTelemetrySink(tracer)
    list(ClaimStream(SOURCE, sinks=[sink]).guard(WRONG))
    with tracer.start_as_current_span("request"):
        list(ClaimStream(SOURCE, sinks=[sink]).guard(WRONG))
    own, request = exporter.get_finished_spans()
    assert own.name == "groundwire.streaming.halt"
    assert request.events[0].name == "groundwire.streaming.halt"
    for attributes in (own.attributes, request.events[0].attributes):
        assert attributes is not None
        assert attributes["groundwire.halt_reason"] == "contradicted"
        assert "days" not in str(dict(attributes))
