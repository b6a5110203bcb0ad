"""What a guard does with an answer, whichever SDK it came from."""

from typing import Any

import pytest

from groundwire import Policy
from groundwire.errors import AnswerRejectedError, ModelError
from groundwire.guard.answers import AnswerGuard
from groundwire.guard.door import Exchange
from groundwire.guard.openai import ChatCompletions

SOURCE = "Refunds are accepted within 30 days of purchase. Data is stored in Norway."
RIGHT = "Refunds are accepted within 30 days of purchase."


def act(guard: AnswerGuard, text: str) -> str:
    return guard.act(guard.review(text, guard.source_for({}), None))


def test_an_answer_past_the_limit_is_not_let_through_unread() -> None:
    policy = Policy(max_response_chars=60)
    long = f"{RIGHT} Refunds are accepted within 60 days of purchase."
    with pytest.raises(AnswerRejectedError, match="could not be checked as a whole"):
        act(AnswerGuard(SOURCE, policy=policy), long)
    assert act(AnswerGuard(SOURCE, policy=policy), RIGHT) == RIGHT
    assert act(AnswerGuard(SOURCE, policy=policy, on_reject="block", blocked_text="No."), long) == "No."


def test_a_policy_that_approves_on_probability_is_honoured() -> None:
    strict = Policy(approve_on="probability", grounded_threshold=1.0)
    with pytest.raises(AnswerRejectedError):
        act(AnswerGuard(SOURCE, policy=strict), "Refunds may perhaps take a month or so.")


def test_a_floor_of_certainty_holds_for_whole_answers_too() -> None:
    doubtful = "In Norway 60 people like refunds."
    with pytest.raises(AnswerRejectedError):
        act(AnswerGuard(SOURCE), doubtful)
    assert act(AnswerGuard(SOURCE, min_certainty=0.9), doubtful) == doubtful


class Failing:
    def score(self, premise: str, hypothesis: str) -> float:
        raise RuntimeError


class Silent:
    def score(self, premise: str, hypothesis: str) -> float:
        return float("nan")


class Hanging:
    def score(self, premise: str, hypothesis: str) -> float:
        raise TimeoutError


def test_a_model_that_fails_lets_nothing_through() -> None:
    with pytest.raises(RuntimeError):
        act(AnswerGuard(SOURCE, nli_scorer=Failing()), RIGHT)
    with pytest.raises(ModelError, match="returned NaN"):
        act(AnswerGuard(SOURCE, nli_scorer=Silent(), on_reject="warn"), RIGHT)
    with pytest.raises(ModelError, match="could not be checked"):
        act(AnswerGuard(SOURCE, nli_scorer=Hanging(), on_reject="warn"), RIGHT)


def test_messages_that_come_as_an_iterator_are_sent_whole() -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "How long?"}]
    exchange = Exchange(AnswerGuard(SOURCE), ChatCompletions(), {"model": "m", "messages": iter(messages)})
    assert exchange.request["messages"] == messages
    assert exchange.question == "How long?"
