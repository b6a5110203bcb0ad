"""Wrong arguments end in one clear error; hostile text ends in a result, in bounded time."""

import time
from typing import Any

import pytest

from groundwire import CoherenceScorer, GroundTruthStore, Policy, ScoreCache
from groundwire.coherence import ConversationSession
from groundwire.errors import InputError, InputTypeError
from groundwire.nli import BACKENDS, JudgeAnswer, judge_from_anthropic, judge_from_openai


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"threshold": 1.5}, InputError, "threshold is 1.5"),
        ({"threshold": "high"}, InputTypeError, "threshold is a str"),
        ({"threshold": float("nan")}, InputError, "threshold"),
        ({"threshold": 0.6, "soft_limit": 0.5}, InputError, "soft_limit 0.5 is below threshold 0.6"),
        ({"w_logic": "much"}, InputTypeError, "w_logic"),
        ({"w_logic": 0.9, "w_fact": 0.9}, InputError, "sum to 1.8"),
        ({"w_logic": float("inf")}, InputError, "w_logic"),
        ({"ground_truth_store": {"a": "b"}}, InputTypeError, "ground_truth_store is a dict"),
        ({"nli_scorer": "deberta"}, InputTypeError, "nli_scorer is a str"),
        ({"use_nli": False, "scorer_backend": "rules"}, InputError, "use_nli is False"),
        ({"cache_size": -1}, InputError, "cache_size"),
        ({"cache_size": 5, "cache_ttl": 0}, InputError, "ttl is 0"),
        ({"judge_mode": "always"}, InputError, "choose from off, low_confidence, hybrid"),
        ({"judge_mode": "hybrid"}, InputError, "without a judge"),
        ({"llm_judge": "gpt"}, InputTypeError, "judge_from_openai"),
        ({"injection_detector": True}, InputTypeError, "InjectionDetector"),
        ({"top_k": 0}, InputError, "top_k is 0"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words.replace("(", r"\(")):
        CoherenceScorer(**options)


def test_an_unknown_backend_lists_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        CoherenceScorer(scorer_backend="bert-huge")
    assert all(name in str(caught.value) for name in BACKENDS)


def test_an_unknown_preset_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="knowledge-heavy, reasoning-heavy, summarisation"):
        CoherenceScorer.from_preset("strict")


def test_a_missing_model_is_one_warning_and_the_exact_checks(tmp_path: Any) -> None:
    with pytest.warns(RuntimeWarning, match="exact checks") as caught:
        scorer = CoherenceScorer(scorer_backend="embedded", nli_model=str(tmp_path))
    assert len(caught) == 1
    assert scorer.review("The door is red.", "The door is red.")[0]


@pytest.mark.parametrize("name", ["lite", "rules"])
def test_backends_without_a_model_can_be_chosen(name: str) -> None:
    store = GroundTruthStore()
    store.add("refund", "Refunds are possible within 30 days.")
    scorer = CoherenceScorer(ground_truth_store=store, scorer_backend=name)
    assert scorer.review("Refunds?", "Refunds are possible within 30 days.")[0]
    assert not scorer.review("Refunds?", "Refunds are possible within 60 days.")[0]


@pytest.mark.parametrize("arguments", [(1, "a"), ("a", None), ("a", b"b"), ("a", "b", "session"), ("a", "b", None, 5)])
def test_texts_of_the_wrong_type_are_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(InputTypeError):
        CoherenceScorer().review(*arguments)


@pytest.mark.parametrize("items", ["ab", [("a",)], ["ab"], [("a", "b", "c")], 5, [("a", 1)]])
def test_a_batch_that_is_no_list_of_pairs_is_refused(items: Any) -> None:
    with pytest.raises(InputTypeError):
        CoherenceScorer().review_batch(items)


def test_a_text_over_the_limit_is_refused_and_not_half_read() -> None:
    scorer = CoherenceScorer(policy=Policy(max_response_chars=100, max_source_chars=100))
    with pytest.raises(InputError, match="The response has 101 characters"):
        scorer.review("a", "b" * 101)
    with pytest.raises(InputError, match="The prompt has 101 characters"):
        scorer.review("a" * 101, "b")


@pytest.mark.parametrize("options", [{"max_size": 0}, {"max_size": True}, {"ttl": -1}, {"ttl": "long"}])
def test_a_cache_of_no_size_or_time_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises((InputError, InputTypeError)):
        ScoreCache(**options)


@pytest.mark.parametrize("turns", [0, -1, True, "many"])
def test_a_session_needs_room_for_a_turn(turns: Any) -> None:
    with pytest.raises((InputError, InputTypeError)):
        ConversationSession(turns)


@pytest.mark.parametrize("make", [judge_from_openai, judge_from_anthropic])
def test_a_judge_needs_a_client_and_sound_options(make: Any) -> None:
    class Client:
        class chat:  # noqa: N801
            class completions:  # noqa: N801
                create = print

        class messages:  # noqa: N801
            create = print

    with pytest.raises(InputTypeError, match="client is a str"):
        make("sk-123", "model")
    for options in ({"timeout": 0}, {"timeout": "soon"}, {"retries": -1}, {"prices": (1,)}, {"prices": (-1.0, 1.0)}):
        with pytest.raises((InputError, InputTypeError)):
            make(Client(), "model", **options)
    with pytest.raises(InputTypeError, match="model name"):
        make(Client(), "")


def test_a_judge_answer_holds_what_it_cost() -> None:
    assert JudgeAnswer(True) == JudgeAnswer(True, "", None, None, None)


@pytest.mark.parametrize("piece", ["a", "? ", "Yes. ", "user:\n", "summarize ", "1 ", "not ", "\ud800", "\n", "n't "])
def test_repeats_of_one_piece_stay_fast(piece: str) -> None:
    store = GroundTruthStore()
    store.add("refund", "Refunds are possible within 30 days.")
    text = piece * (4_000 // len(piece))
    begin = time.process_time()
    CoherenceScorer(ground_truth_store=store).review(text, text)
    assert time.process_time() - begin < 5.0
