"""How a time grows with the size of its input."""

import math
from collections.abc import Sequence


def power_exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return the exponent of size in the power law that fits the times best; 1 means linear."""
    xs = [math.log(size) for size in sizes]
    ys = [math.log(time) for time in times]
    mean_x = sum(xs) / len(xs)
    mean_y = sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)
