import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire import Policy, Source, VerifiedScorer
from groundwire.verify.features import CONFLICTS, COVERAGE, NAMES, UNCHECKED

SOURCE = (
    "The museum in Oslo opened in March 1998. It holds 4,200 paintings by Nordic artists. "
    "Entry costs 120 kroner. Children under twelve enter free of charge. The director is Ingrid Solberg."
)
scorer = VerifiedScorer()


def probability(response: str, source: str | list[Source] = SOURCE) -> float:
    value = scorer.verify(response, source).support_probability
    assert value is not None
    return value


def card() -> dict[str, dict[str, float]]:
    loaded: dict[str, dict[str, float]] = json.loads(
        files("groundwire.verify").joinpath("combiner.json").read_text(encoding="utf-8")
    )
    return loaded


def test_the_combiner_weighs_every_feature_and_no_other() -> None:
    assert tuple(card()["weights"]) == NAMES


def test_no_weight_points_against_its_feature() -> None:
    weights = card()["weights"]
    for name, feature in {**COVERAGE, **CONFLICTS}.items():
        assert weights[name] * feature.sign >= 0, name
    assert weights[UNCHECKED] <= 0


def test_the_card_names_the_sets_and_their_rows() -> None:
    described = card()["card"]
    assert described["trained_on"]
    assert described["dev"]


def test_a_verbatim_response_is_grounded() -> None:
    result = scorer.verify("It holds 4,200 paintings by Nordic artists.", SOURCE)
    assert result.grounded is True


def test_an_unrelated_response_is_not_grounded() -> None:
    result = scorer.verify("Volcanoes on Jupiter's moon Io erupt sulphur into space.", SOURCE)
    assert result.grounded is False


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("Entry costs 120 kroner.", "Entry costs 190 kroner."),
        ("The museum in Oslo opened in March 1998.", "The museum in Oslo opened in March 1989."),
        ("Children under twelve enter free of charge.", "Children under twelve do not enter free of charge."),
        ("The director is Ingrid Solberg.", "The director is Magnus Dahl."),
    ],
)
def test_a_wrong_detail_lowers_the_probability(right: str, wrong: str) -> None:
    assert probability(wrong) < probability(right)


def test_one_wrong_sentence_lowers_the_probability_of_the_response() -> None:
    good = "The museum in Oslo opened in March 1998. Entry costs 120 kroner."
    assert probability(good + " It was designed by Renzo Piano in glass and steel.") < probability(good)


def test_a_response_of_one_claim_has_the_claims_probability() -> None:
    result = scorer.verify("Entry costs 120 kroner.", SOURCE)
    assert result.claims[0].support_probability == result.support_probability
    assert result.claims[0].grounded == result.grounded


def test_nothing_to_check_has_no_probability() -> None:
    result = scorer.verify("How can I help you?", SOURCE)
    assert result.support_probability is None
    assert result.grounded is None


def test_without_a_source_nothing_is_grounded() -> None:
    result = scorer.verify("Entry costs 120 kroner.", "")
    assert result.grounded is False


def test_the_order_of_sources_does_not_matter() -> None:
    one = Source("one", "The museum in Oslo opened in March 1998. Entry costs 120 kroner.")
    two = Source("two", "Children under twelve enter free. The director is Ingrid Solberg.")
    response = "The museum opened in 1998 and children enter free."
    assert probability(response, [one, two]) == probability(response, [two, one])


@given(st.text(max_size=120), st.text(max_size=200))
def test_a_probability_lies_between_zero_and_one(response: str, source: str) -> None:
    value = scorer.verify(response, source).support_probability
    assert value is None or 0.0 <= value <= 1.0


WRONG = "Entry costs 150 kroner."


def test_the_threshold_of_the_policy_decides_what_is_grounded() -> None:
    value = probability(WRONG)
    for threshold in (value, value + 1e-9, 0.0, 1.0):
        result = scorer.verify(WRONG, SOURCE, policy=Policy(grounded_threshold=threshold))
        assert result.grounded is (value >= threshold)
        assert result.claims[0].grounded is (value >= threshold)


def test_the_probability_decides_on_approval_only_when_the_policy_says_so() -> None:
    for threshold in (0.0, 1.0):
        assert not scorer.verify(WRONG, SOURCE, policy=Policy(grounded_threshold=threshold)).approved
        result = scorer.verify(WRONG, SOURCE, policy=Policy(grounded_threshold=threshold, approve_on="probability"))
        assert result.approved is (threshold == 0.0)
        assert result.decided_by_probability
    assert not scorer.verify(WRONG, SOURCE).decided_by_probability


@pytest.mark.parametrize("approve_on", ["ladder", "probability"])
def test_a_response_with_nothing_to_check_is_treated_alike(approve_on: str) -> None:
    result = scorer.verify("Hello!", SOURCE, policy=Policy(approve_on=approve_on, grounded_threshold=1.0))
    assert (result.approved, result.grounded, result.status) == (True, None, "nothing_to_check")


def test_without_a_source_nothing_is_approved_by_the_usual_threshold() -> None:
    result = scorer.verify(WRONG, "", policy=Policy(approve_on="probability"))
    assert not result.approved
