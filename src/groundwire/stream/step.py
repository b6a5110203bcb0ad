"""The one decision of the kernels: do the scores so far ask for a halt?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from groundwire.types import HaltReason

# A mean or a difference that equals its limit on paper may miss it by the last bit.
_LAST_BIT = 1e-9


@dataclass(frozen=True, slots=True)
class Limits:
    """What the scores of a stream may not cross."""

    hard_limit: float = 0.5
    window_size: int = 10
    window_threshold: float = 0.55
    trend_window: int = 5
    trend_threshold: float = 0.15


class Crossing(NamedTuple):
    """A limit that was crossed, and the value that crossed it."""

    reason: HaltReason
    threshold: float
    observed: float
    needed: float  # the score that would have been enough


def step(scores: Sequence[float], limits: Limits) -> Crossing | None:
    """Test the newest score: hard limit, then window average, then downward trend."""
    now = scores[-1]
    if now < limits.hard_limit:
        return Crossing(HaltReason.HARD_LIMIT, limits.hard_limit, now, limits.hard_limit)
    if len(scores) >= limits.window_size:
        mean = math.fsum(scores[-limits.window_size :]) / limits.window_size
        if mean < limits.window_threshold - _LAST_BIT:
            needed = now + (limits.window_threshold - mean) * limits.window_size
            return Crossing(HaltReason.WINDOW_AVG, limits.window_threshold, mean, needed)
    if len(scores) > limits.trend_window:
        before = scores[-1 - limits.trend_window]
        drop = before - now
        if drop > limits.trend_threshold + _LAST_BIT:
            needed = before - limits.trend_threshold
            return Crossing(HaltReason.DOWNWARD_TREND, limits.trend_threshold, drop, needed)
    return None
