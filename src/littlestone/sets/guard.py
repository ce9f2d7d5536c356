"""T-COVER around any learner: a side that has missed too often is infinite until it has caught up."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..conformal.corridor import T_COVER, corridor
from ..core.guarantee import Symbols, Verdict, judge

KAPPA = 1.0


@dataclass
class Guard:
    """The misses of each tail so far, of the rounds whose truth is known."""

    level: float
    late: int = 0
    kappa: float = KAPPA
    rounds: int = 0
    misses: list[int] = field(default_factory=lambda: [0, 0])
    over: float = 0.0  # the largest E of a tail so far
    crowd: int = 0  # rounds that were waited for at most

    @property
    def tail(self) -> float:
        return (1.0 - self.level) / 2

    def limits(self, lower: float, upper: float) -> tuple[float, float]:
        """The limits of a learner, infinite on a side whose E is H or more."""
        H = corridor(self.rounds, self.kappa, self.late)
        E = [m - self.tail * self.rounds for m in self.misses]
        return (-math.inf if E[0] >= H else lower), (math.inf if E[1] >= H else upper)

    def learn(self, below: bool, above: bool) -> None:
        """A truth became known: was it below the lower limit, or above the upper one?"""
        self.rounds += 1
        for i, missed in enumerate((below, above)):
            self.misses[i] += int(missed)
            self.over = max(self.over, self.misses[i] - self.tail * self.rounds)

    def verdict(self) -> Verdict:
        """What T-COVER says of the rounds so far."""
        known = Symbols(
            T=self.rounds, level=self.level, kappa=self.kappa, late=self.late, crowd=self.crowd,
            over=self.over, sharp=0,
        )  # fmt: skip
        return judge(T_COVER, None, [known], float(sum(self.misses)))


def guarded(lower: Any, upper: Any, y: Any, level: float, delay: int) -> tuple[Any, Any, Guard]:
    """The intervals of a whole run, guarded; NaN where there is no interval or no truth."""
    guard, T = Guard(level, delay), len(y)
    low, high = np.array(lower), np.array(upper)
    for t in range(T + delay):
        if t < T and low[t] == low[t]:
            low[t], high[t] = guard.limits(low[t], high[t])
        r = t - delay
        if r >= 0 and not math.isnan(y[r]) and not math.isnan(low[r]):
            guard.learn(y[r] < low[r], y[r] > high[r])
    guard.crowd = min(delay, T - 1)
    return low, high, guard
