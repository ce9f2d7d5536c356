"""How far a mean of bounded numbers may be from what it estimates."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .errors import BadInput
from .stream import Array

TINY = 1e-9  # is shown as 0
RATES, SMALLER = (
    10,
    7,
)  # of T-BERNSTEIN-ADAPTIVE: 2^-10, ..., 1/2; and 1, ..., 64 for numbers of small reach


class Interval(NamedTuple):
    """A lower and an upper limit; NaN where there is none."""

    low: float
    high: float

    def __str__(self) -> str:
        shown = (f"{v:.4g}" if abs(v) >= TINY else "0" for v in self)
        return "-" if math.isnan(self.low) else f"[{', '.join(shown)}]"

    def within(self, low: float, high: float) -> Interval:
        """Limits of a number that is known to be in [low, high]."""
        return Interval(min(max(self.low, low), high), max(min(self.high, high), low))


NONE = Interval(math.nan, math.nan)


def confidence(delta: Any) -> float:
    if not isinstance(delta, (int, float, np.number)) or not 0.0 < delta < 1.0:
        raise BadInput(f"delta must be a number in (0, 1), not {delta!r}")
    return float(delta)


def quantile(delta: float) -> float:
    """z with P(|N(0, 1)| > z) = delta.

    >>> round(quantile(0.05), 2)
    1.96
    """
    from scipy.special import ndtri

    return float(-ndtri(delta / 2.0))


def spread(z: Array) -> float:
    """The sample variance, which is unbiased: sum of (z_s - z_t)^2 over pairs s < t, over T(T - 1)."""
    return float(z.var(ddof=1)) if len(z) > 1 else math.inf


def normal(z: Array, delta: float) -> Interval:
    """The mean of z, as if it were normal: right for many rows, too narrow for few that matter."""
    half = quantile(delta) * math.sqrt(spread(z) / len(z))
    mean = float(z.mean())
    return Interval(mean - half, mean + half)


def bernstein_half(variance: float, T: int, length: float, delta: float) -> float:
    """How far, on one side, with probability 1 - delta, for T independent numbers in an interval of this length.

    sqrt(2 V ln(2/delta) / T) + 7 length ln(2/delta) / (3 (T - 1))

    >>> round(bernstein_half(0.25, 1000, 1.0, 0.05), 4)
    0.0516

    Maurer and Pontil (2009), theorem 11. Ledger: T-BERNSTEIN.
    """
    if T < 2:
        return math.inf
    nats = math.log(2.0 / delta)
    return math.sqrt(2.0 * variance * nats / T) + 7.0 * length * nats / (3.0 * (T - 1))


def bernstein(z: Array, length: float, delta: float) -> Interval:
    """Both limits, each of which fails with probability delta/2."""
    half = bernstein_half(spread(z), len(z), length, delta / 2.0)
    mean = float(z.mean())
    return Interval(mean - half, mean + half)


def binomial(mean: float, T: float, delta: float) -> Interval:
    """The exact interval of a coin that came up in this share of T tosses; neither needs to be a whole number.

    Unlike a mean plus or minus two standard errors it is sensible with few successes, or none at all. Numbers in
    [0, 1] that are no coin vary less than one.

    >>> print(binomial(0.0, 100, 0.05), binomial(0.02, 100, 0.05))
    [0, 0.03622] [0.002431, 0.07038]

    Clopper and Pearson (1934).
    """
    from scipy.special import betaincinv

    if not T > 0.0:
        return Interval(0.0, 1.0)
    k = mean * T
    low = betaincinv(k, T - k + 1.0, delta / 2.0) if k > 0.0 else 0.0
    high = betaincinv(k + 1.0, T - k, 1.0 - delta / 2.0) if k < T else 1.0
    return Interval(float(low), float(high))


def at_most(k: int, m: int, delta: float) -> float:
    """The upper limit of a coin that came up k times in m tosses; it is too small with probability at most delta.

    It is the p with P(Bin(m, p) <= k) = delta, so it is exact: where p is larger, k heads or fewer are rarer.

    >>> round(at_most(0, 59, 0.05), 4), round(at_most(8, 200, 0.05), 4)
    (0.0495, 0.071)

    Clopper and Pearson (1934). Ledger: T-VALIDATION-EXACT.
    """
    from scipy.special import betaincinv

    return 1.0 if k >= m else float(betaincinv(k + 1.0, m - k, 1.0 - delta))


def hoeffding_half(m: int, length: float, delta: float) -> float:
    """How far, on one side, with probability 1 - delta, for m independent numbers in an interval of this length.

    length sqrt(ln(1/delta) / (2 m))

    >>> round(hoeffding_half(100, 1.0, 0.05), 6), round(hoeffding_half(100, 1.0, 0.025), 6)
    (0.122387, 0.13581)

    Hoeffding (1963). Ledger: T-VALIDATION.
    """
    return length * math.sqrt(math.log(1.0 / delta) / (2.0 * m)) if m else math.inf


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
