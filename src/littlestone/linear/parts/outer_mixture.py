"""A mixture of two predictions of a number: a learner's own, and that of coin betting on the features.

    c = the first outcome;  [low, high] = [c, c]
    predict:  a_1 = own prediction, a_2 = c + w_0 + <w, x> of coin betting, both clipped to [low, high];  B = high - low
              (low + high)/2 + (G(low) - G(high)) / 2B,  G(y) = -(B^2/2) ln sum_j p_j exp(-2 (a_j - y)^2 / B^2),
              p_j proportional to v_j exp(-2 L_j / B^2);  v_2 = 2^-12, v_1 = 1 - v_2
    learn:    y > high:  high = y + (y - low)/2;   y < low:  low = y - (high - y)/2;   nothing else in such a round
              otherwise  L_j += (a_j - y)^2, and coin betting learns from the slope 2 (a_2 - y), which is at most 2 B

The first outcome that is not c is taken together with c: of the two the one nearer to 0 becomes c, and [low, high]
is what is within r of it, r the smaller of its size and the distance of the two. So one extreme outcome does little
harm where it is the first or the second.

What it loses, and why. Let B be that of the end, and u any linear predictor with an intercept u_0.

    loss  <=  loss of u  +  opening  +  (4/5 + 6 ln 2) B^2  +  regret bound of coin betting for u

- Opening: the first outcome, predicted as 0, costs its square. While low = high the prediction is c, so that outcomes
  equal to c cost nothing; the first other one costs its squared distance from c.
- Jumps, the later rounds with y outside [low, high]: the prediction is inside, so that a jump costs at most
  (y - low)^2, or (high - y)^2, which is 4/9 of the square of the new B. The new B is more than 3/2 of the old one.
  So all together cost at most 4/9 B^2 (1 + 4/9 + (4/9)^2 + ...) = 4/5 B^2. u loses at least 0 there.
- The mixture, in the other rounds: y, a_1 and a_2 are in [low, high]. On an interval of length B the square loss is
  mixable at 2/B^2, by the prediction above (Vovk 1990; Haussler, Kivinen & Warmuth 1998; T-AA-SQ). So a round costs
  at most F(L after it) - F(L before it), F(L) = -(B^2/2) ln sum_j v_j exp(-2 L_j / B^2). A larger B does not make F
  smaller, for -ln(sum_j v_j exp(-s L_j)) / s falls with s. So the sum over the rounds is at most F(L) at the end,
  which is at most L_j + (B^2/2) ln(1/v_j): for coin betting L_2 + 6 ln 2 B^2.
- Coin betting: let f(s) be (s - y)^2 for s in [low, high], and its tangents at the ends outside. y is inside, so f is
  convex, f(s) >= (clip s - y)^2, f(s) <= (s - y)^2, and f'(s) = 2 (clip s - y), at most 2 B. So with
  s = c + w_0 + <w, x>
  (clip s - y)^2 - (u.x - y)^2  <=  f(s) - f(u.x)  <=  f'(s) (s - u.x)  =  f'(s) (<w - u, x> + w_0 - (u_0 - c)).
  The sum of that is at most `regret_bound` of coin_betting.py, for u with the intercept u_0 - c and max_gradient = 2 B.
  A feature begins in the first round in which it is not 0 and coin betting learns, with the wealth 4 B^2 / (features
  begun by then).

B is at most 3 times the difference D of the largest and the smallest outcome: one end of the first interval may be D
beyond all outcomes, the other end is not; and a jump goes beyond them by at most half of D and what the other end is
beyond them. To its own prediction, clipped, the mixture loses at most (B^2/2) ln(1/v_1) < B^2 / 8,000 in all
rounds that are not jumps.

Of two outcomes, 3 and 5, the interval is 3 +- 2; where both predictions are alike, so is their mixture.

>>> outer, x = init_outer(1), np.array([0.0])
>>> for y in (3.0, 5.0):
...     _ = mix_with_coin(outer, x, 3.0)
...     update_outer(outer, x, y, 1.0)
>>> outer.stats[[LOW, HIGH, OPENING]].tolist()  # 3^2 + (5 - 3)^2
[1.0, 5.0, 13.0]
>>> float(mix_with_coin(outer, x, 3.0))
3.0
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.numeric import decay_one
from ...core.scratch import Scratch
from ...core.stream import Array
from .coin_betting import (
    COIN_WEALTH,
    SPECIAL,
    TINY,
    CoinState,
    coin_score,
    first_wealth,
    init_coin,
    update_coin,
)

COIN_PRIOR = 2.0**-12  # the first weight of coin betting
LOG_PRIOR_ODDS = math.log(COIN_PRIOR / (1.0 - COIN_PRIOR))
WIDENING = 0.5  # of its new distance from the other end: how far an end of the interval goes beyond an outcome
# of jumps and mixture, in B^2
MIXTURE_PRICE = 1.0 / ((1.0 + WIDENING) ** 2 - 1.0) - 0.5 * math.log(COIN_PRIOR)
SQRT_E = math.exp(0.5)
MIN_INTERVAL = 1e-140  # the square of a smaller interval leaves the range of floats: nobody bets

# Entries of `stats`: whether it has begun; the interval and c; by how much the own prediction has lost more than that
# of coin betting, over (B/2)^2; both predictions for the last row; the loss before there was an interval.
BEGUN, LOW, HIGH, CENTRE, LOSS_DIFFERENCE, OWN, COIN, OPENING, OUTER_ENTRIES = range(9)


class OuterMixture(NamedTuple):
    """The bettors, and the aggregating algorithm over two predictions."""

    coin: CoinState
    stats: Annotated[Array, Scratch(OWN, COIN)]


def init_outer(n: int) -> OuterMixture:
    """Before the first outcome, with n features."""
    return OuterMixture(coin=init_coin(1, n), stats=np.zeros(OUTER_ENTRIES))


def mix_with_coin(outer: OuterMixture, x: Any, own: float) -> float:
    """The prediction for a row for which the learner's own is given."""
    coin, stats = outer
    low, high = stats[LOW], stats[HIGH]
    half: float = 0.5 * (high - low)
    if stats[BEGUN] == 0.0:
        return own
    own = min(max(own, low), high)
    if half <= MIN_INTERVAL:
        return own
    coin.coin_counts[SPECIAL] = 0.0
    by_coin: float = stats[CENTRE] + coin_score(coin, 0, x, 4.0 * half, smallest_value(half))
    by_coin = min(max(by_coin, low), high)
    stats[OWN], stats[COIN] = own, by_coin
    odds = LOG_PRIOR_ODDS + 0.5 * stats[LOSS_DIFFERENCE]
    d = (by_coin - own) / half
    # their mean, seen from the middle of the interval
    m = 0.5 * (own - low + (by_coin - high)) / half
    if odds < 0.0:
        return own + half * mixture_offset(d, m, odds)
    return by_coin + half * mixture_offset(-d, m, -odds)


def smallest_value(half: float) -> float:
    """A value counts as 0 whose weight would leave the range of floats."""
    return TINY * max(1.0, COIN_WEALTH * half * half)


def mixture_offset(d: float, m: float, odds: float) -> float:
    """How far the mixture of a and b is from a: d = b - a, m = (a + b)/2, and b weighs exp(odds) <= 1 times as much.

    On [-1, 1], where it is ln((1 + v e^d) / (1 + v e^-d)) / 2 with v = exp(odds + (a^2 - b^2)/2), written so that it is
    exact for the smallest d.
    """
    v = SQRT_E * decay_one(min(odds - d * m - 0.5, 0.0))
    s = math.sinh(d)
    return math.atanh(v * s / (1.0 + v * math.sqrt(1.0 + s * s)))


def update_outer(outer: OuterMixture, x: Any, y: float, h: float) -> None:
    """Learn from the outcome of the last row."""
    coin, stats = outer
    if stats[BEGUN] == 0.0:
        stats[BEGUN], stats[CENTRE], stats[OPENING] = 1.0, y, y * y
        stats[LOW], stats[HIGH] = y, y
    low, high = stats[LOW], stats[HIGH]
    half = 0.5 * (high - low)
    if low == high and y != low:
        open_interval(stats, y)
    elif y < low or y > high:
        if y > high:
            stats[HIGH] = y + WIDENING * (y - low)
        else:
            stats[LOW] = y - WIDENING * (high - y)
        stats[LOSS_DIFFERENCE] *= (2.0 * half / (stats[HIGH] - stats[LOW])) ** 2
    elif half > MIN_INTERVAL:
        a, g = (y - stats[OWN]) / half, (y - stats[COIN]) / half
        stats[LOSS_DIFFERENCE] += h * (a * a - g * g)
        wealth = first_wealth(coin) * half * half
        slope = 2.0 * min(h, 1.0) * (y - stats[COIN])
        update_coin(coin, 0, x, slope, wealth, 4.0 * half, smallest_value(half))


def open_interval(stats: Array, y: float) -> None:
    """The first interval, from two outcomes: the one nearer to 0 is its centre."""
    apart = abs(y - stats[CENTRE])
    stats[OPENING] += apart * apart
    if abs(y) < abs(stats[CENTRE]):
        stats[CENTRE] = y
    size = abs(stats[CENTRE])
    r = apart if size == 0.0 else min(apart, size)
    stats[LOW], stats[HIGH] = stats[CENTRE] - r, stats[CENTRE] + r
