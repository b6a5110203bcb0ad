"""Draw curves on two logarithmic axes as an SVG that needs nothing to be read."""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

_WIDTH, _HEIGHT = 520, 340
_LEFT, _TOP, _RIGHT, _BOTTOM = 70, 40, 500, 280
_DASHES = ("", "7 4", "2 3", "9 3 2 3")


class Curve(NamedTuple):
    """A named line through points."""

    name: str
    points: Sequence[tuple[float, float]]


def draw_curves(title: str, across: str, up: str, curves: Sequence[Curve]) -> str:
    """Return the picture; lines differ by their dashes, so that it can be read without colour."""
    xs = [x for curve in curves for x, _ in curve.points]
    ys = [y for curve in curves for _, y in curve.points]
    wide, high = _decades(xs), _decades(ys)

    def place(x: float, y: float) -> tuple[float, float]:
        share_x = (math.log10(x) - wide[0]) / (wide[1] - wide[0])
        share_y = (math.log10(y) - high[0]) / (high[1] - high[0])
        return _LEFT + share_x * (_RIGHT - _LEFT), _BOTTOM - share_y * (_BOTTOM - _TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" font-size="12" '
        f'font-family="sans-serif" aria-label="{escape(title)}"><rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{_LEFT}" y="22" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    for power in range(wide[0], wide[1] + 1):
        x, _ = place(10.0**power, 10.0 ** high[0])
        parts.append(f'<path d="M{x:.1f} {_TOP}V{_BOTTOM}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{_BOTTOM + 18}" text-anchor="middle">{10**power:,}</text>')
    for power in range(high[0], high[1] + 1):
        _, y = place(10.0 ** wide[0], 10.0**power)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{_RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for number, curve in enumerate(curves):
        spots = [place(x, y) for x, y in curve.points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        dash = _DASHES[number % len(_DASHES)]
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="#00695c" stroke-width="2" stroke-dasharray="{dash}"/>'
        )
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="#00695c"/>' for x, y in spots]
        top = _TOP + 12 + 18 * number
        parts.append(
            f'<path d="M{_LEFT + 10} {top}h34" stroke="#00695c" stroke-width="2" stroke-dasharray="{dash}"/>'
            f'<text x="{_LEFT + 52}" y="{top + 4}">{escape(curve.name)}</text>'
        )
    middle = (_TOP + _BOTTOM) / 2
    parts.append(f'<text x="{(_LEFT + _RIGHT) / 2}" y="{_BOTTOM + 42}" text-anchor="middle">{escape(across)}</text>')
    parts.append(
        f'<text transform="rotate(-90 18 {middle})" x="18" y="{middle}" text-anchor="middle">{escape(up)}</text>'
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _decades(values: Sequence[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)
