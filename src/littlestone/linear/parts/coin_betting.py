"""Coin betting: each feature bets a part of its wealth on the sign of its next gradient. No scaling, no rate.

    wealth_i = 16 / (features begun by then), G_i = 0, V_i = the first x_i^2
    each round:  V_i = max(V_i, x_i^2);  predict <w, x>, w_i = wealth_i clip(G_i / sqrt(V_i)) / (2 sqrt(V_i))
                 c_i = -gradient x_i;  wealth_i += c_i w_i;  G_i += c_i;  r = c_i^2 / V_i;  V_i /= (1 - r/2)^2

`clip` cuts at -1 and 1. V_i is at least the sum of the c_i^2, and hardly more where the rounds are many. The value of
a feature is known before it bets, so that no bet is more than half of its wealth: |c_i| <= |x_i| <= sqrt(V_i).

Why it holds: ln(1 + z) >= z - z^2 for |z| <= 1/2, so with h(a) = a^2/2 (|a| - 1/2 beyond 1), which is 1-smooth,
ln wealth_i rises by at least (h(new G_i / sqrt(V_i)) - h(old)) / 2 - r/2, and a larger V_i only makes h smaller:

    wealth_i >= e_i exp(h(G_i / sqrt(V_i)) / 2 - D_i / 2),  e_i the first wealth, D_i the sum of the r
    sum of gradient x_i (w_i - u_i)  =  e_i - wealth_i + u_i G_i
                                     <= e_i + 2 a (ln(2 a / e_i) + D_i / 2 - 3/4),  a = |u_i| sqrt(V_i)

by maximising over G_i, with h(a) >= |a| - 1/2. Kempka, Kotlowski & Warmuth (2019): ScInOL 2, with
a scale sqrt(V_i) that is multiplied where theirs is sqrt(sum of c_i^2 + max x_i^2), to first order the same;
Orabona & Pal (2016). (The learner `coin-betting`, linear/coin_betting.py, bets by the rule of Krichevsky & Trofimov.)

All this is for gradients of at most 1 in the score. Where one may be as large as `max_gradient`, which is known before
the round, V_i is made at least (max_gradient x_i)^2 instead, and nothing else changes.

Two rounds of an intercept alone, both with a gradient of -1 (c = 1). It begins with the wealth 16 in the first round,
in which it does not bet; then V = 1/(1 - 1/2)^2 = 4 and w = 16 min(1/2, 1) / (2 * 2) = 2.

>>> coin, x = init_coin(1, 0), np.zeros(0)
>>> for _ in range(2):
...     coin.coin_counts[SPECIAL] = 0.0
...     print(coin_score(coin, 0, x))
...     update_coin(coin, 0, x, 1.0, first_wealth(coin))
0.0
2.0
>>> coin.bettors[0, 0, [REWARD, WEALTH, INVERSE_SCALE]].tolist()  # 16 + 1 * 2; 1/2 (1 - 1/8)
[2.0, 18.0, 0.4375]
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.scratch import Buffer, Scratch
from ...core.stream import Array
from ...core.vectors import expect, index, size, value
from ...engine.lanes import (
    higher,
    lanes,
    lower,
    pick,
    positive,
    put,
    put_rows,
    rows_of,
    total,
    values,
)

# Columns of `bettors`, for each feature: G, the sum of its coins; its wealth (0: not begun); 1/sqrt(V); D, less twice
# the logarithm of its first wealth. Columns rather than fields: four features are loaded and transposed at once.
REWARD, WEALTH, INVERSE_SCALE, LOG_PRICE, COIN_COLUMNS = 0, 1, 2, 3, 4
# Entries of `coin_counts`: features that have begun; the sum of their first wealths; how many begin with the last row;
# and how many of its features need to be updated one by one, because they begin or exceed their scale.
FEATURES_BEGUN, TOTAL_FIRST_WEALTH, BEGINNING, SPECIAL = 0, 1, 2, 3
TINY = 1e-307  # a smaller value counts as 0: its inverse leaves the range of floats
COIN_WEALTH = 16.0  # the first wealth of the features of the first row together


class CoinState(NamedTuple):
    """One bettor for each feature, and one for the intercept, of each class."""

    bettors: Array  # classes x (1 + features) x COIN_COLUMNS; no classes: nobody bets
    w: Buffer  # classes x (1 + features): the weights for the last row, in its order
    coin_counts: Annotated[Array, Scratch(BEGINNING, SPECIAL)]


def init_coin(classes: int, n: int) -> CoinState:
    """Before the first round, with n features and an intercept."""
    return CoinState(
        bettors=np.zeros((classes, n + 1, COIN_COLUMNS)),
        w=np.zeros((classes, n + 1)),
        coin_counts=np.zeros(4),
    )


def is_above_scale(reach: float, q: float) -> bool:
    """Is reach * q > 1? Asked so that the product does not leave the range of floats."""
    return (reach > 1.0 and q > 1.0) or reach * q > 1.0


def feature_weight(row: Array, v: float, max_gradient: float = 1.0) -> float:
    """The weight of a feature for the value v: wealth clip(G / sqrt(V)) / (2 sqrt(V))."""
    q, reach = row[INVERSE_SCALE], max_gradient * abs(v)
    if is_above_scale(reach, q):
        q = 1.0 / reach
    return 0.5 * row[WEALTH] * q * min(max(row[REWARD] * q, -1.0), 1.0)  # type: ignore[no-any-return]


def coin_score(
    coin: CoinState, c: int, x: Any, max_gradient: float = 1.0, tiny: float = TINY
) -> float:
    """The score <w, (1, x)> of a class; `coin_counts` notes how many features begin, or exceed their scale.

    `max_gradient` is the largest gradient that may follow; a value that is at most `tiny` with it counts as 0.
    """
    bettors, weights, n = coin.bettors[c], coin.w[c], size(x)
    weights[0] = feature_weight(bettors[0], 1.0, max_gradient)
    s, largest = lanes(weights[0], 0.0, 0.0, 0.0), lanes(0.0, 0.0, 0.0, 0.0)
    least_wealth = lanes(bettors[0, WEALTH], 1.0, 1.0, 1.0)
    for k in range(0, n - 3, 4):
        expect(bettors, x, k, 1)
        expect(bettors, x, k + 1, 1)
        expect(bettors, x, k + 2, 1)
        expect(bettors, x, k + 3, 1)
        G, W, q, _ = rows_of(bettors, x, k, 1)
        v = values(x, k)
        reach = max_gradient * higher(v, 0.0 - v)
        least_wealth = lower(least_wealth, pick(tiny, reach, W, 1.0))
        largest = higher(largest, reach * q)
        w = 0.5 * W * q * lower(higher(G * q, -1.0), 1.0)
        put(coin.w, c, k + 1, w)
        s = s + w * v
    score, all_begun = total(s), positive(least_wealth)
    for k in range(n - n % 4, n):
        row, v = bettors[index(x, k) + 1], value(x, k)
        weights[k + 1] = feature_weight(row, v, max_gradient)
        score += weights[k + 1] * v
        all_begun = all_begun and (row[WEALTH] > 0.0 or max_gradient * abs(v) <= tiny)
    beginning, beyond = 0.0, total(pick(1.0, largest, 1.0, 0.0))
    if not all_begun:
        beginning = count_beginning(bettors, x, max_gradient, tiny)
    if beyond > 0.0:
        score = score_each(bettors, weights, x, max_gradient)
    coin.coin_counts[BEGINNING] = beginning
    coin.coin_counts[SPECIAL] += beginning + beyond
    return score


def count_beginning(bettors: Array, x: Any, max_gradient: float, tiny: float) -> float:
    """How many features begin with this row?"""
    beginning = 1.0 if bettors[0, WEALTH] == 0.0 else 0.0
    for k in range(size(x)):
        new = max_gradient * abs(value(x, k)) > tiny and bettors[index(x, k) + 1, WEALTH] == 0.0
        beginning += 1.0 if new else 0.0
    return beginning


def score_each(bettors: Array, weights: Array, x: Any, max_gradient: float) -> float:
    """The score of features of which some exceed their scale."""
    score = weights[0]
    for k in range(size(x)):
        weights[k + 1] = feature_weight(bettors[index(x, k) + 1], value(x, k), max_gradient)
        score += weights[k + 1] * value(x, k)
    return score  # type: ignore[no-any-return]


def update_coin(
    coin: CoinState,
    c: int,
    x: Any,
    slope: float,
    wealth: float,
    max_gradient: float = 1.0,
    tiny: float = TINY,
) -> None:
    """The bets of a class are paid; `slope` is minus the gradient in its score, `wealth` what features begin with."""
    bettors, weights, n = coin.bettors[c], coin.w[c], size(x)
    if coin.coin_counts[SPECIAL] != 0.0:
        begin_features(bettors, x, wealth, coin.coin_counts, max_gradient, tiny)
        update_each(bettors, weights, x, slope, max_gradient, tiny)
        return
    update_feature(bettors[0], weights[0], 1.0, slope, max_gradient, tiny)
    for k in range(0, n - 3, 4):
        G, W, q, D = rows_of(bettors, x, k, 1)
        coins = slope * values(x, k)
        r = coins * q
        r = r * r
        W = W + coins * values(weights, k + 1)
        put_rows(bettors, x, k, 1, G + coins, W, q * (1.0 - 0.5 * r), D + r)
    for k in range(n - n % 4, n):
        update_feature(
            bettors[index(x, k) + 1], weights[k + 1], value(x, k), slope, max_gradient, tiny
        )


def begin_features(
    bettors: Array, x: Any, wealth: float, counts: Array, max_gradient: float, tiny: float
) -> None:
    """Give the features that begin with this row their first wealth."""
    begin_feature(bettors[0], 1.0, wealth, counts, max_gradient, tiny)
    for k in range(size(x)):
        begin_feature(bettors[index(x, k) + 1], value(x, k), wealth, counts, max_gradient, tiny)


def update_each(
    bettors: Array, weights: Array, x: Any, slope: float, max_gradient: float, tiny: float
) -> None:
    """`update_coin`, one feature after the other."""
    update_feature(bettors[0], weights[0], 1.0, slope, max_gradient, tiny)
    for k in range(size(x)):
        update_feature(
            bettors[index(x, k) + 1], weights[k + 1], value(x, k), slope, max_gradient, tiny
        )


def begin_feature(
    row: Array, v: float, wealth: float, counts: Array, max_gradient: float, tiny: float
) -> None:
    """Give a feature that begins its first wealth."""
    reach = max_gradient * abs(v)
    if reach > tiny and row[WEALTH] == 0.0:
        row[WEALTH], row[INVERSE_SCALE] = wealth, 1.0 / reach
        row[LOG_PRICE] = -2.0 * math.log(wealth)
        counts[TOTAL_FIRST_WEALTH] += wealth


def update_feature(
    row: Array, w: float, v: float, slope: float, max_gradient: float, tiny: float
) -> None:
    """`update_coin`, for one feature, which may exceed its scale."""
    reach = max_gradient * abs(v)
    if reach <= tiny:
        return
    if is_above_scale(reach, row[INVERSE_SCALE]):
        row[INVERSE_SCALE] = 1.0 / reach
    c = slope * v
    r = c * row[INVERSE_SCALE]
    r *= r
    row[REWARD] += c
    row[WEALTH] += c * w
    row[LOG_PRICE] += r
    row[INVERSE_SCALE] *= 1.0 - 0.5 * r


def first_wealth(coin: CoinState) -> float:
    """The wealth of the features that begin with the last row; from now on they count as begun."""
    coin.coin_counts[FEATURES_BEGUN] += coin.coin_counts[BEGINNING]
    coin.coin_counts[BEGINNING] = 0.0
    return COIN_WEALTH / max(1.0, coin.coin_counts[FEATURES_BEGUN])  # type: ignore[no-any-return]


def current_weights(coin: CoinState) -> Array:
    """The weights of each class, the constant's first, for values within the scale."""
    bettors = coin.bettors
    q = bettors[:, :, INVERSE_SCALE]
    return 0.5 * bettors[:, :, WEALTH] * q * np.clip(bettors[:, :, REWARD] * q, -1.0, 1.0)


def coin_to_softmax(bettors: Array) -> None:
    """Bettors on one class against the other become bettors on each of them, with half of the wealth."""
    one, other = bettors[:2]
    begun = one[:, WEALTH] > 0.0
    one[:, WEALTH] *= 0.5
    one[:, LOG_PRICE] += np.where(begun, 2.0 * math.log(2.0), 0.0)
    other[:] = one
    one[:, REWARD] *= -1.0


def regret_bound(coin: CoinState, U: Array) -> float:
    """The sum of gradients times (score - that of U) is at most this, for every U; a row of U a class."""
    bettors = coin.bettors[:, : U.shape[1]]
    with np.errstate(divide="ignore", invalid="ignore"):
        a = 2.0 * np.where(U == 0.0, 0.0, np.abs(U) / bettors[:, :, INVERSE_SCALE])
        logarithm = np.log(a) + 0.5 * bettors[:, :, LOG_PRICE] + 0.25
        each = np.where(a > 0.0, a * np.maximum(logarithm - 1.0, 0.0), 0.0)
    each = np.where(bettors[:, :, WEALTH] > 0.0, each, 0.0)  # a feature that never began
    return float(each.sum() + coin.coin_counts[TOTAL_FIRST_WEALTH])
