"""Limits of an error where rows come in groups, or count differently: what is independent is a group, not a row."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.intervals import Interval
from ..core.stream import Array

NEAR = 1e-11  # a limit is found up to this, and rounded up
FAR = 1e6  # a logarithm of less than minus this is as good as minus infinity
SMALL = 2000  # so many different units fit into the nearest memory, all shares at once
SHARES = 2.0 ** (-0.5 * np.arange(22))  # of what can be bet on a unit


class Units(NamedTuple):
    """Independent units: groups of rows, or rows that count differently.

    Unit g weighs n_g, at most `largest`, and loses k_g in [0, n_g]. Of rows that count alike, n_g are the rows of a
    group and k_g its errors.
    """

    weight: Array
    loss: Array
    largest: float

    @property
    def mean(self) -> float:
        """The loss of all units over their weight."""
        return float(self.loss.sum() / self.weight.sum())

    @property
    def other_side(self) -> Units:
        """The units with what they did not lose as their loss."""
        return Units(self.weight, np.maximum(self.weight - self.loss, 0.0), self.largest)


def units_of(losses: Any, group: Any = None, weights: Any = None) -> Units:
    """Losses in [0, 1] of rows, put together by group; no unit to come is taken to be heavier than the heaviest here.

    >>> units_of(np.array([1.0, 0.0, 1.0]), np.array([0, 0, 1]))
    Units(weight=array([2., 1.]), loss=array([1., 1.]), largest=2.0)
    """
    losses = np.asarray(losses, np.float64)
    w: Any = np.ones(len(losses)) if weights is None else np.asarray(weights, np.float64)
    k: Any = w * losses
    if group is not None:
        w, k = np.bincount(group, w), np.bincount(group, k)
    k = np.minimum(k, w)[w > 0.0]  # sums round
    w = w[w > 0.0]
    return Units(w, k, float(w.max()))


def chance_of_less(units: Units, p: float) -> float:
    """At least the chance that independent units lose as little as these do, or less, if p is E k / E n.

    A gambler bets on every unit that it loses less than p, the share c of what can be bet:

        capital  =  the mean over c = 1, 2^-1/2, 2^-1, ... of  prod_g (1 + c (p n_g - k_g) / (W (1 - p)))

    where W is the largest weight and c has a weight in proportion to c. No factor is below 0, since
    k_g - p n_g <= (1 - p) n_g <= (1 - p) W. If p is E k / E n, each factor is 1 on average, and so is the capital:
    it reaches 1/delta with chance at most delta (Markov). It would be no larger on average if p were below E k / E n.
    Units need not be alike: given their weights, for p = sum E k_g / sum n_g, the mean of the product is
    prod (1 + a_g) <= exp(sum a_g) = 1.

    The capital grows with p, since d/dp (p n - k) / (1 - p) = (n - k) / (1 - p)^2 >= 0: the limit that follows is one
    number. After Waudby-Smith and Ramdas (2024), Estimating means of bounded random variables by betting.

    >>> round(chance_of_less(Units(np.ones(30), np.zeros(30), 1.0), 0.1), 3)
    0.096
    """
    if not p > units.mean:
        return 1.0
    return (
        0.0 if p >= 1.0 else math.exp(-max(0.0, log_capital(*count_units(units), units.largest, p)))
    )


def count_units(units: Units) -> tuple[Array, Any]:
    """The different units, weight and loss, and how often each occurs."""
    pairs, times = np.unique(units.weight + 1j * units.loss, return_counts=True)
    return np.column_stack([pairs.real, pairs.imag]), times.astype(np.float64)


def log_capital(pairs: Array, times: Any, largest: float, p: float) -> float:
    """The logarithm of what a gambler has who began with 1 and bet against p; p is below 1."""
    odds = (p * pairs[:, 0] - pairs[:, 1]) / (largest * (1.0 - p))
    with np.errstate(divide="ignore"):
        if len(odds) <= SMALL:
            each = np.log(np.maximum(1.0 + np.multiply.outer(SHARES, odds), 0.0)) @ times
        else:
            each = np.array([np.log(np.maximum(1.0 + c * odds, 0.0)) @ times for c in SHARES])
    logs = np.log(SHARES / SHARES.sum()) + each
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).sum())) if top > -math.inf else -math.inf


def chance_of_more(units: Units, p: float) -> float:
    """At least the chance that independent units lose as much as these do, or more, if p is E k / E n."""
    return chance_of_less(units.other_side, 1.0 - p)


def upper_limit(units: Units, delta: float) -> float:
    """With probability 1 - delta, E k / E n is at most this.

    Where it is p, `chance_of_less` is below delta at p with probability at most delta, and falls as p grows: so the
    least q with chance delta or less is below p with probability at most delta.

    >>> many = Units(
    ...     np.full(30, 20.0), np.full(30, 2.0), 20.0
    ... )  # 30 groups of 20 rows, 2 errors in each
    >>> few = Units(
    ...     np.full(30, 20.0), np.repeat([20.0, 0.0], [3, 27]), 20.0
    ... )  # 3 groups of errors only
    >>> round(upper_limit(many, 0.05), 3), round(upper_limit(few, 0.05), 3)
    (0.21, 0.319)

    Ledger: T-VALIDATION-GROUPS.
    """
    from scipy.optimize import brentq

    each, enough = count_units(units), math.log(1.0 / delta)

    def short(p: float) -> float:
        return max(log_capital(*each, units.largest, p), -FAR) - enough

    least, most = min(units.mean, 1.0 - NEAR), 1.0 - NEAR
    if not short(most) > 0.0 or not short(least) < 0.0:
        return 1.0
    return min(1.0, float(brentq(short, least, most, xtol=NEAR)) + 2.0 * NEAR)


def both_limits(units: Units, delta: float) -> Interval:
    """A lower and an upper limit, each of which fails with probability delta/2."""
    return Interval(
        1.0 - upper_limit(units.other_side, delta / 2.0), upper_limit(units, delta / 2.0)
    )


def hoeffding_limit(units: Units, delta: float) -> float:
    """Hoeffding's bound for units: mean + (G W / sum n) sqrt(ln(1/delta) / (2 G)); of G equal units it is the notes'.

    With u_g = (k_g + p (W - n_g)) / W, a number in [0, 1] whose mean is p = E k / E n, the mean of G of them is below p
    by (p sum n - sum k) / (G W), and by more than sqrt(ln(1/delta) / (2 G)) with chance at most delta.

    >>> round(hoeffding_limit(Units(np.ones(100), np.zeros(100), 1.0), 0.05), 4)
    0.1224
    """
    G = len(units.weight)
    stretch = G * units.largest / float(units.weight.sum())
    return min(1.0, units.mean + stretch * math.sqrt(math.log(1.0 / delta) / (2.0 * G)))
