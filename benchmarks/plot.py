"""Draw a line chart as SVG, without a plotting library."""

from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 640, 400, 56, 24, 168, 48
_COLOURS = ("#00796b", "#c2410c", "#6d28d9", "#475569", "#a16207")


def line_chart(
    title: str, x_name: str, y_name: str, series: Mapping[str, Sequence[tuple[float, float]]], x_most: float
) -> str:
    """Draw shares from 0 to 1 on both axes; the horizontal one ends at `x_most`."""
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return _LEFT + wide * min(x, x_most) / x_most, _TOP + high * (1.0 - y)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
    ]
    for step in range(6):
        share = step / 5
        x, y = at(share * x_most, share)
        parts += [
            f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_LEFT + wide}" y2="{y:.1f}" stroke="#e2e8f0"/>',
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#334155">{share:.0%}</text>',
            f'<text x="{x:.1f}" y="{_TOP + high + 16}" text-anchor="middle" fill="#334155">{share * x_most:.0%}</text>',
        ]
    for number, (name, points) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        inside = [at(x, y) for x, y in sorted(points) if x <= x_most]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in inside)
        y = _TOP + 14 + 18 * number
        parts += [
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<line x1="{_LEFT + wide + 10}" y1="{y - 4}" x2="{_LEFT + wide + 28}" y2="{y - 4}" '
            f'stroke="{colour}" stroke-width="3"/>',
            f'<text x="{_LEFT + wide + 34}" y="{y}" fill="#0f172a">{escape(name)}</text>',
        ]
    parts += [
        f'<text x="{_LEFT + wide / 2}" y="{_HEIGHT - 10}" text-anchor="middle" fill="#0f172a">{escape(x_name)}</text>',
        f'<text transform="translate(14 {_TOP + high / 2}) rotate(-90)" text-anchor="middle" '
        f'fill="#0f172a">{escape(y_name)}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
