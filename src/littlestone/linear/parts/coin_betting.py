"""A linear learner without units or rates: each coordinate bets a part of its wealth on the sign of its next gradient.

    wealth_i = 16 / (coordinates seen by then), G_i = 0, V_i = the first x_i^2
    each round:  V_i = max(V_i, x_i^2);  predict <w, x>, w_i = wealth_i clip(G_i / sqrt(V_i)) / (2 sqrt(V_i))
                 c_i = -gradient x_i;  wealth_i += c_i w_i;  G_i += c_i;  r = c_i^2 / V_i;  V_i /= (1 - r/2)^2

`clip` cuts at -1 and 1. V_i is at least the sum of the c_i^2, and hardly more where the rounds are many. The value of
a coordinate is known before it bets, so that no bet is more than half of its wealth: |c_i| <= |x_i| <= sqrt(V_i).

Why it holds: ln(1 + z) >= z - z^2 for |z| <= 1/2, so with h(a) = a^2/2 (|a| - 1/2 beyond 1), which is 1-smooth,
ln wealth_i rises by at least (h(new G_i / sqrt(V_i)) - h(old)) / 2 - r/2, and a larger V_i only makes h smaller:

    wealth_i >= e_i exp(h(G_i / sqrt(V_i)) / 2 - D_i / 2),  e_i the first wealth, D_i the sum of the r
    sum of gradient x_i (w_i - u_i)  =  e_i - wealth_i + u_i G_i
                                     <= e_i + 2 a (ln(2 a / e_i) + D_i / 2 - 3/4),  a = |u_i| sqrt(V_i)

by maximising over G_i, with h(a) >= |a| - 1/2. Kempka, Kotlowski and Warmuth (2019), whose ScInOL 2 bets alike;
Orabona and Pal (2016).

All this is for gradients of at most 1 in the score. Where one may be as large as `hint`, which is known before the
round, V_i is made at least (hint x_i)^2 instead, and nothing else changes.
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

# What a coordinate knows: the sum of its coins; its wealth; 1/sqrt(V); D, and twice the logarithm of 1/(first wealth).
SUM, WEALTH, SCALE, SPENT, COLUMNS = 0, 1, 2, 3, 4
# The purse: coordinates seen; the wealths that they began with, summed; how many of the last example are new; and how
# many have to be looked at one by one.
SEEN, GIVEN, NEW, ODD = 0, 1, 2, 3
LEAST = 1e-307  # a smaller value counts as 0: its inverse leaves the range of floats


class Wagers(NamedTuple):
    bets: Array  # classes x (1 + coordinates) x COLUMNS; no classes: there are no bets
    stake: Buffer  # classes x (1 + coordinates): the weights for the last example, in its order
    purse: Annotated[Array, Scratch(NEW, ODD)]


def broke(classes: int, n: int) -> Wagers:
    """Before the first bet on n coordinates and a constant."""
    return Wagers(np.zeros((classes, n + 1, COLUMNS)), np.zeros((classes, n + 1)), np.zeros(4))


def exceeds(far: float, q: float) -> bool:
    """Is far * q > 1? Asked so that the product does not leave the range of floats."""
    return (far > 1.0 and q > 1.0) or far * q > 1.0


def bet(row: Array, v: float, hint: float = 1.0) -> float:
    """The weight of a coordinate for the value v."""
    q, far = row[SCALE], hint * abs(v)
    if exceeds(far, q):
        q = 1.0 / far
    return 0.5 * row[WEALTH] * q * min(max(row[SUM] * q, -1.0), 1.0)  # type: ignore[no-any-return]


def wager(wagers: Wagers, c: int, x: Any, hint: float = 1.0, least: float = LEAST) -> float:
    """The score of a class; the purse knows how many coordinates bet for the first time, or see a value beyond all.

    `hint` is the largest gradient that may follow; a value that is at most `least` with it counts as 0.
    """
    b, stake, n = wagers.bets[c], wagers.stake[c], size(x)
    stake[0] = bet(b[0], 1.0, hint)
    s, most = lanes(stake[0], 0.0, 0.0, 0.0), lanes(0.0, 0.0, 0.0, 0.0)
    poorest = lanes(b[0, WEALTH], 1.0, 1.0, 1.0)
    for k in range(0, n - 3, 4):
        expect(b, x, k, 1)
        expect(b, x, k + 1, 1)
        expect(b, x, k + 2, 1)
        expect(b, x, k + 3, 1)
        G, W, q, _ = rows_of(b, x, k, 1)
        v = values(x, k)
        far = hint * higher(v, 0.0 - v)
        poorest, most = lower(poorest, pick(least, far, W, 1.0)), higher(most, far * q)
        w = 0.5 * W * q * lower(higher(G * q, -1.0), 1.0)
        put(wagers.stake, c, k + 1, w)
        s = s + w * v
    score, known = total(s), positive(poorest)
    for k in range(n - n % 4, n):
        row, v = b[index(x, k) + 1], value(x, k)
        stake[k + 1] = bet(row, v, hint)
        score += stake[k + 1] * v
        known = known and (row[WEALTH] > 0.0 or hint * abs(v) <= least)
    fresh, beyond = 0.0, total(pick(1.0, most, 1.0, 0.0))
    if not known:
        fresh = newcomers(b, x, hint, least)
    if beyond > 0.0:
        score = bet_each(b, stake, x, hint)
    wagers.purse[NEW] = fresh
    wagers.purse[ODD] += fresh + beyond
    return score


def newcomers(b: Array, x: Any, hint: float, least: float) -> float:
    """How many coordinates bet for the first time?"""
    fresh = 1.0 if b[0, WEALTH] == 0.0 else 0.0
    for k in range(size(x)):
        new = hint * abs(value(x, k)) > least and b[index(x, k) + 1, WEALTH] == 0.0
        fresh += 1.0 if new else 0.0
    return fresh


def bet_each(b: Array, stake: Array, x: Any, hint: float) -> float:
    """The score of coordinates of which some see a value beyond all before."""
    score = stake[0]
    for k in range(size(x)):
        stake[k + 1] = bet(b[index(x, k) + 1], value(x, k), hint)
        score += stake[k + 1] * value(x, k)
    return score  # type: ignore[no-any-return]


def pay(
    wagers: Wagers,
    c: int,
    x: Any,
    slope: float,
    first: float,
    hint: float = 1.0,
    least: float = LEAST,
) -> None:
    """The bets of a class are paid; `slope` is minus the gradient in its score, `first` the wealth of beginners."""
    b, stake, n = wagers.bets[c], wagers.stake[c], size(x)
    if wagers.purse[ODD] != 0.0:
        begin_some(b, x, first, wagers.purse, hint, least)
        pay_each(b, stake, x, slope, hint, least)
        return
    pay_one(b[0], stake[0], 1.0, slope, hint, least)
    for k in range(0, n - 3, 4):
        G, W, q, D = rows_of(b, x, k, 1)
        coin = slope * values(x, k)
        r = coin * q
        r = r * r
        put_rows(b, x, k, 1, G + coin, W + coin * values(stake, k + 1), q * (1.0 - 0.5 * r), D + r)
    for k in range(n - n % 4, n):
        pay_one(b[index(x, k) + 1], stake[k + 1], value(x, k), slope, hint, least)


def begin_some(b: Array, x: Any, first: float, purse: Array, hint: float, least: float) -> None:
    """Give those coordinates of an example that are there for the first time their wealth."""
    begin_one(b[0], 1.0, first, purse, hint, least)
    for k in range(size(x)):
        begin_one(b[index(x, k) + 1], value(x, k), first, purse, hint, least)


def pay_each(b: Array, stake: Array, x: Any, slope: float, hint: float, least: float) -> None:
    """`pay`, one coordinate after the other."""
    pay_one(b[0], stake[0], 1.0, slope, hint, least)
    for k in range(size(x)):
        pay_one(b[index(x, k) + 1], stake[k + 1], value(x, k), slope, hint, least)


def begin_one(row: Array, v: float, first: float, purse: Array, hint: float, least: float) -> None:
    """Give a coordinate that is there for the first time its wealth."""
    far = hint * abs(v)
    if far > least and row[WEALTH] == 0.0:
        row[WEALTH], row[SCALE], row[SPENT] = first, 1.0 / far, -2.0 * math.log(first)
        purse[GIVEN] += first


def pay_one(row: Array, w: float, v: float, slope: float, hint: float, least: float) -> None:
    """`pay`, for one coordinate, which may see a value beyond all before."""
    far = hint * abs(v)
    if far <= least:
        return
    if exceeds(far, row[SCALE]):
        row[SCALE] = 1.0 / far
    coin = slope * v
    r = coin * row[SCALE]
    r *= r
    row[SUM] += coin
    row[WEALTH] += coin * w
    row[SPENT] += r
    row[SCALE] *= 1.0 - 0.5 * r


def beginners(wagers: Wagers) -> float:
    """What those begin with who bet for the first time on the last example; then they count as seen."""
    wagers.purse[SEEN] += wagers.purse[NEW]
    wagers.purse[NEW] = 0.0
    return WHOLE / max(1.0, wagers.purse[SEEN])  # type: ignore[no-any-return]


WHOLE = 16.0  # the wealth of the coordinates of the first example together


def weights(wagers: Wagers) -> Array:
    """The weights of each class, the constant's first, for values that are not beyond all before."""
    b = wagers.bets
    q = b[:, :, SCALE]
    return 0.5 * b[:, :, WEALTH] * q * np.clip(b[:, :, SUM] * q, -1.0, 1.0)


def two_sides(bets: Array) -> None:
    """Bets on one class against the other become bets on each of them, of half the wealth."""
    one, other = bets[:2]
    begun = one[:, WEALTH] > 0.0
    one[:, WEALTH] *= 0.5
    one[:, SPENT] += np.where(begun, 2.0 * math.log(2.0), 0.0)
    other[:] = one
    one[:, SUM] *= -1.0


def price(wagers: Wagers, U: Array) -> float:
    """What is promised: the sum of gradients times (score - that of U) is at most this; a row of U a class."""
    b = wagers.bets[:, : U.shape[1]]
    with np.errstate(divide="ignore", invalid="ignore"):
        a = 2.0 * np.where(U == 0.0, 0.0, np.abs(U) / b[:, :, SCALE])
        logarithm = np.log(a) + 0.5 * b[:, :, SPENT] + 0.25
        each = np.where(a > 0.0, a * np.maximum(logarithm - 1.0, 0.0), 0.0)
    each = np.where(b[:, :, WEALTH] > 0.0, each, 0.0)  # a coordinate that never came
    return float(each.sum() + wagers.purse[GIVEN])
