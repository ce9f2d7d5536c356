"""How far a mean of bounded numbers may be from what it estimates: limits for logged decisions.

Those that hold for independent numbers of any origin are in core/intervals.py.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.intervals import (
    Interval,
    bernstein,
    bernstein_half,
    binomial,
    confidence,
    spread,
)
from ..core.stream import Array

# of T-BERNSTEIN-ADAPTIVE: 2^-10, ..., 1/2; and 1, ..., 64 for numbers of small reach
RATES, SMALLER = 10, 7
NONE = Interval(math.nan, math.nan)


def quantile(delta: float) -> float:
    """z with P(|N(0, 1)| > z) = delta.

    >>> round(quantile(0.05), 2)
    1.96
    """
    from scipy.special import ndtri

    return float(-ndtri(delta / 2.0))


def normal(z: Array, delta: float) -> Interval:
    """The mean of z, as if it were normal: right for many rows, too narrow for few that matter."""
    half = quantile(delta) * math.sqrt(spread(z) / len(z))
    mean = float(z.mean())
    return Interval(mean - half, mean + half)


def adaptive(
    z: Array, low: float, high: float, delta: float, reach: Array | None = None
) -> Interval:
    """Limits of the mean of E[z_t | z_1, ..., z_{t-1}], for numbers in [low, high] that may depend on the past.

        g_t = the mean of the middle, z_1, ..., z_{t-1};  f(l) = -ln(1 - l) - l
        |mean z - mean E z| <= (ln(2 J/delta) + sum_t f(l b_t) (z_t - g_t)^2 / b_t^2) / (l T)   for each l of J rates

    `reach`: the part of the interval, from 0, that z_t could be in is so large, 0 < reach <= 1, known before z_t is:
    b_t = reach_t (high - low), else b = high - low. It holds for a learner that changes from round to round, and at a
    random time as well. A rate l counts only if every l b_t is below 1.

    >>> print(adaptive(np.array([0.0, 1.0] * 500), 0.0, 1.0, 0.05))
    [0.4381, 0.5619]

    Howard, Ramdas, McAuliffe and Sekhon (2021), theorem 4; the rates are a grid. Ledger: T-BERNSTEIN-ADAPTIVE.
    """
    T = len(z)
    if T == 0:
        return Interval(low, high)
    b = np.ones(1) if reach is None else reach
    # where numbers may reach less far, larger rates are worth a try; how many is settled before any is seen
    rates = [2.0**k for k in range(-RATES, 0 if reach is None else SMALLER)]
    zero = (
        -low / (high - low) if reach is not None else 0.0
    )  # z = 0, where z = low is 0 and high is 1
    u = (z - low) / (high - low) - zero
    middle = 0.5 if reach is None else 0.0
    before = (middle + np.cumsum(u) - u) / np.arange(1, T + 1)
    if reach is not None:
        before = np.clip(before, -b * zero, b * (1.0 - zero))
    squares = ((u - before) / b) ** 2
    nats = math.log(2.0 * len(rates) / delta)
    half = math.inf
    for rate in rates:
        if rate * float(b.max()) < 1.0:
            V = float((squares * (-np.log1p(-rate * b) - rate * b)).sum())
            half = min(half, (nats + V) / (rate * T))
    mean = float(u.mean()) + zero
    limits = Interval(mean - half, mean + half).within(0.0, 1.0)
    return Interval(low + (high - low) * limits.low, low + (high - low) * limits.high)


__all__ = [
    "NONE",
    "Interval",
    "adaptive",
    "bernstein",
    "bernstein_half",
    "binomial",
    "confidence",
    "normal",
    "quantile",
    "spread",
]
