"""Intervals that look at no forecast: around the value before, as wide as its last errors were."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ..conformal.sets.measures import STRETCH, IntervalTally
from ..core.stream import Array
from ..report.simple import earlier

AT_ONCE = 4096  # rounds whose quantiles are found together


class ValueBefore:
    """Intervals around the last outcome known, measured as the outcomes come.

    >>> simple = ValueBefore([0.5])
    >>> simple.add(np.array([1.0, 2.0, np.nan, 4.0]))
    >>> simple.add(np.array([5.0]))
    >>> found = simple.tallies[0.5].measures()
    >>> found.rounds, found.coverage, found.width
    (3, 0.6666666666666666, 3.0)
    """

    def __init__(self, levels: Iterable[float], late: int = 0, after: int = 0) -> None:
        """`late`: so many rounds outcomes come late; `after`: so many rounds at the beginning are not measured."""
        self.tallies = {q: IntervalTally("the value before", q, after) for q in levels}
        self.last = np.full(late + 1, np.nan)  # outcomes that are not known yet
        self.errors = np.full(STRETCH + late, np.nan)  # of the last rounds

    def add(self, y: Array) -> None:
        """More rounds; those without an outcome do not count."""
        y = y[~np.isnan(y)]
        if not len(y):
            return
        before, self.last = earlier(y, self.last)
        errors = np.concatenate([self.errors, np.abs(y - before)])
        for level, tally in self.tallies.items():
            reach = past_quantiles(errors, len(y), level)
            tally.add(before - reach, before + reach, y)
        self.errors = errors[-len(self.errors) :]


def past_quantiles(errors: Array, rounds: int, level: float) -> Array:
    """For each of the last rounds the quantile of the 500 errors known then; infinite where they are too few.

    The first 500 errors are those that are known in the first of these rounds; NaN where there was none.

    >>> first = np.full(STRETCH, np.nan)
    >>> past_quantiles(np.concatenate([first, [1.0, 3.0, 2.0, 5.0]]), 4, 0.5).tolist()
    [inf, 1.0, 3.0, 2.0]
    """
    found = np.empty(rounds)
    for start in range(0, rounds, AT_ONCE):
        end = min(start + AT_ONCE, rounds)
        windows = np.lib.stride_tricks.sliding_window_view(
            errors[start : end - 1 + STRETCH], STRETCH
        )
        ranked = np.sort(windows, axis=1)  # NaN comes last
        known = STRETCH - np.isnan(ranked).sum(axis=1)
        rank = np.ceil((known + 1) * level - 1e-9).astype(int)
        at_rank = ranked[np.arange(end - start), np.clip(rank, 1, STRETCH) - 1]
        found[start:end] = np.where(rank <= known, at_rank, math.inf)
    return found
