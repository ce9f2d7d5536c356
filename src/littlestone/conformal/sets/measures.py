"""How good intervals were: coverage, also in the worst stretch of rounds, width, and the Winkler score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.stream import Array

STRETCH = 500  # rounds of a window


@dataclass(frozen=True)
class Measures:
    """How good one sequence of intervals was, over the rounds whose truth is known."""

    name: str
    rounds: int
    coverage: float  # the share of the rounds whose truth was in the interval
    worst: float  # the same in the worst 500 rounds in a row; in all of them where there are fewer
    width: float  # on average, of the intervals that are finite; an empty one has the width 0
    winkler: float  # on average, of the intervals that are finite: the width, and 2/alpha times the distance of a miss
    infinite: int  # intervals that are not finite
    misses_below: int  # truths below the lower limit
    misses_above: int  # truths above the upper limit


def measure_intervals(name: str, lower: Array, upper: Array, y: Array, level: float) -> Measures:
    """Measure intervals; rounds whose truth is NaN, or that have no interval, are left out."""
    tally = IntervalTally(name, level)
    tally.add(lower, upper, y)
    return tally.measures()


class IntervalTally:
    """The measures of intervals that come piece by piece."""

    def __init__(self, name: str, level: float, after: int = 0) -> None:
        """The first `after` rounds are not measured."""
        self.name, self.level, self.after = name, level, after
        self.rounds = self.held = self.finite = self.below = self.above = 0
        self.width = self.score = 0.0
        self.last = np.empty(0, bool)  # of the last rounds: did the interval hold?
        self.worst = math.inf  # the least coverage of 500 rounds in a row

    def add(self, lower: Array, upper: Array, y: Array) -> None:
        """More rounds; those whose truth is NaN, or that have no interval, are left out."""
        skip = min(self.after, len(y))
        self.after -= skip
        lower, upper, y = lower[skip:], upper[skip:], y[skip:]
        known = ~(np.isnan(y) | np.isnan(lower))
        lower, upper, y = lower[known], upper[known], y[known]
        below, above = y < lower, y > upper
        held = ~(below | above)
        finite = np.isfinite(lower) & np.isfinite(upper)
        low, high, v = lower[finite], upper[finite], y[finite]
        widths = np.maximum(high - low, 0.0)
        missed = np.maximum(low - v, 0.0) + np.maximum(v - high, 0.0)
        self.rounds += len(y)
        self.held += int(held.sum())
        self.finite += len(v)
        self.below += int(below.sum())
        self.above += int(above.sum())
        self.width += float(widths.sum())
        self.score += float((widths + 2.0 / (1.0 - self.level) * missed).sum())
        recent = np.concatenate([self.last, held])
        if len(recent) >= STRETCH:
            self.worst = min(self.worst, worst_stretch(recent))
        self.last = recent[-STRETCH:].copy()

    def measures(self) -> Measures:
        coverage = share(self.held, self.rounds)
        return Measures(
            self.name,
            self.rounds,
            coverage,
            coverage if math.isinf(self.worst) else self.worst,
            share(self.width, self.finite),
            share(self.score, self.finite),
            self.rounds - self.finite,
            self.below,
            self.above,
        )


def share(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")


def rolling(values: Any, window: int = STRETCH) -> Any:
    """The mean of the last `window` values, from the first full window on; of all so far before."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    t = np.arange(1, len(sums))
    first = np.maximum(t - window, 0)
    return (sums[t] - sums[first]) / (t - first)


def worst_stretch(held: Any) -> float:
    """The least coverage of 500 rounds in a row, of 500 or more."""
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
