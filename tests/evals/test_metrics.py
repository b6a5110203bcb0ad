from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.evals import metrics

rows = st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1)), min_size=2, max_size=40)


def test_auc_equals_the_textbook_value() -> None:
    assert metrics.auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]) == pytest.approx(0.75)


def test_auc_of_equal_scores_is_one_half() -> None:
    assert metrics.auc([0, 1, 1, 0], [0.3, 0.3, 0.3, 0.3]) == pytest.approx(0.5)


def test_auc_of_one_class_is_not_measured() -> None:
    assert metrics.auc([1, 1], [0.2, 0.9]) is None


@given(rows)
def test_auc_equals_counting_all_pairs(pairs: list[tuple[int, float]]) -> None:
    labels = [label for label, _ in pairs]
    scores = [score for _, score in pairs]
    supported = [score for label, score in pairs if label]
    others = [score for label, score in pairs if not label]
    measured = metrics.auc(labels, scores)
    if not supported or not others:
        assert measured is None
        return
    wins = sum((good > bad) + 0.5 * (good == bad) for good in supported for bad in others)
    assert measured == pytest.approx(wins / (len(supported) * len(others)))


def test_balanced_accuracy_weighs_the_classes_alike() -> None:
    assert metrics.balanced_accuracy([1, 1, 1, 0], [0.9, 0.8, 0.2, 0.1]) == pytest.approx((2 / 3 + 1) / 2)


def test_a_score_on_the_threshold_counts_as_supported() -> None:
    assert metrics.balanced_accuracy([1, 0], [0.5, 0.49]) == 1.0


@given(rows)
def test_no_threshold_beats_the_best_one(pairs: list[tuple[int, float]]) -> None:
    labels = [label for label, _ in pairs]
    scores = [score for _, score in pairs]
    best = metrics.best_balanced_accuracy(labels, scores)
    tried = [metrics.balanced_accuracy(labels, scores, threshold) for threshold in [*scores, 2.0]]
    if best is None:
        assert tried[0] is None
    else:
        assert best == pytest.approx(max(value for value in tried if value is not None))


def test_a_tenth_of_the_supported_rows_falls_below_the_false_alarm_threshold() -> None:
    scores = [place / 20 for place in range(20)]
    threshold = metrics.threshold_at_false_alarms(scores, 0.10)
    assert sum(score < threshold for score in scores) == 2


def test_ties_never_raise_the_share_of_false_alarms() -> None:
    threshold = metrics.threshold_at_false_alarms([0.5] * 10, 0.10)
    assert sum(score < threshold for score in [0.5] * 10) == 0


def test_the_bootstrap_interval_holds_the_value_and_repeats() -> None:
    labels = [0, 1] * 30
    scores = [place / 60 + 0.2 * (place % 2) for place in range(60)]
    interval = metrics.bootstrap_interval(labels, scores, metrics.auc)
    value = metrics.auc(labels, scores)
    assert interval is not None
    assert value is not None
    assert interval[0] <= value <= interval[1]
    assert interval == metrics.bootstrap_interval(labels, scores, metrics.auc)


def test_a_sure_and_right_score_has_no_calibration_error() -> None:
    assert metrics.calibration_error([1, 1, 0], [1.0, 1.0, 0.0]) == pytest.approx(0.0)


def test_a_sure_and_wrong_score_has_full_calibration_error() -> None:
    assert metrics.calibration_error([1, 0, 0], [0.0, 1.0, 1.0]) == pytest.approx(1.0)


@given(rows)
def test_the_bins_hold_every_row_and_each_class_weighs_one_half(pairs: list[tuple[int, float]]) -> None:
    labels = [label for label, _ in pairs]
    bins = metrics.reliability_bins(labels, [score for _, score in pairs])
    if not 0 < sum(labels) < len(labels):
        assert bins == []
        return
    assert sum(item.rows for item in bins) == len(pairs)
    assert sum(item.weight for item in bins) == pytest.approx(1.0)
    assert sum(item.weight * item.supported for item in bins) == pytest.approx(0.5)


def test_detection_counts_what_lies_below_the_threshold() -> None:
    found = metrics.unsupported_detection([0, 0, 0, 1, 1], [0.1, 0.2, 0.9, 0.3, 0.8])
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == pytest.approx(2 / 3)
    assert found.f1 == pytest.approx(2 / 3)


def test_a_share_of_nothing_is_not_measured() -> None:
    assert metrics.detection(0, 0, 0) == (None, None, None)
    assert metrics.detection(0, 0, 3) == (None, 0.0, 0.0)


def test_characters_under_two_spans_count_once() -> None:
    assert metrics.span_counts([(0, 10)], [(5, 8), (6, 12)]) == (5, 2, 5)


@given(rows)
def test_the_area_under_the_roc_points_is_the_auc(pairs: list[tuple[int, float]]) -> None:
    labels = [label for label, _ in pairs]
    scores = [score for _, score in pairs]
    points = metrics.roc_points(labels, scores)
    value = metrics.auc(labels, scores)
    if value is None:
        assert points == []
        return
    area = sum((right[0] - left[0]) * (left[1] + right[1]) / 2 for left, right in pairwise(points))
    assert area == pytest.approx(value)
    assert points[0] == (0.0, 0.0)
    assert points[-1] == (1.0, 1.0)


def test_percentiles_are_values_that_occurred() -> None:
    values = [float(number) for number in range(1, 101)]
    assert [metrics.percentile(values, share) for share in (0.5, 0.95, 0.99)] == [50.0, 95.0, 99.0]
    assert metrics.percentile([3.0], 0.99) == 3.0
    assert metrics.percentile([], 0.5) is None
