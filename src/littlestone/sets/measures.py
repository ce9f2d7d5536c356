"""How good intervals were: coverage, also in the worst stretch of rounds, width, and the Winkler score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.stream import Array

STRETCH = 500  # rounds of a window


@dataclass(frozen=True)
class Measures:
    """What became of one sequence of intervals, over the rounds whose truth is known."""

    name: str
    rounds: int
    coverage: float  # the share of the rounds whose truth was in the interval
    worst: float  # the same in the worst 500 rounds in a row; in all of them where there are fewer
    width: float  # on average, of the intervals that are finite; an empty one has the width 0
    winkler: float  # on average, of the intervals that are finite: the width, and 2/alpha times the distance of a miss
    infinite: int  # intervals that are not finite
    misses_below: int  # truths below the lower limit
    misses_above: int  # truths above the upper limit


def measured(name: str, lower: Array, upper: Array, y: Array, level: float) -> Measures:
    """Measure intervals; rounds whose truth is NaN, or that have no interval, are left out."""
    known = ~(np.isnan(y) | np.isnan(lower))
    lower, upper, y = lower[known], upper[known], y[known]
    below, above = y < lower, y > upper
    held = ~(below | above)
    finite = np.isfinite(lower) & np.isfinite(upper)
    low, high, v = lower[finite], upper[finite], y[finite]
    widths = np.maximum(high - low, 0.0)
    missed = np.maximum(low - v, 0.0) + np.maximum(v - high, 0.0)
    scores = widths + 2.0 / (1.0 - level) * missed
    return Measures(
        name,
        len(y),
        mean(held),
        worst_stretch(held),
        mean(widths),
        mean(scores),
        int(np.count_nonzero(~finite)),
        int(np.count_nonzero(below)),
        int(np.count_nonzero(above)),
    )


def mean(v: Any) -> float:
    return float(np.mean(v)) if len(v) else float("nan")


def rolling(values: Any, window: int = STRETCH) -> Any:
    """The mean of the last `window` values, from the first full window on; of all so far before."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    t = np.arange(1, len(sums))
    first = np.maximum(t - window, 0)
    return (sums[t] - sums[first]) / (t - first)


def worst_stretch(held: Any) -> float:
    """The least coverage of 500 rounds in a row."""
    if len(held) <= STRETCH:
        return mean(held)
    sums = np.concatenate([[0], np.cumsum(held)])
    return float((sums[STRETCH:] - sums[:-STRETCH]).min() / STRETCH)


def table(rows: list[Measures]) -> str:
    """The measures of several, one a line."""
    wide = max(len(r.name) for r in rows)
    lines = [
        f"{'':{wide}}  coverage  worst {STRETCH}      width    Winkler  below  above  infinite"
    ]
    for r in rows:
        lines.append(
            f"{r.name:{wide}}  {r.coverage:8.4f}  {r.worst:9.3f}  {r.width:9.4g}  {r.winkler:9.4g}"
            f"  {r.misses_below:5d}  {r.misses_above:5d}  {r.infinite:8d}"
        )
    return "\n".join(lines)
