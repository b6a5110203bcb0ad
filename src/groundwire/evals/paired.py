"""Tell a difference between two runs over the same rows from chance."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

ROUNDS = 2_000


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of McNemar's test from the two counts of rows that changed sides.

    McNemar 1947; exact: under chance each changed row falls on either side with probability one half.
    """
    changed = only_first + only_second
    if changed == 0:
        return 1.0
    logs = [
        math.lgamma(changed + 1) - math.lgamma(k + 1) - math.lgamma(changed - k + 1) - changed * math.log(2)
        for k in range(min(only_first, only_second) + 1)
    ]
    top = max(logs)
    return min(1.0, 2 * math.exp(top) * math.fsum(math.exp(value - top) for value in logs))


class Difference(NamedTuple):
    """The mean of second minus first over the rows, and the interval that holds 95 % of its resamplings."""

    mean: float
    low: float
    high: float


def paired_difference(
    first: Sequence[float], second: Sequence[float], *, rounds: int = ROUNDS, seed: int = 0
) -> Difference | None:
    """Return the paired bootstrap of a difference; None without rows."""
    if not first:
        return None
    import numpy as np  # heavy, for those who compare

    # Rows of equal difference are drawn together: a million rows cost what their distinct values cost.
    counts = Counter(round(b - a, 6) for a, b in zip(first, second, strict=True))
    values = np.array(sorted(counts))
    share = np.array([counts[value] for value in sorted(counts)], dtype=float) / len(first)
    generator = np.random.default_rng(seed)
    means = np.sort([generator.multinomial(len(first), share) @ values / len(first) for _ in range(rounds)])
    low, high = means[math.floor(0.025 * (rounds - 1))], means[math.ceil(0.975 * (rounds - 1))]
    return Difference(float(share @ values), float(low), float(high))
