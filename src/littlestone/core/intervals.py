"""Confidence limits: how far a mean of random numbers may be from what it estimates.

    binomial     a coin: exact (Clopper and Pearson)
    hoeffding    numbers in a known interval, by its length alone
    chernoff     the same, tighter near the ends of the interval (Hoeffding's first inequality, with the KL divergence)
    bernstein    the same, tighter where the numbers vary little (Maurer and Pontil)
    betting      the same, tighter still (Waudby-Smith and Ramdas)
    adaptive     numbers in a known interval that may depend on those before (Howard and others)

All hold for every number of samples. Where there are few the limits are wide, and a verdict made of them is unknown.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .errors import BadInput
from .stream import Array

TINY = 1e-9  # is shown as 0
BETS = 12  # sizes of a bet
# of T-BERNSTEIN-ADAPTIVE: 2^-10, ..., 1/2; and 1, ..., 64 for numbers of small reach
RATES, SMALLER = 10, 7


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


def rounded_up(v: float, digits: int = 4) -> float:
    """A number with so many significant digits, none below it: an upper limit that is printed is still one.

    >>> rounded_up(0.114446), rounded_up(0.25), rounded_up(0.0)
    (0.1145, 0.25, 0.0)
    """
    if not math.isfinite(v) or v == 0.0:
        return v
    shown = float(f"{v:.{digits}g}")
    step = 10.0 ** (math.floor(math.log10(abs(v))) - digits + 1)
    return shown if shown >= v else float(f"{shown + step:.{digits}g}")


def confidence(delta: Any) -> float:
    """Check a probability with which limits may fail."""
    number = isinstance(delta, (int, float, np.number)) and not isinstance(
        delta, (bool, np.complexfloating)
    )
    if not number or not 0.0 < delta < 1.0:
        raise BadInput(f"delta must be a number in (0, 1), not {delta!r:.60}")
    return float(delta)


def spread(z: Array) -> float:
    """The sample variance, which is unbiased: sum of (z_s - z_t)^2 over pairs s < t, over T(T - 1)."""
    return float(z.var(ddof=1)) if len(z) > 1 else math.inf


def hoeffding_half(length: float, T: float, delta: float) -> float:
    """How far a mean may be off on one side, with probability 1 - delta: T numbers in an interval of this length.

    length sqrt(ln(1/delta) / (2 T)); it holds for martingale differences of that range too (Azuma).

    >>> round(hoeffding_half(1.0, 200, 0.05), 4)
    0.0865

    Hoeffding (1963). Ledger: T-VALIDATION.
    """
    return length * math.sqrt(math.log(1.0 / delta) / (2.0 * T))


def bernstein_half(variance: float, T: int, length: float, delta: float) -> float:
    """How far a mean may be off on one side, with probability 1 - delta: T independent numbers of this variance.

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

    Unlike a mean plus or minus two standard errors it is sensible with few successes, or none at all. It holds for
    other numbers in [0, 1] too, as they vary less than a coin does.

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


def divergence(p: float, q: float) -> float:
    """KL(p, q) of two coins."""

    def term(a: float, b: float) -> float:
        return 0.0 if a == 0.0 else math.inf if b == 0.0 else a * math.log(a / b)

    return term(p, q) + term(1.0 - p, 1.0 - q)


def chernoff(mean: float, T: float, delta: float) -> Interval:
    """Both limits of the mean of T independent numbers in [0, 1]: q with T KL(mean, q) = ln(2/delta).

    >>> print(chernoff(0.0, 100, 0.05), chernoff(0.5, 100, 0.05))
    [0, 0.03622] [0.3667, 0.6333]

    Hoeffding (1963), theorem 1.
    """
    nats = math.log(2.0 / delta) / T

    def edge(end: float) -> float:
        near, far = mean, end
        for _ in range(60):
            q = 0.5 * (near + far)
            near, far = (near, q) if divergence(mean, q) > nats else (q, far)
        return far  # outside, whatever is left between the two

    mean = min(max(mean, 0.0), 1.0)
    low = 0.0 if divergence(mean, 0.0) <= nats else edge(0.0)
    high = 1.0 if divergence(mean, 1.0) <= nats else edge(1.0)
    return Interval(low, high)


def betting(z: Array, delta: float) -> Interval:
    """Both limits of the mean of independent numbers in [0, 1], each of which fails with probability delta/2.

        capital against a mean of m:  the average over c = 1, 1/2, 1/4, ... of  prod_i (1 + c (m - z_i) / (1 - m))

    If m is the mean, the capital is 1 on average, and reaches 2/delta with probability at most delta/2 (Markov). So
    the upper limit is the least m that makes it so large; the lower one is that of 1 - z. It is far tighter than
    the others where the numbers vary little.

    >>> print(betting(np.tile([0.04, 0.05], 200), 0.002))
    [0.04369, 0.06715]

    After Waudby-Smith and Ramdas (2024), Estimating means of bounded random variables by betting.
    """

    def upper(z: Array) -> float:
        c = 0.5 ** np.arange(BETS)[:, None]
        enough = math.log(2.0 / delta) + math.log(BETS)

        def rich(m: float) -> bool:
            with np.errstate(divide="ignore"):
                logs = np.log(np.maximum(1.0 + c * (m - z) / (1.0 - m), 0.0)).sum(axis=1)
            top = float(logs.max())
            return (
                top + math.log(float(np.exp(logs - top).sum())) >= enough
                if top > -np.inf
                else False
            )

        near, far = float(z.mean()), 1.0
        for _ in range(50):
            m = 0.5 * (near + far)
            near, far = (near, m) if m < 1.0 and rich(m) else (m, far)
        return far

    return Interval(1.0 - upper(1.0 - z), upper(z))


def of_mean(z: Array, low: float, high: float, delta: float) -> Interval:
    """Both limits of the mean of independent numbers in [low, high], each of which fails with probability delta/2.

    The tighter of `chernoff` and `betting`, each at half that level.

    >>> print(of_mean(np.zeros(100), 0.0, 1.0, 0.1))
    [0, 0.03622]
    """
    length = high - low
    if not len(z) or not 0.0 < length < math.inf:
        return Interval(low, high)
    u = np.clip((z - low) / length, 0.0, 1.0)
    a, b = chernoff(float(u.mean()), len(u), delta / 2.0), betting(u, delta / 2.0)
    tight = Interval(max(a.low, b.low), min(a.high, b.high))
    return Interval(low + length * tight.low, low + length * tight.high).within(low, high)


def adaptive(
    z: Array, low: float, high: float, delta: float, reach: Array | None = None
) -> Interval:
    """Limits of the mean of E[z_t | z_1, ..., z_{t-1}], for numbers in [low, high] that may depend on the past.

        g_t = the mean of the middle, z_1, ..., z_{t-1};  f(l) = -ln(1 - l) - l
        |mean z - mean E z| <= (ln(2 J/delta) + sum_t f(l b_t) (z_t - g_t)^2 / b_t^2) / (l T)   for each l of J rates

    `reach`: z_t lies in a part of the interval that begins at 0 and has the share reach_t of its length, where
    0 < reach_t <= 1 is known before z_t is. Then b_t = reach_t (high - low); without `reach`, b = high - low. The
    limits hold for a learner that changes from round to round, and at a random time as well. A rate l counts only if
    every l b_t is below 1.

    >>> print(adaptive(np.array([0.0, 1.0] * 500), 0.0, 1.0, 0.05))
    [0.4381, 0.5619]

    Howard, Ramdas, McAuliffe and Sekhon (2021), theorem 4; the rates are a grid. Ledger: T-BERNSTEIN-ADAPTIVE.
    """
    T = len(z)
    if T == 0:
        return Interval(low, high)
    b = np.ones(1) if reach is None else reach
    # where `reach` is small, larger rates are worth a try; their number is fixed before any z is seen
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
