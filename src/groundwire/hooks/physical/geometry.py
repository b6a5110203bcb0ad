"""How far does a straight move stay from a box or a ball? Negative: how deep it goes in."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Point = tuple[float, float, float]
_STEPS = 60


@dataclass(frozen=True, slots=True)
class Box:
    """A box along the axes."""

    low: Point
    high: Point


@dataclass(frozen=True, slots=True)
class Ball:
    """A ball around a centre."""

    centre: Point
    radius: float


def clearance(zone: Box | Ball, start: Point, end: Point) -> float:
    """Return the smallest distance from the move to the zone."""
    if isinstance(zone, Ball):
        return math.dist(zone.centre, _nearest(zone.centre, start, end)) - zone.radius
    # The signed distance to a box is convex along a line, so that thirds find its lowest point.
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        third = (high - low) / 3
        if _from_box(zone, _on(start, end, low + third)) <= _from_box(zone, _on(start, end, high - third)):
            high -= third
        else:
            low += third
    return min(_from_box(zone, _on(start, end, part)) for part in (0.0, (low + high) / 2, 1.0))


def _from_box(box: Box, point: Sequence[float]) -> float:
    out = [max(low - at, at - high) for low, high, at in zip(box.low, box.high, point, strict=True)]
    if max(out) <= 0:
        return max(out)
    return math.hypot(*(max(part, 0.0) for part in out))


def _nearest(to: Point, start: Point, end: Point) -> Point:
    along = [b - a for a, b in zip(start, end, strict=True)]
    length = sum(part * part for part in along)
    if length == 0:
        return start
    part = sum((c - a) * d for c, a, d in zip(to, start, along, strict=True)) / length
    return _on(start, end, min(1.0, max(0.0, part)))


def _on(start: Point, end: Point, part: float) -> Point:
    x, y, z = (a + (b - a) * part for a, b in zip(start, end, strict=True))
    return (x, y, z)
