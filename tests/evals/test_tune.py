import random
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from groundwire import Policy, VerifiedScorer
from groundwire.errors import InputError
from groundwire.evals import policy_text, tune, tuned_policy
from groundwire.evals.tune import conformal_rank, conformal_threshold
from tests.evals.rows import judged

RATES = st.floats(0.01, 0.9)


@given(st.lists(st.floats(0, 1), min_size=100, max_size=150), RATES)
def test_the_next_supported_response_is_refused_in_at_most_the_wanted_share_of_all_orders(
    scores: list[float], rate: float
) -> None:
    """The guarantee itself: leave each of n + 1 scores out in turn, tune on the others, refuse it or not.

    Exchangeable means that each of the n + 1 is equally likely to be the next one.
    """
    refused = 0
    for place, score in enumerate(scores):
        threshold, _ = conformal_threshold(scores[:place] + scores[place + 1 :], rate)
        refused += score < threshold
    assert refused / len(scores) <= rate + 1e-6


@pytest.mark.parametrize(("count", "rate"), [(19, 0.05), (60, 0.05), (200, 0.1), (35, 0.3)])
def test_simulated_false_alarms_stay_at_the_promised_rate(count: int, rate: float) -> None:
    """Draw calibration and test rows from one skewed distribution, many times."""
    rng = random.Random(f"{count} {rate}")
    rounds = 4_000
    refused = 0
    for _ in range(rounds):
        threshold, _ = conformal_threshold([rng.betavariate(5, 2) for _ in range(count)], rate)
        refused += rng.betavariate(5, 2) < threshold
    promised = conformal_rank(count, rate) / (count + 1)
    assert promised <= rate
    # For scores without ties the rate is exact; three standard errors of the simulation.
    assert abs(refused / rounds - promised) < 3 * (promised * (1 - promised) / rounds) ** 0.5


def test_the_bound_for_this_very_threshold_holds_as_often_as_it_says() -> None:
    rng = random.Random(5)
    rounds, inside = 2_000, 0
    for _ in range(rounds):
        rows = [judged(1, rng.random()) for _ in range(40)]
        tuning = tune([*rows, judged(0, 0.1)], 0.1)
        inside += tuning.threshold <= tuning.likely_below  # scores are uniform: the threshold is its own rate
    assert abs(inside / rounds - 0.9) < 0.03


def test_ties_only_lower_the_rate() -> None:
    threshold, _ = conformal_threshold([0.7] * 50, 0.2)
    assert threshold == 0.7
    assert sum(score < threshold for score in [0.7] * 50) == 0


@pytest.mark.parametrize(("rate", "needed"), [(0.05, 19), (0.1, 9), (0.01, 99), (0.5, 1)])
def test_too_few_rows_are_refused_with_the_number_needed(rate: float, needed: int) -> None:
    assert conformal_rank(needed, rate) == 1
    with pytest.raises(InputError, match=f"at least {needed} "):
        conformal_rank(needed - 1, rate)


def test_a_rate_that_binary_numbers_cannot_say_loses_no_row() -> None:
    assert conformal_rank(99, 0.07) == 7
    assert conformal_rank(99, 0.29) == 29


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, 5.0, float("nan")])
def test_a_rate_that_is_no_share_is_refused(rate: float) -> None:
    with pytest.raises(InputError, match="false-alarm rate"):
        conformal_rank(100, rate)


def test_the_threshold_depends_on_supported_rows_alone() -> None:
    supported = [judged(1, place / 20) for place in range(20)]
    one = tune([*supported, judged(0, 0.01)], 0.1)
    other = tune([*supported, *[judged(0, 0.99)] * 50], 0.1)
    assert one.threshold == other.threshold
    assert (one.flagged_unsupported, other.flagged_unsupported) == (1, 0)


def test_rows_with_nothing_to_check_are_left_out_and_counted() -> None:
    rows = [judged(1, place / 20) for place in range(20)]
    tuning = tune([*rows, judged(1, None), judged(0, None), judged(0, 0.2)], 0.1)
    assert (tuning.supported_rows, tuning.unsupported_rows, tuning.nothing_to_check) == (20, 1, 2)


@given(st.floats(0, 1))
def test_the_written_policy_is_the_tuned_one_to_the_last_digit(score: float) -> None:
    tuning = tune([*[judged(1, score)] * 20, judged(0, 0.1)], 0.1)
    policy = tuned_policy(Policy(fail_on=("contradicted",), aliases={"a": ("b",)}), tuning)
    text = policy_text(policy, tuning, None)
    assert Policy.from_dict(yaml.safe_load(text)) == policy
    assert policy.grounded_threshold == score


def test_verify_honours_the_tuned_policy(tmp_path: Path) -> None:
    source = "The desk carries up to 80 kg and was introduced in March."
    response = "The desk carries up to 80 kg."
    scorer = VerifiedScorer()
    found = scorer.verify(response, source).support_probability
    assert found is not None
    for threshold, wanted in ((found, True), (min(1.0, found + 1e-9), False)):
        tuning = tune([*[judged(1, threshold)] * 20, judged(0, 0.1)], 0.1)
        path = tmp_path / "policy.yaml"
        path.write_text(policy_text(tuned_policy(Policy(), tuning), tuning, None), encoding="utf-8")
        result = scorer.verify(response, source, policy=Policy.from_yaml(path))
        assert (result.approved, result.grounded, result.claims[0].grounded) == (wanted, wanted, wanted)
