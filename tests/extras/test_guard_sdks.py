"""The real openai and anthropic SDKs, guarded, over a real connection."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import openai
import pytest

from groundwire import Policy
from groundwire.errors import AnswerRejectedError, InputError, InputTypeError
from groundwire.guard import from_anthropic, from_openai
from groundwire.types import SafetyEvent
from tests.standins.llm_stream_server import Answer, StreamServer, stream_server

pytestmark = pytest.mark.extras

SOURCE = (
    "Refunds are accepted within 30 days of purchase. The Pro plan costs $20 per month. "
    "Support answers within 24 hours. Data is stored in Norway."
)
RIGHT = "The Pro plan costs $20 per month. Refunds are accepted within 30 days of purchase. Data is stored in Norway."
WRONG = "The Pro plan costs $20 per month. Refunds are accepted within 60 days of purchase. Data is stored in Norway."
ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "What does it cost?"}]}
SDKS = ["openai", "anthropic"]


class Client:
    """One SDK, guarded, driven the same way whether sync or async."""

    def __init__(self, sdk: str, server: StreamServer, is_async: bool = False, **options: Any) -> None:
        self.sdk, self.is_async = sdk, is_async
        kind = {
            ("openai", False): openai.OpenAI,
            ("openai", True): openai.AsyncOpenAI,
            ("anthropic", False): anthropic.Anthropic,
            ("anthropic", True): anthropic.AsyncAnthropic,
        }[sdk, is_async]
        url = f"{server.url}/v1" if sdk == "openai" else server.url
        self.plain: Any = kind(api_key="k", base_url=url, max_retries=0)
        make: Callable[..., Any] = from_openai if sdk == "openai" else from_anthropic
        self.guarded = make(self.plain, options.pop("source", SOURCE), **options)
        self.stream: Any = None

    @property
    def create(self) -> Callable[..., Any]:
        create: Callable[..., Any] = (
            self.guarded.chat.completions.create if self.sdk == "openai" else self.guarded.messages.create
        )
        return create

    def request(self, **more: Any) -> dict[str, Any]:
        return {**ASKED, **({"max_tokens": 99} if self.sdk == "anthropic" else {}), **more}

    def ask(self) -> str:
        if self.is_async:

            async def once() -> Any:
                async with self.plain:
                    return await self.create(**self.request())

            response = asyncio.run(once())
        else:
            with self.plain:
                response = self.create(**self.request())
        self.response = response
        text: str = response.choices[0].message.content if self.sdk == "openai" else response.content[0].text
        return text

    def text_of(self, event: Any) -> str:
        if self.sdk == "openai":
            return "".join(choice.delta.content or "" for choice in event.choices if choice.index == 0)
        return event.delta.text if event.type == "content_block_delta" else ""

    def read(self) -> Iterator[str]:
        """Stream an answer and collect its text in `shown`, its events in `events`."""
        self.shown: list[str] = []
        self.events: list[Any] = []
        if self.is_async:
            asyncio.run(self._read_async())
        else:
            with self.plain:
                self.stream = self.create(**self.request(stream=True))
                for event in self.stream:
                    self.events.append(event)
                    self.shown.append(self.text_of(event))
        yield from filter(None, self.shown)

    async def _read_async(self) -> None:
        async with self.plain:
            self.stream = await self.create(**self.request(stream=True))
            async for event in self.stream:
                self.events.append(event)
                self.shown.append(self.text_of(event))


@pytest.fixture(params=SDKS)
def sdk(request: pytest.FixtureRequest) -> str:
    return str(request.param)


both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


@both
def test_a_right_answer_comes_back_unchanged_with_its_report(sdk: str, is_async: bool) -> None:
    with stream_server(RIGHT) as server:
        client = Client(sdk, server, is_async)
        assert client.ask() == RIGHT
        assert client.response.groundwire[0]["approved"] is True
        assert client.response.groundwire[0]["verification"]["supported"] == 3


@both
def test_raise_raises_with_the_verdicts(sdk: str, is_async: bool) -> None:
    with stream_server(WRONG) as server, pytest.raises(AnswerRejectedError, match="1 claim is not supported") as caught:
        Client(sdk, server, is_async).ask()
    result: Any = caught.value.result
    assert [claim.verdict for claim in result.claims].count("contradicted") == 1


@both
def test_block_replaces_the_answer(sdk: str, is_async: bool) -> None:
    with stream_server(WRONG) as server:
        client = Client(sdk, server, is_async, on_reject="block", blocked_text="Withheld.")
        assert client.ask() == "Withheld."
        assert "60 days" not in str(client.response.choices if sdk == "openai" else client.response.content)
        assert client.response.groundwire[0]["corrections"][0]["after"].endswith("within 30 days of purchase.")


@both
def test_annotate_marks_the_claim_and_warn_lets_it_through(sdk: str, is_async: bool) -> None:
    events: list[SafetyEvent] = []
    with stream_server(WRONG) as server:
        text = Client(sdk, server, is_async, on_reject="annotate").ask()
        assert 'within 60 days of purchase. [contradicted; the source says "30 days"] Data' in text
        assert Client(sdk, server, is_async, on_reject="warn", sinks=[events.append]).ask() == WRONG
    assert [event.policy_decision for event in events] == ["warn"]
    assert "days" not in str(events[0].to_dict())


@both
def test_retry_sends_the_evidence_and_takes_the_better_answer(sdk: str, is_async: bool) -> None:
    with stream_server(WRONG, RIGHT) as server:
        assert Client(sdk, server, is_async, on_reject="retry_with_evidence").ask() == RIGHT
        assert len(server.asked) == 2
        told = server.asked[1]["messages"]
        assert [message["role"] for message in told] == ["user", "assistant", "user"]
        assert "The source says" in told[2]["content"]
        assert "30 days" in told[2]["content"]


@both
def test_retry_gives_up_and_blocks(sdk: str, is_async: bool) -> None:
    with stream_server(WRONG) as server:
        client = Client(sdk, server, is_async, on_reject="retry_with_evidence", retries=1, blocked_text="Withheld.")
        assert client.ask() == "Withheld."
        assert len(server.asked) == 2


@both
def test_a_right_stream_comes_through_unchanged(sdk: str, is_async: bool) -> None:
    with stream_server(RIGHT) as server:
        client = Client(sdk, server, is_async)
        shown = list(client.read())
        assert "".join(shown) == RIGHT
        assert len(shown) == 3
        assert not client.stream.session.halted
        last = client.events[-1]
        assert last.choices[0].finish_reason == "stop" if sdk == "openai" else last.type == "message_stop"


@both
def test_a_wrong_sentence_is_never_seen_in_a_stream(sdk: str, is_async: bool) -> None:
    with stream_server(WRONG) as server:
        client = Client(sdk, server, is_async, on_reject="block", blocked_text=" [withheld]")
        assert "".join(client.read()) == "The Pro plan costs $20 per month. [withheld]"
        assert client.stream.session.halt_reason == "contradicted"
        written = str(client.events)
        assert "60 d" not in written
        assert "Norway" not in written
        if sdk == "openai":
            assert client.events[-1].choices[0].finish_reason == "content_filter"
        else:
            assert [event.type for event in client.events[-3:]] == [
                "content_block_stop", "message_delta", "message_stop",
            ]  # fmt: skip
            assert client.events[-2].delta.stop_reason == "refusal"


@both
def test_raise_raises_in_the_stream_after_what_was_right(sdk: str, is_async: bool) -> None:
    with stream_server(WRONG) as server:
        client = Client(sdk, server, is_async)
        with pytest.raises(AnswerRejectedError):
            list(client.read())
        assert "".join(client.shown) == "The Pro plan costs $20 per month."


@both
def test_annotate_and_immediate_mode_in_a_stream(sdk: str, is_async: bool) -> None:
    with stream_server(WRONG) as server:
        client = Client(sdk, server, is_async, on_reject="annotate")
        assert 'of purchase. [contradicted; the source says "30 days"] Data' in "".join(client.read())
        client = Client(sdk, server, is_async, on_reject="block", mode="immediate", blocked_text="|")
        assert "".join(client.read()) == WRONG[: WRONG.index(" Data")] + "|"


@both
def test_retry_in_a_stream_shows_only_the_better_answer(sdk: str, is_async: bool) -> None:
    with stream_server(WRONG, RIGHT) as server:
        client = Client(sdk, server, is_async, on_reject="retry_with_evidence")
        assert "".join(client.read()) == RIGHT
        assert len(server.asked) == 2


@both
@pytest.mark.parametrize("size", [1, 100_000], ids=["single characters", "one huge chunk"])
def test_the_size_of_chunks_changes_nothing(sdk: str, is_async: bool, size: int) -> None:
    with stream_server(Answer(WRONG, size=size)) as server:
        client = Client(sdk, server, is_async, on_reject="block", blocked_text="|")
        assert "".join(client.read()) == "The Pro plan costs $20 per month.|"


@both
def test_a_stream_that_breaks_shows_nothing_unchecked(sdk: str, is_async: bool) -> None:
    with stream_server(Answer(RIGHT, cut_after=15)) as server:
        client = Client(sdk, server, is_async)
        with pytest.raises(Exception, match=r"(?i)closed|reset|incomplete|peer|disconnect|connection"):
            list(client.read())
        assert "".join(client.shown) == "The Pro plan costs $20 per month."
        assert client.stream.session.halt_reason == "stream_error"


@both
def test_a_stream_that_just_stops_shows_nothing_unchecked(sdk: str, is_async: bool) -> None:
    with stream_server(Answer(RIGHT, cut_after=15, quiet_cut=True)) as server:
        client = Client(sdk, server, is_async)
        assert "".join(client.read()) == "The Pro plan costs $20 per month."
        assert client.stream.session.halt_reason == "stream_error"


@both
def test_an_error_in_the_middle_reaches_the_caller(sdk: str, is_async: bool) -> None:
    with stream_server(Answer(RIGHT, error_after=15)) as server:
        client = Client(sdk, server, is_async)
        with pytest.raises((openai.APIError, anthropic.APIError), match="overloaded"):
            list(client.read())
        assert "".join(client.shown) == "The Pro plan costs $20 per month."
        assert client.stream.session.halt_reason == "stream_error"


@both
def test_a_slow_stream_is_shown_as_it_comes(sdk: str, is_async: bool) -> None:
    with stream_server(Answer(RIGHT, delay=0.005)) as server:
        assert "".join(Client(sdk, server, is_async).read()) == RIGHT


def test_a_reader_that_leaves_hangs_up(sdk: str) -> None:
    with stream_server(Answer(RIGHT * 2_000, delay=0.001)) as server:
        client = Client(sdk, server)
        with client.plain:
            with client.create(**client.request(stream=True)) as stream:
                for event in stream:
                    if client.text_of(event):
                        break
            assert server.hung_up.wait(20)
        assert stream.session.end_time > 0


def test_a_halt_hangs_up(sdk: str) -> None:
    with stream_server(Answer(WRONG + RIGHT * 2_000, delay=0.001)) as server:
        client = Client(sdk, server, on_reject="block")
        list(client.read())
        assert server.hung_up.wait(20)


def test_several_choices_are_checked_each(sdk: str) -> None:
    if sdk == "anthropic":
        return  # the messages API gives one answer
    with stream_server(Answer(RIGHT, choices=2)) as server:
        client = Client(sdk, server)
        list(client.read())
        assert [session.output for session in client.stream.sessions] == [RIGHT, RIGHT]
    with stream_server(Answer(WRONG, choices=2)) as server:
        client = Client(sdk, server, on_reject="block", blocked_text="Withheld.")
        client.ask()
        assert {choice.message.content for choice in client.response.choices} == {"Withheld."}


def test_the_source_may_be_found_for_each_request(sdk: str) -> None:
    seen: list[Any] = []

    def find(request: Any) -> str:
        seen.append(request["messages"][0]["content"])
        return SOURCE

    with stream_server(RIGHT) as server:
        assert Client(sdk, server, source=find).ask() == RIGHT
    assert seen == ["What does it cost?"]


def test_the_policy_decides(sdk: str) -> None:
    with stream_server(WRONG) as server:
        assert Client(sdk, server, policy=Policy(fail_on=())).ask() == WRONG


def test_calls_that_are_not_guarded_are_refused(sdk: str) -> None:
    with stream_server(RIGHT) as server:
        guarded = Client(sdk, server).guarded
        for path in ["responses", "completions", "beta", "post", "with_options"]:
            with pytest.raises(InputError, match="is not guarded"):
                getattr(guarded, path)
        inner = guarded.chat.completions if sdk == "openai" else guarded.messages
        for name in ["stream", "parse", "with_raw_response"]:
            with pytest.raises(InputError, match="is not guarded"):
                getattr(inner, name)
        assert str(guarded.base_url).startswith(server.url)


@pytest.mark.parametrize("version", ["0.28.1", "9.0.0", "nonsense"])
def test_an_sdk_outside_the_supported_range_is_refused(sdk: str, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai if sdk == "openai" else anthropic, "__version__", version)
    with stream_server(RIGHT) as server, pytest.raises(InputError, match="outside the supported range"):
        Client(sdk, server)


def test_wrong_settings_say_what_to_do() -> None:
    client = openai.OpenAI(api_key="k", base_url="http://127.0.0.1:9")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"on_reject": "shout"}, "choose from raise, block, warn, annotate, retry_with_evidence"),
        ({"mode": "fast"}, "choose from immediate"),
        ({"retries": -1}, "retries is -1"),
    ]
    for options, message in wrong:
        with pytest.raises(InputError, match=message):
            from_openai(client, SOURCE, **options)
    with pytest.raises(InputTypeError, match="client is a str"):
        from_openai("client", SOURCE)
    with pytest.raises(InputTypeError, match="client is a OpenAI"):
        from_anthropic(client, SOURCE)
    client.close()
