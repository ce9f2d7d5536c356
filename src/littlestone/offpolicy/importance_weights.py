"""The importance weights of a log for another policy, and how large they can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array
from ..engine.checks import array
from .intervals import Interval, adaptive, bernstein, confidence
from .logged import Log

FEW = 10  # with fewer successes, or failures, the normal approximation fails
CERTAIN = 1e-6  # how far probabilities may be from a sum of 1


def policy(log: Log, target: Any) -> Array:
    """T x n probabilities of the policy whose value is asked for.

    target   n probabilities; T x n of them; the number of an arm, always played; a function of a context (None
             where the log has none) that returns n probabilities, or a live learner, which stays as it is

    >>> policy(Log([0, 1], rewards=[1.0, 0.0], propensities=0.5), 1)
    array([[0., 1.],
           [0., 1.]])
    """
    T, n = len(log), log.n
    if isinstance(target, (int, np.integer)) and not isinstance(target, bool):
        if not 0 <= target < n:
            raise BadInput(f"target: {target} is not an arm in 0, ..., {n - 1}")
        return np.tile(np.eye(n)[target], (T, 1))
    ask: Callable[[Any], Any] | None = getattr(target, "propensities", None)
    if ask is None and callable(target):
        ask = target
    if ask is not None:
        x = log.contexts
        target = [ask(None if x is None else x[t]) for t in range(T if x is not None else 1)]
        target = target if x is not None else target[0]
    p: Array = array(target, "target", np.ndim(target))
    if p.shape == (n,):
        p = np.tile(p, (T, 1))
    if p.shape != (T, n):
        raise BadInput(f"target: shape {p.shape}; it must be {n} probabilities, or {T} x {n}")
    total = p.sum(axis=1)
    bad = np.flatnonzero(~((p >= 0.0).all(axis=1) & (np.abs(total - 1.0) <= CERTAIN)))
    if len(bad):
        t = int(bad[0])
        raise BadInput(f"target, row {t + 1}: {p[t]} is no distribution; its sum is {total[t]:g}")
    return p


@dataclass(frozen=True)
class Weighed:
    """A log with its importance weights for a policy."""

    log: Log
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
    log: Log, target: Any, delta: float = 0.05, floor: float | None = None
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
