import pytest

from benchmarks.growth import power_exponent


def test_the_exponent_of_a_quadratic_law_is_two() -> None:
    assert power_exponent([1, 10, 100], [3, 300, 30_000]) == pytest.approx(2.0)
