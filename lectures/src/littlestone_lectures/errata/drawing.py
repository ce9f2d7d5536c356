"""A chart of a few curves as SVG, written by hand: no library, the same bytes every time."""

from __future__ import annotations

from collections.abc import Sequence

WIDE, HIGH, LEFT, BELOW = 560, 260, 46, 34
COLOURS = ("#c0392b", "#2c6fbb", "#27865a", "#8a6d1d")

Curve = tuple[str, Sequence[float], Sequence[float]]  # its name, and its points


def chart(title: str, across: str, curves: Sequence[Curve]) -> str:
    """Curves over a common range, from 0 up; names at the right end.

    >>> chart("t", "T", [("a", [0, 1], [0, 2])]).count("<polyline")
    1
    """
    right = max(max(x) for _, x, _ in curves) or 1.0
    top = 1.05 * max(max(y) for _, _, y in curves) or 1.0

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + (WIDE - LEFT - 130) * x / right, HIGH - BELOW - (HIGH - BELOW - 24) * max(
            0.0, y
        ) / top

    x0, y0 = at(0.0, 0.0)
    x1, y1 = at(right, top)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{title}" '
        'font-family="sans-serif" font-size="12">',
        f"<title>{title}</title>",
        f'<rect width="{WIDE}" height="{HIGH}" fill="#ffffff"/>',
        f'<path d="M{x0:.1f} {y1:.1f} V{y0:.1f} H{x1:.1f}" fill="none" stroke="#555"/>',
        f'<text x="{x0:.1f}" y="{HIGH - 8}" fill="#333">0</text>',
        f'<text x="{x1:.1f}" y="{HIGH - 8}" text-anchor="end" fill="#333">{across} = {right:g}</text>',
        f'<text x="{x0 - 4:.1f}" y="{y1 + 12:.1f}" text-anchor="end" fill="#333">{top:.3g}</text>',
    ]
    ends: list[float] = []
    for (name, x, y), colour in zip(curves, COLOURS, strict=False):
        points = " ".join("{:.1f},{:.1f}".format(*at(a, b)) for a, b in zip(x, y, strict=True))
        place = at(x[-1], y[-1])[1] + 4
        while any(abs(place - other) < 14 for other in ends):
            place += 14 if place < HIGH / 2 else -14
        ends.append(place)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(f'<text x="{x1 + 6:.1f}" y="{place:.1f}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])
