"""T-COVER around any learner: a side that has missed too often is infinite until it has caught up."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ...core.guarantee import Symbols, Verdict, judge
from ..learners.corridor import T_COVER, corridor

KAPPA = 1.0


@dataclass
class Guard:
    """The misses of each tail so far, of the rounds whose truth is known."""

    level: float
    late: int = 0
    kappa: float = KAPPA
    rounds: int = 0
    misses: list[int] = field(default_factory=lambda: [0, 0])
    over: float = (
        0.0  # E of a tail after the round in which it was farthest beyond H, or came closest
    )
    crowd: int = 0  # rounds that were waited for at most
    worst: int | None = None  # that round

    def __post_init__(self) -> None:
        if self.worst is None:
            self.worst, self.over = 0, (math.nan if self.rounds else -math.inf)

    @property
    def tail(self) -> float:
        return (1.0 - self.level) / 2

    def limits(self, lower: float, upper: float) -> tuple[float, float]:
        """The limits of a learner, infinite on a side whose E is H or more."""
        H = corridor(self.rounds, self.kappa, self.late)
        E = [m - self.tail * self.rounds for m in self.misses]
        return (-math.inf if E[0] >= H else lower), (math.inf if E[1] >= H else upper)

    def learn(self, below: bool, above: bool) -> None:
        """Count a truth that became known: was it below the lower limit, or above the upper one?"""
        self.rounds += 1
        H, then = (corridor(t, self.kappa, self.late) for t in (self.rounds, self.worst or 0))
        for i, missed in enumerate((below, above)):
            self.misses[i] += int(missed)
            E = self.misses[i] - self.tail * self.rounds
            if self.over - then < E - H:
                self.over, self.worst, then = E, self.rounds, H

    def verdict(self) -> Verdict:
        """What T-COVER says of the rounds so far."""
        known = Symbols(
            T=self.rounds, level=self.level, kappa=self.kappa, late=self.late, crowd=self.crowd,
            over=self.over, sharp=0, **{"over.T": self.worst},
        )  # fmt: skip
        return judge(T_COVER, None, [known], float(sum(self.misses)))


class Guarded:
    """Intervals that come piece by piece, guarded; truths are `delay` rounds late."""

    def __init__(self, level: float, delay: int) -> None:
        self.guard, self.delay = Guard(level, delay), delay
        self.waiting: deque[tuple[float, float, float]] = deque()  # truth and limits

    def add(self, lower: Any, upper: Any, y: Any) -> tuple[Any, Any]:
        """The limits of the next rounds; NaN where there is no interval or no truth."""
        low, high = np.array(lower), np.array(upper)
        for t in range(len(y)):
            if low[t] == low[t]:
                low[t], high[t] = self.guard.limits(low[t], high[t])
            self.waiting.append((y[t], low[t], high[t]))
            if len(self.waiting) > self.delay:
                self.learn()
                self.guard.crowd = max(self.guard.crowd, len(self.waiting))
        return low, high

    def learn(self) -> None:
        y, low, high = self.waiting.popleft()
        if not math.isnan(y) and not math.isnan(low):
            self.guard.learn(y < low, y > high)

    def caught_up(self) -> Guard:
        """The guard after all truths given so far; this one stays as it is."""
        return Guarded.revive(self.body()).finish()

    def body(self) -> dict[str, Any]:
        """What a file holds."""
        waiting = [[float(v) for v in each] for each in self.waiting]
        return {"guard": asdict(self.guard), "delay": self.delay, "waiting": waiting}

    @classmethod
    def revive(cls, body: dict[str, Any]) -> Guarded:
        """From what a file holds."""
        made = cls(body["guard"]["level"], body["delay"])
        made.guard = Guard(**{**body["guard"], "misses": list(body["guard"]["misses"])})
        made.waiting.extend((y, low, high) for y, low, high in body["waiting"])
        return made

    def finish(self) -> Guard:
        """Learn the truths that are still waited for, after the last round."""
        if self.waiting:
            self.guard.crowd = max(self.guard.crowd, len(self.waiting) - 1)
        while self.waiting:
            self.learn()
        return self.guard
