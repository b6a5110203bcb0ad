"""The numbered checklist of the verification contract, V1 to V30."""

import asyncio
import copy
import inspect
import json
import threading
import time

import pytest

from groundwire import Policy, Source, VerifiedScorer
from groundwire.nli import FakeNLI
from groundwire.types import ClaimVerdict, Verdict, VerificationResult
from groundwire.verify import combine_signals
from groundwire.verify.assemble import summarise
from groundwire.verify.decide import confidence_label, is_blocking, overall_score

PRICING = "Pricing: $49/month. Refunds within 30 days only."


def verify(response: str, source: str, **options: object) -> VerificationResult:
    return VerifiedScorer().verify(response, source, **options)  # type: ignore[arg-type]


def verdicts(response: str, source: str, **options: object) -> list[str]:
    return [str(claim.verdict) for claim in verify(response, source, **options).claims]


def claim_with(verdict: str, confidence: float) -> ClaimVerdict:
    return ClaimVerdict("c", 0, "s", 0, 0.5, 1.0, None, False, 1.0, verdict, confidence)


def test_v1_constructor_and_verify_have_the_contract_parameters() -> None:
    constructor = list(inspect.signature(VerifiedScorer).parameters.values())
    assert [(p.name, p.default) for p in constructor] == [
        ("nli_scorer", None),
        ("nli_threshold", 0.65),
        ("support_threshold", 0.35),
        ("min_confidence", 0.4),
    ]
    method = inspect.signature(VerifiedScorer.verify).parameters
    assert list(method) == ["self", "response", "source", "atomic", "evidence_top_k", "question", "policy"]
    assert (method["atomic"].default, method["evidence_top_k"].default) == (False, 3)
    assert method["question"].kind is method["policy"].kind is inspect.Parameter.KEYWORD_ONLY


def test_v2_works_without_a_model() -> None:
    assert verify("Refunds within 30 days.", PRICING).model is None


def test_v3_worked_example_one() -> None:
    result = verify("The plan costs $99/month. Refunds within 60 days.", PRICING)
    assert (result.contradicted_count, result.approved, result.confidence, result.coverage) == (2, False, "high", 0.0)


def test_v4_rest_example_has_every_key_as_json() -> None:
    plain = verify("The plan costs $99/month.", "Pricing: $49/month.").to_dict()
    assert json.loads(json.dumps(plain)) == plain
    top = {"approved", "overall_score", "confidence", "supported", "contradicted", "fabricated", "unverifiable"}
    top |= {"coverage", "claims", "status", "unchecked", "support_probability", "grounded", "model", "checks"}
    assert top | {"policy_hash", "version"} <= set(plain)
    claim = plain["claims"][0]
    assert claim["verdict"] == "contradicted"
    keys = {"claim", "matched_source", "nli_divergence", "entity_match", "numerical_match", "negation_flip"}
    keys |= {"traceability", "verdict", "confidence", "claim_index", "source_index", "is_atomic", "evidence_spans"}
    assert keys | {"reasons", "start", "end", "conflicts"} <= set(claim)


def test_v5_atomic_example() -> None:
    result = verify(
        "The contract lasts 12 months and includes a 90-day refund window.",
        "The contract lasts 12 months with a 30-day refund window.",
        atomic=True,
    )
    assert [claim.claim for claim in result.claims] == [
        "The contract lasts 12 months",
        "includes a 90-day refund window",
    ]
    assert [str(claim.verdict) for claim in result.claims] == ["supported", "contradicted"]
    assert all(claim.is_atomic for claim in result.claims)


def test_v6_compound_with_one_wrong_number_is_never_supported() -> None:
    assert verdicts(
        "The contract lasts 12 months and includes a 90-day refund window.",
        "The contract lasts 12 months with a 30-day refund window.",
    ) != ["supported"]


@pytest.mark.parametrize(
    ("signals", "verdict", "least"),
    [
        ((0.1, 1.0, True, False, 0.9), "supported", 1.0),
        ((0.1, 1.0, None, False, 0.9), "supported", 1.0),
        ((0.9, 0.1, None, False, 0.1), "fabricated", 0.7),
        ((0.9, 1.0, False, True, 0.9), "contradicted", 0.7),
        ((0.1, None, False, False, 0.9), "unverifiable", 0.6),
        ((None, None, None, False, 0.1), "fabricated", 0.7),
    ],
)
def test_v7_every_row_of_the_interaction_table(
    signals: tuple[float | None, float | None, bool | None, bool, float], verdict: str, least: float
) -> None:
    found, confidence = combine_signals(*signals)
    assert found == verdict
    assert confidence >= least


def test_v8_divergence_on_a_limit_casts_no_vote() -> None:
    assert combine_signals(0.35, None, None, False, None) == (Verdict.UNVERIFIABLE, 0.0)
    assert combine_signals(0.65, None, None, False, None) == (Verdict.UNVERIFIABLE, 0.0)
    assert combine_signals(0.349, None, None, False, None) == (Verdict.SUPPORTED, 1.0)
    assert combine_signals(0.651, None, None, False, None) == (Verdict.CONTRADICTED, 1.0)


def test_v9_entity_and_trace_limits() -> None:
    for place in (1, 4):
        values: list[object] = [None, None, None, False, None]
        for value, expected in ((0.5, "supported"), (0.2, "unverifiable")):
            values[place] = value
            assert combine_signals(*values)[0] == expected  # type: ignore[arg-type]
    assert combine_signals(None, 0.19, None, False, None)[0] == "contradicted"
    assert combine_signals(None, None, None, False, 0.19)[0] == "fabricated"


def test_v10_untraceable_is_fabricated_whatever_the_rest_says() -> None:
    for divergence in (0.0, 0.5, 1.0):
        for number in (True, False, None):
            found, confidence = combine_signals(divergence, 1.0, number, False, 0.149)
            assert found == "fabricated"
            assert confidence >= 0.7


def test_v11_a_tie_is_contradicted() -> None:
    assert combine_signals(0.9, 1.0, None, False, None) == (Verdict.CONTRADICTED, 0.5)


@pytest.mark.parametrize("divergence", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_v12_wrong_number_or_flip_is_never_supported_with_any_scorer(divergence: float) -> None:
    scorer = VerifiedScorer(FakeNLI(default=divergence))
    for response in ("Refunds within 60 days.", "Refunds are not given within 30 days."):
        result = scorer.verify(response, "Refunds are given within 30 days.")
        assert result.claims[0].verdict != "supported"


def test_v13_min_confidence_turns_two_thirds_into_unverifiable() -> None:
    assert combine_signals(0.1, 0.1, None, False, 0.9)[0] == "supported"
    assert combine_signals(0.1, 0.1, None, False, 0.9, min_confidence=0.9)[0] == "unverifiable"


def test_v14_a_contradiction_blocks_from_six_tenths() -> None:
    assert not is_blocking(claim_with("contradicted", 0.59), Policy())
    assert is_blocking(claim_with("contradicted", 0.60), Policy())
    assert not is_blocking(claim_with("unverifiable", 0.9), Policy())
    assert is_blocking(claim_with("unverifiable", 0.0), Policy(fail_on=("unverifiable",)))


def test_v15_overall_score_is_the_mean_of_the_verdict_values() -> None:
    items = [claim_with(name, 1.0) for name in ("supported", "unverifiable", "contradicted")]
    assert overall_score(items) == 0.5
    result = summarise(items, [], [], status="checked", model=None, policy=Policy(), policy_hash="", version="0")  # type: ignore[arg-type]
    assert (result.supported_count, result.unverifiable_count, result.contradicted_count) == (1, 1, 1)


def test_v16_confidence_labels_have_their_borders() -> None:
    for value, label in ((0.7, "high"), (0.699, "medium"), (0.4, "medium"), (0.399, "low")):
        assert confidence_label([claim_with("supported", value)]) == label


def test_v17_evidence_spans_are_as_many_as_asked_for_best_first() -> None:
    source = "Tea is served at four. The library opens at nine. Parking is free. The library closes at six."
    for top_k, count in ((0, 0), (2, 2), (3, 3), (9, 4)):
        claim = verify("The library opens at nine.", source, evidence_top_k=top_k).claims[0]
        assert len(claim.evidence_spans) == count
    claim = verify("The library opens at nine.", source).claims[0]
    assert claim.evidence_spans[0].text == "The library opens at nine."
    divergences = [span.nli_divergence for span in claim.evidence_spans]
    assert divergences == sorted(divergences)


def test_v18_extra_numbers_do_not_matter_but_another_slot_does() -> None:
    source = "The hall seats 400 people and was built in 1931. The annex seats 90 people."
    assert verdicts("The hall seats 400 people.", source) == ["supported"]
    assert verdicts("The annex seats 400 people.", source) == ["contradicted"]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The town has 1,450 trees.", "The town has 1450 trees."),
        ("The crew has six members.", "The crew has 6 members."),
        ("Sales grew by 11 %.", "Sales grew by 11 percent."),
        ("Repairs take 3-5 days.", "Repairs take 3 to 5 days."),
        ("The lease began on 3 March 2021.", "The lease began on March 3, 2021."),
    ],
)
def test_v19_equal_quantities_in_other_spellings(claim: str, source: str) -> None:
    assert verdicts(claim, source) == ["supported"]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The factor is 3.14 in all tables.", "The factor is 14.3 in all tables."),
        ("The driver needs version 4.10.", "The driver needs version 4.1."),
        ("The error rate was 0.05 in the test.", "The error rate was 0.5 in the test."),
    ],
)
def test_v20_similar_digits_are_not_equal(claim: str, source: str) -> None:
    assert verdicts(claim, source) == ["contradicted"]


def test_v21_approximation_has_its_bounds() -> None:
    source = "The bridge is 1,991 metres long."
    assert verdicts("The bridge is approximately 2,000 metres long.", source) == ["supported"]
    assert verdicts("The bridge is approximately 3,000 metres long.", source) == ["contradicted"]


def test_v22_abbreviations_do_not_split() -> None:
    assert len(verify("Dr. Ito joined the U.S. office in 2015.", "x").claims) == 1


def test_v23_negation_of_one_half_does_not_leak() -> None:
    source = "Breakfast is included but parking is not included."
    assert verdicts("Breakfast is included.", source) == ["supported"]
    assert verdicts("Parking is included.", source) == ["contradicted"]


def test_v24_coordinated_subjects_stay_together() -> None:
    result = verify("Anna and Bruno founded the bakery.", "Anna and Bruno founded the bakery.", atomic=True)
    assert [claim.is_atomic for claim in result.claims] == [False]


def test_v25_role_exchange_is_contradicted_and_its_passive_supported() -> None:
    source = "Norvel acquired Tamsin Labs in May."
    assert verdicts("Tamsin Labs acquired Norvel in May.", source) == ["contradicted"]
    assert verdicts("Tamsin Labs was acquired by Norvel in May.", source) == ["supported"]


def test_v26_irrelevant_or_empty_source_gives_fabricated() -> None:
    assert verdicts("The dividend was suspended by the board.", "Otters sleep on their backs.") == ["fabricated"]
    result = verify("The dividend was suspended by the board.", "")
    claim = result.claims[0]
    assert (str(claim.verdict), claim.source_index, claim.matched_source) == ("fabricated", -1, "")
    assert (result.status, result.approved) == ("no_source", False)


def test_v27_empty_response() -> None:
    result = verify("", "Anything.")
    assert (result.approved, result.claims, result.confidence, result.status) == (True, [], "low", "nothing_to_check")
    assert (result.overall_score, result.coverage) == (0.0, 0.0)


class _Stub:
    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []

    def score(self, premise: str, hypothesis: str) -> float:
        self.calls.append((premise, hypothesis))
        return 0.1 if premise == "Cats purr loudly." else 0.6


def test_v28_the_lowest_value_of_a_users_scorer_decides_the_match() -> None:
    stub = _Stub()
    result = VerifiedScorer(stub).verify("Dogs bark loudly.", "Dogs bark loudly. Cats purr loudly.")
    assert stub.calls == [("Dogs bark loudly.", "Dogs bark loudly."), ("Cats purr loudly.", "Dogs bark loudly.")]
    assert result.claims[0].source_index == 1


def test_v29_results_do_not_depend_on_order_or_thread_and_inputs_stay() -> None:
    scorer = VerifiedScorer()
    response, source = "The plan costs $99/month. Refunds within 60 days.", PRICING
    kept = copy.copy(response), copy.copy(source)
    first = scorer.verify(response, source).to_dict()
    scorer.verify("Something else entirely.", "An other source.")
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(scorer.verify(response, source).to_dict()))
    thread.start()
    thread.join()
    assert found == [first]
    assert scorer.verify(response, source).to_dict() == first
    assert (response, source) == kept


def test_v30_two_thousand_sentences_finish_in_two_seconds() -> None:
    source = " ".join(f"Section {n} explains the care of module {n} and its {n % 7} spare parts." for n in range(2000))
    response = " ".join(f"Section {n} explains the care of module {n}." for n in range(0, 2000, 100))
    begin = time.process_time()
    result = verify(response, source)
    assert time.process_time() - begin < 2.0
    assert result.supported_count == 20


def test_async_and_many_give_the_same_as_one() -> None:
    scorer = VerifiedScorer()
    one = scorer.verify("Refunds within 60 days.", PRICING)
    assert asyncio.run(scorer.averify("Refunds within 60 days.", PRICING)) == one
    assert list(scorer.verify_many([("Refunds within 60 days.", PRICING)] * 2)) == [one, one]


def test_several_sources_name_the_one_that_decided() -> None:
    sources = [Source("manual", "The pump weighs 12 kg."), Source("faq", "The hose is 4 m long.")]
    result = VerifiedScorer().verify("The hose is 7 m long.", sources)
    conflict = result.claims[0].conflicts[0]
    assert (conflict.source_id, conflict.source_text, conflict.claim_text) == ("faq", "4 m", "7 m")
    assert VerifiedScorer().verify("The hose is 7 m long.", sources[::-1]).claims[0].verdict == "contradicted"


def test_a_question_completes_an_elliptical_answer() -> None:
    source = "The refund window is 30 days. The warranty lasts 24 months."
    scorer = VerifiedScorer()
    right = scorer.verify("30 days.", source, question="How long is the refund window?")
    wrong = scorer.verify("60 days.", source, question="How long is the refund window?")
    assert (right.approved, wrong.approved) == (True, False)
    assert wrong.claims[0].matched_source == "The refund window is 30 days."


def test_units_that_state_nothing_are_listed_and_do_not_count() -> None:
    response = "Hello! The pump weighs 12 kg. I don't know its price. Shall I look?"
    result = verify(response, "The pump weighs 12 kg.")
    assert [unit.reason for unit in result.unchecked] == ["greeting", "refusal", "question"]
    assert [response[unit.start : unit.end] for unit in result.unchecked] == [unit.text for unit in result.unchecked]
    assert (len(result.claims), result.coverage, result.overall_score) == (4, 1.0, 1.0)
    assert result.claims[0].reasons == ["not_checkable"]


def test_over_the_limit_is_said() -> None:
    policy = Policy(max_response_chars=30)
    result = VerifiedScorer().verify(
        "The pump weighs 12 kg. The hose is 4 m long.", "The pump weighs 12 kg.", policy=policy
    )
    assert result.status == "truncated"
    assert [claim.claim for claim in result.claims] == ["The pump weighs 12 kg."]
    result = VerifiedScorer().verify("The hose is 4 m long.", "A b. " * 50, policy=Policy(max_source_chars=20))
    assert result.status == "truncated"


def test_wrong_arguments_are_refused_with_the_right_type() -> None:
    scorer = VerifiedScorer()
    for bad in (None, 7, b"bytes", ["a", 3]):
        with pytest.raises(TypeError):
            scorer.verify("x", bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        scorer.verify(None, "x")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        VerifiedScorer("model")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="evidence_top_k"):
        scorer.verify("x", "y", evidence_top_k=-1)
    for options in ({"nli_threshold": 1.5}, {"support_threshold": 0.9}, {"min_confidence": -0.1}):
        with pytest.raises(ValueError):
            VerifiedScorer(None, **options)
