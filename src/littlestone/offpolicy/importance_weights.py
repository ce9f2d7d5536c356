"""The importance weights of a log for another policy, and how large they can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.stream import Array
from .intervals import Interval, adaptive, bernstein, confidence
from .logged import LoggedDecisions
from .policies import policy

FEW = 10  # with fewer successes, or failures, the normal approximation fails


@dataclass(frozen=True)
class Weighed:
    """A log with its importance weights for a policy."""

    log: LoggedDecisions
    p: Array  # T x n: the policy
    w: Array  # T: its weight, the probability of the logged arm under the policy over that in the log
    top: float  # no weight can be larger
    delta: float
    why: str  # what makes `top` known

    @property
    def r(self) -> Array:
        return self.log.outcomes

    def limits(self, z: Array, low: float, high: float) -> Interval:
        """Limits of the mean of terms in [low, high], for every number of rows."""
        if self.log.adaptive:
            return adaptive(z, low, high, self.delta)
        return bernstein(z, high - low, self.delta)

    @property
    def caution(self) -> str:
        """A warning where the spread of the terms cannot be trusted; else ""."""
        low, high = self.log.interval
        r = self.r[self.w > 0.0]
        above, below = int((r > low).sum()), int((r < high).sum())
        few, end = (above, low) if above <= below else (below, high)
        if few >= FEW:
            return ""
        rows = f"{len(r):,} row{'s' * (len(r) != 1)} with weight"
        return f"of {rows}, all but {few} have the outcome {end:g}: do not trust the normal limits"

    @property
    def effective(self) -> float:
        squares = float((self.w**2).sum())
        return float(self.w.sum()) ** 2 / squares if squares else 0.0


def importance_weights(
    log: LoggedDecisions, target: Any, delta: float = 0.05, floor: float | None = None
) -> Weighed:
    """The importance weights of a log for a target policy.

    `floor`: the least propensity of the logging policy; None: that of a uniform log, or else the smallest seen.
    """
    delta = confidence(delta)
    p = policy(log, target)
    w = p[np.arange(len(log)), log.arms] / log.propensities
    least = log.floor(floor)
    why = f"floor {least:.4g}" if floor is not None else f"if no arm had less than {least:.4g}"
    if floor is None and log.uniform:
        why = "the log is uniform"
    return Weighed(log, p, w, float(p.max()) / least, delta, why)
