"""The fit needs numpy, which the package does not: it runs among the extras."""

import importlib

import pytest

pytestmark = pytest.mark.extras


def test_a_coefficient_with_the_wrong_sign_stays_at_zero() -> None:
    np = importlib.import_module("numpy")
    training = importlib.import_module("benchmarks.train_combiner")
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 2))
    labels = (values[:, 0] - values[:, 1] + rng.normal(size=400) > 0).astype(float)
    design = np.hstack([values, np.ones((400, 1))])
    weights = np.full(400, 1 / 400)
    free = training.fit_signed(design, labels, weights, [0, 0, 0], 2)
    assert free[0] > 0.5
    assert free[1] < -0.5
    held = training.fit_signed(design, labels, weights, [1, 1, 0], 2)
    assert held[0] > 0.5
    assert held[1] == 0.0


def test_both_classes_of_a_set_weigh_alike() -> None:
    np = importlib.import_module("numpy")
    training = importlib.import_module("benchmarks.train_combiner")
    weights = training.balanced(np.array([1.0, 0.0, 0.0, 0.0]))
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] == pytest.approx(0.5)
