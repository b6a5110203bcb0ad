"""The checklist of the coherence specification, C1 to C12, in its own order."""

import threading
from collections.abc import Sequence

import pytest

from groundwire import CoherenceScorer, GroundTruthStore, NLIScorer, ScoreCache
from groundwire.coherence import PRESETS, Weights
from groundwire.coherence.judging import blend
from groundwire.coherence.routes import Route
from groundwire.coherence.weights import combine, effective
from groundwire.nli import Entailment, FakeNLI

FACT = "Refunds are possible within 30 days."
QUESTION = "How long are refunds possible?"


def store() -> GroundTruthStore:
    made = GroundTruthStore()
    made.add_many({"refund": FACT, "office": "The office is in Leeds.", "price": "The plan costs $49 per month."})
    return made


class Counting:
    """An entailment scorer that remembers how often it was asked, and about what."""

    def __init__(self) -> None:
        self.calls: list[list[tuple[str, str]]] = []

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        self.calls.append(list(pairs))
        return [Entailment(0.9, 0.1, 0.0)] * len(pairs)


@pytest.mark.parametrize(
    ("divergences", "weights", "expected"),
    [
        ((0.2, 0.5), Weights(), 0.68),
        ((0.0, 0.0), Weights(), 1.0),
        ((1.0, 1.0), Weights(), 0.0),
        ((0.2, 0.5), PRESETS["knowledge-heavy"], 0.59),
        ((0.2, 0.5), PRESETS["reasoning-heavy"], 0.74),
        ((0.9, 0.25), PRESETS["summarisation"], 0.75),
        ((1.5, 1.5), Weights(), 0.0),
        ((-1.0, -1.0), Weights(), 1.0),
    ],
)
def test_c1_the_formula_with_its_defaults_and_clamping(
    divergences: tuple[float, float], weights: Weights, expected: float
) -> None:
    assert combine(*divergences, weights) == expected


def test_c1_a_review_obeys_the_formula() -> None:
    scorer = CoherenceScorer(ground_truth_store=store())
    assert (scorer.threshold, scorer.soft_limit, scorer.weights) == (0.5, 0.6, Weights(0.6, 0.4))
    score = scorer.score(QUESTION, "You may return things within 30 days.")
    assert score.score == pytest.approx(1.0 - (0.6 * score.h_logical + 0.4 * score.h_factual))


@pytest.mark.parametrize(("logic", "fact"), [(0.5, 0.4), (0.6, 0.6), (-0.2, 1.2), (1.2, -0.2), (0.0, 0.0)])
def test_c2_weights_that_do_not_sum_to_one_or_are_negative_are_a_value_error(logic: float, fact: float) -> None:
    with pytest.raises(ValueError, match=r"weight|w_"):
        CoherenceScorer(w_logic=logic, w_fact=fact)


def test_c2_the_tolerance_is_a_millionth() -> None:
    CoherenceScorer(w_logic=0.6 + 5e-7, w_fact=0.4)
    with pytest.raises(ValueError, match="sum"):
        CoherenceScorer(w_logic=0.6 + 5e-6, w_fact=0.4)


def test_c3_a_score_equal_to_the_threshold_is_approved() -> None:
    reached = CoherenceScorer(ground_truth_store=store()).score(QUESTION, FACT).score
    approved, score = CoherenceScorer(threshold=reached, ground_truth_store=store()).review(QUESTION, FACT)
    assert approved
    assert score.warning
    assert not CoherenceScorer(threshold=reached + 0.001, ground_truth_store=store()).review(QUESTION, FACT)[0]


def test_c3_the_soft_limit_is_a_tenth_above_and_only_its_zone_warns() -> None:
    assert CoherenceScorer(threshold=0.7).soft_limit == 0.8
    assert CoherenceScorer(threshold=0.95).soft_limit == 1.0
    reached = CoherenceScorer(ground_truth_store=store()).score(QUESTION, FACT).score
    for soft_limit, warns in ((reached, False), (reached + 0.01, True)):
        scorer = CoherenceScorer(0.5, soft_limit, ground_truth_store=store())
        approved, score = scorer.review(QUESTION, FACT)
        assert (approved, score.warning) == (True, warns)
    rejected = CoherenceScorer(ground_truth_store=store()).score(QUESTION, "Refunds are possible within 60 days.")
    assert not rejected.warning


def test_c4_without_logical_weight_the_logical_scorer_is_never_called() -> None:
    nli = Counting()
    scorer = CoherenceScorer(w_logic=0.0, w_fact=1.0, ground_truth_store=store(), nli_scorer=nli)
    score = scorer.score("The shop is red. Tell me about refunds.", FACT)
    assert score.h_logical == 0.0
    premises = [premise for call in nli.calls for premise, _ in call]
    assert premises
    assert not any("shop is red" in premise for premise in premises)


def test_c4_with_logical_weight_it_is_called() -> None:
    nli = Counting()
    CoherenceScorer(ground_truth_store=store(), nli_scorer=nli).score("The shop is red. Tell me about refunds.", FACT)
    assert any("shop is red" in premise for call in nli.calls for premise, _ in call)


def test_c5_parallel_and_sequential_results_are_identical() -> None:
    for prompt, response in [
        ("The plan costs $49 per month. What about refunds?", "Refunds are possible within 30 days."),
        ("The plan costs $49 per month. Write to the customer.", "The plan costs $99 per month."),
        ("Tell me about the office.", "The office is in Leeds. It has a garden."),
    ]:
        together = CoherenceScorer(ground_truth_store=store(), parallel=True).score(prompt, response)
        in_turn = CoherenceScorer(ground_truth_store=store(), parallel=False).score(prompt, response)
        assert together == in_turn


@pytest.mark.parametrize(
    ("h_factual", "has_evidence", "route", "calibrated"),
    [
        (0.5, False, Route.PARALLEL, True),
        (0.4, False, Route.PARALLEL, False),
        (0.5, True, Route.PARALLEL, False),
        (0.5, False, Route.DIALOGUE, False),
        (0.5, False, Route.MODEL, True),
    ],
)
def test_c6_calibration_without_knowledge_needs_all_three_conditions(
    h_factual: float, has_evidence: bool, route: Route, calibrated: bool
) -> None:
    weights = effective(Weights(), h_factual, has_evidence=has_evidence, route=route)
    assert weights == (Weights(1.0, 0.0) if calibrated else Weights())


def test_c6_without_facts_the_logical_side_alone_decides() -> None:
    score = CoherenceScorer().score("The train leaves at 9:40.", "The train leaves at 9:40.")
    assert score.h_factual == 0.5
    assert score.score == pytest.approx(1.0 - score.h_logical)


def test_c6_nothing_measured_is_never_full_agreement() -> None:
    score = CoherenceScorer.from_preset("summarisation").score(QUESTION, FACT)
    assert (score.score, score.warning, score.verdict_confidence) == (0.5, True, None)


@pytest.mark.parametrize("options", [{}, {"use_nli": False}, {"nli_scorer": NLIScorer("lite")}])
def test_c7_strict_mode_without_a_model_rejects_and_does_not_fall_back(options: dict[str, object]) -> None:
    scorer = CoherenceScorer(strict_mode=True, ground_truth_store=store(), **options)  # type: ignore[arg-type]
    approved, score = scorer.review(QUESTION, FACT)
    assert (approved, score.score, score.strict_mode_rejected) == (False, 0.0, True)
    assert score.evidence is None
    assert [item[1].strict_mode_rejected for item in scorer.review_batch([(QUESTION, FACT)])] == [True]


def test_c7_strict_mode_with_a_model_that_fails_rejects() -> None:
    class Broken:
        def score(self, premise: str, hypothesis: str) -> float:
            raise RuntimeError("out of memory")

    strict = CoherenceScorer(strict_mode=True, ground_truth_store=store(), nli_scorer=Broken())
    assert strict.score(QUESTION, FACT).strict_mode_rejected
    lenient = CoherenceScorer(ground_truth_store=store(), nli_scorer=Broken())
    with pytest.warns(RuntimeWarning, match="RuntimeError"):
        assert lenient.review(QUESTION, FACT)[0]


def test_c7_strict_mode_with_a_model_works() -> None:
    scorer = CoherenceScorer(strict_mode=True, ground_truth_store=store(), nli_scorer=Counting())
    assert scorer.review(QUESTION, FACT)[0]


def test_c8_the_worst_sentence_of_the_response_decides() -> None:
    """C8: the documented pair, Paris right and Berlin wrong, scores high."""
    facts = GroundTruthStore()
    facts.add("capital", "Paris is the capital of France. It lies on the Seine.")
    nli = FakeNLI({"Berlin is the capital of France.": 0.97, "Paris lies on the Seine.": 0.05}, default=0.5)
    chunked = NLIScorer(nli).score_chunked(
        "Paris lies on the Seine.", "Paris lies on the Seine. Berlin is the capital of France."
    )
    assert float(chunked) == pytest.approx(0.97)
    score = CoherenceScorer(ground_truth_store=facts, nli_scorer=nli).score(
        "Tell me about the capital of France.", "Paris lies on the Seine. Berlin is the capital of France."
    )
    assert score.h_factual >= 0.9
    assert not score.approved
    assert score.evidence is not None
    assert score.evidence.hypothesis_chunk_count == 2
    assert score.evidence.chunk_scores == pytest.approx([0.05, 0.97])


ITEMS = [
    (QUESTION, FACT),
    (QUESTION, "Refunds are possible within 60 days."),
    ("Where is the office? I am in York.", "The office is in Leeds. I am in York."),
    ("What is the price?", "It is free of charge."),
    ("Hi", "Hello!"),
]


@pytest.mark.parametrize("model", [False, True])
def test_c9_a_batch_equals_single_reviews(model: bool) -> None:
    def scorer() -> CoherenceScorer:
        return CoherenceScorer(ground_truth_store=store(), nli_scorer=Counting() if model else None)

    assert scorer().review_batch(ITEMS) == [scorer().review(*item) for item in ITEMS]
    assert scorer().review_batch([]) == []


@pytest.mark.parametrize("count", [1, 5, 40])
def test_c9_a_batch_takes_at_most_two_passes(count: int) -> None:
    nli = Counting()
    CoherenceScorer(ground_truth_store=store(), nli_scorer=nli).review_batch((ITEMS * 8)[:count])
    assert 1 <= len(nli.calls) <= 2


def test_c10_a_hit_is_equal_and_asks_no_model() -> None:
    nli = Counting()
    scorer = CoherenceScorer(ground_truth_store=store(), nli_scorer=nli, cache_size=10)
    first = scorer.review(QUESTION, FACT)
    asked = len(nli.calls)
    assert scorer.review(QUESTION, FACT) == first
    assert len(nli.calls) == asked
    assert scorer.cache is not None
    assert (scorer.cache.hit_rate, scorer.cache.size) == (0.5, 1)


def test_c10_expiry_eviction_and_clearing() -> None:
    now = [0.0]
    score = CoherenceScorer().score("a", "b")
    cache = ScoreCache(max_size=2, ttl=10.0, clock=lambda: now[0])
    cache.put("p1", "r", score)
    cache.put("p2", "r", score)
    assert cache.get("p1", "r") == score
    cache.put("p3", "r", score)
    assert cache.get("p2", "r") is None
    assert (cache.get("p1", "r"), cache.size) == (score, 2)
    now[0] = 10.0
    assert (cache.get("p1", "r"), cache.size) == (None, 0)
    assert cache.hit_rate == 0.5
    cache.clear()
    assert (cache.size, cache.hit_rate) == (0, 0.0)


def test_c10_tenants_configurations_and_knowledge_are_kept_apart() -> None:
    facts = store()
    facts.add("refund", "Refunds are possible within 60 days.", tenant_id="b")
    scorer = CoherenceScorer(ground_truth_store=facts, cache_size=10)
    assert scorer.review(QUESTION, FACT)[0]
    assert not scorer.review(QUESTION, FACT, tenant_id="b")[0]
    assert scorer.review(QUESTION, FACT)[0]
    facts.add("refund", "Refunds are possible within 14 days.")
    assert not scorer.review(QUESTION, FACT)[0]


def test_c10_size_zero_means_no_cache() -> None:
    assert CoherenceScorer().cache is None


def test_c10_the_cache_is_safe_between_threads() -> None:
    cache = ScoreCache(max_size=50, ttl=60.0)
    score = CoherenceScorer().score("a", "b")

    def work(thread: int) -> None:
        for number in range(500):
            cache.put(f"{thread} {number}", "r", score)
            cache.get(f"{thread} {number}", "r")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.size == 50


@pytest.mark.parametrize(("agrees", "expected"), [(True, 0.41), (False, 0.59)])
def test_c11_a_judge_moves_half_to_041_or_059(agrees: bool, expected: float) -> None:
    assert blend(0.5, agrees) == expected
    nli = FakeNLI({}, default=0.5)
    facts = GroundTruthStore()
    facts.add("refund", "Refunds are handled by the office.")
    scorer = CoherenceScorer(
        ground_truth_store=facts, nli_scorer=nli, llm_judge=lambda *_: agrees, judge_mode="low_confidence"
    )
    score = scorer.score("Refunds?", "Refunds need a stamp of the mayor.")
    assert (score.h_factual, score.escalated_to_judge) == (expected, True)


def test_c11_a_judge_is_asked_when_the_mode_says_so() -> None:
    asked: list[str] = []

    def judge(prompt: str, response: str, facts: str) -> bool:
        asked.append(facts)
        return True

    def scorer(mode: str) -> CoherenceScorer:
        return CoherenceScorer(ground_truth_store=store(), llm_judge=judge, judge_mode=mode)

    assert scorer("off").score(QUESTION, FACT).escalated_to_judge is False
    assert scorer("low_confidence").score(QUESTION, FACT).escalated_to_judge is False
    assert asked == []
    assert scorer("hybrid").score(QUESTION, FACT).escalated_to_judge is True
    assert FACT in asked[0]
    assert scorer("low_confidence").score(QUESTION, "Things go back at leisure.").escalated_to_judge is True
    assert CoherenceScorer().score(QUESTION, FACT).escalated_to_judge is None


def test_c11_a_judge_cannot_talk_a_conflict_away() -> None:
    scorer = CoherenceScorer(ground_truth_store=store(), llm_judge=lambda *_: True, judge_mode="hybrid")
    score = scorer.score(QUESTION, "Refunds are possible within 60 days.")
    assert (score.approved, score.h_factual >= 0.9) == (False, True)


def _raises(*_: str) -> bool:
    raise TimeoutError("no answer")


@pytest.mark.parametrize("judge", [_raises, lambda *_: "yes", lambda *_: None], ids=["raises", "text", "nothing"])
def test_c12_a_failed_judge_leaves_the_value_and_is_recorded(judge: object) -> None:
    plain = CoherenceScorer(ground_truth_store=store()).score(QUESTION, FACT)
    scorer = CoherenceScorer(ground_truth_store=store(), llm_judge=judge, judge_mode="hybrid")  # type: ignore[arg-type]
    score = scorer.score(QUESTION, FACT)
    assert (score.score, score.h_factual, score.escalated_to_judge) == (plain.score, plain.h_factual, False)
    assert len(scorer.judge_failures) == 1
    assert "Refunds" not in scorer.judge_failures[0]
