"""Coin betting: gradient descent without a rate, as a gambler who bets on the sign of each gradient."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.outcome import Outcome
from ..core.parameters import Bit, Positive
from ..core.stream import Array
from ..core.vectors import index, size, value
from ..games import Game, Shape
from .parts.implicit import ABSOLUTE, HINGE, LOGISTIC, PERCEPTRON, PINBALL, classifies, kind
from .parts.rates import scored
from .parts.units import Units, fit, length, read, second, unseen

LOSSES = (HINGE, LOGISTIC, PERCEPTRON, ABSOLUTE, PINBALL)  # slopes of at most 1
START, LEAST, REACH, LOST = range(4)


class State(NamedTuple):
    w: Array  # bet over unit
    theta: Array  # the sum of the coins, in the last unit
    S: Array  # 1 + the sum of their sizes (or squares); 0 where the feature has not been seen
    W: Array  # wealth
    units: Units
    cross: Array  # what the bound pays for each feature, times |u_i|
    sums: Array  # what else it is made of
    weight: float  # the unit of importances: 1, and more where they are
    low: float  # the unit of the outcomes, where they are numbers, and the largest of them
    most: float
    numbers: bool


def begun(n: int, loss: Any) -> State:
    numbers = not classifies(loss)
    return State(
        np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), unseen(n), np.zeros(n), np.zeros(4),
        1.0, 0.0 if numbers else 1.0, 0.0, numbers,
    )  # fmt: skip


def gamble(state: State, x: Any, f: Outcome, g: float, wealth: float, squared: bool) -> State:
    """Settle the bets of a round, let units grow, and place the next ones.

    A coin is -g h x_i over the units of x_i and h, cut to [-1, 1]. When a unit grows the sum of the coins shrinks with
    it, so that sum times unit stays the sum of the gradients; no wealth is lost by that.
    """
    w, theta, S, W, u, sums = state.w, state.theta, state.S, state.W, state.units, state.sums
    low, most, weight = state.low, state.most, state.weight
    if state.numbers:
        low, most = second(low, most, abs(f.y))
    some = 0
    for k in range(size(x)):
        some += value(x, k) != 0.0
    start, h = wealth * max(low, 0.0) / math.sqrt(max(1, some)), f.h / weight
    for k in range(size(x)):
        i, v = index(x, k), value(x, k)
        fresh = u.most[i] == 0.0
        if v == 0.0 or (fresh and fit(u, i, abs(v)) == 1.0):  # nothing, or too small to be there
            continue
        q = abs(u.q[i])
        if W[i] == 0.0 and start > 0.0:
            S[i], W[i] = 1.0, start
            sums[START] += start
            sums[LEAST] = start if sums[LEAST] == 0.0 else min(sums[LEAST], start)
        # before there is wealth (the first outcome that is a number only sets their unit) nothing is at stake
        z = min(h, 1.0) * max(-1.0, min(1.0, v * q)) if W[i] > 0.0 else 0.0
        state.cross[i] += abs(g) * abs(h * v * q - z)
        sums[LOST] += max(h - 1.0, 0.0) * abs(g) * weight * abs(w[i]) * min(abs(v), 1.0 / q)
        coin = -g * z
        W[i] += coin * (weight * w[i] / q)
        theta[i] += coin
        S[i] += coin * coin if squared else abs(coin)
        if not fresh and (u.q[i] < 0.0 or abs(v) * q > 1.0):
            ratio = fit(u, i, abs(v))
            if ratio > 1.0:  # the first value was too large: the coin it made counts less
                state.cross[i] += abs(theta[i]) * (1.0 - 1.0 / ratio)
            else:
                theta[i] *= ratio
        sums[REACH] = max(sums[REACH], u.most[i])
        if W[i] > 0.0:
            w[i] = W[i] * fraction(theta[i], S[i], squared) * abs(u.q[i]) / weight
    if f.h > weight:
        heavier = min(f.h, 2.0 * weight)
        for i in range(w.shape[0]):
            if W[i] > 0.0:
                theta[i] *= weight / heavier
                w[i] = W[i] * fraction(theta[i], S[i], squared) * abs(u.q[i]) / heavier
        weight = heavier
    return State(w, theta, S, W, u, state.cross, sums, weight, low, most, state.numbers)


def fraction(theta: float, S: float, squared: bool) -> float:
    """The share of the wealth that is bet: theta/S, or half of theta/S cut to at most 1/sqrt(S)."""
    if not squared:
        return theta / S
    root = math.sqrt(S)
    return 0.5 * max(-1.0, min(1.0, theta / root)) / root


def written(state: State, M: Array) -> None:
    """start, least, reach, lost, total, top, cross."""
    total, top = 0.0, 0.0
    for i in range(state.S.shape[0]):
        total += state.S[i]
        top = max(top, state.S[i])
    M[0] = state.sums[START]
    M[1] = state.sums[LEAST]
    M[2] = state.sums[REACH] * state.weight
    M[3] = state.sums[LOST]
    M[4] = total
    M[5] = top
    M[6] = length(state.cross)


NOTED = ("start", "least", "reach", "lost", "total", "top", "cross")


def spread(s: Symbols) -> Any:
    """sum_i |u_i| unit_i sqrt(S_i), or more."""
    return s.reach * np.minimum(np.sqrt(s.U2 * s.total), s.U1 * np.sqrt(s.top))


def no_rate(s: Symbols) -> Any:
    long = s.reach * np.sqrt(s.U2)
    if not s.least > 0:
        return s.lost + s.cross * long
    sharp = np.sqrt(np.log1p(np.pi / 2 * (s.top / s.least * long) ** 2))
    return s.start + spread(s) * sharp + s.lost + s.cross * long


T_COIN = Guarantee(
    "T-COIN",
    "coin betting, feature by feature",
    "regret <= sum_i e_i + |v_i| sqrt(S_i ln(1 + (pi/2) (S_i v_i / e_i)^2)) for every u, with v_i = u_i unit_i, e_i "
    "the first wealth of feature i and S_i = 1 + the sum of |gradient_i| / unit_i (and |v_i| for what was cut)",
    "Orabona and Pal 2016, with coins of any size; the potential is that of Krichevsky and Trofimov 1981",
    no_rate,
    against="linear",
    uses=("U2", "U1", "start", "least", "reach", "total", "top", "lost", "cross"),
)


class CoinBetting(Learner[State, Any, float, Outcome]):
    """Gradient descent without a rate: each feature is a gambler who bets on the sign of its next gradient.

        wealth_i = wealth / sqrt(nonzeros), theta_i = 0, S_i = 1
        each round:  predict <w, x>, w_i = wealth_i theta_i / (S_i unit_i)
                     coin_i = -loss' x_i / unit_i, cut to [-1, 1]
                     wealth_i += coin_i theta_i wealth_i / S_i;  theta_i += coin_i;  S_i += |coin_i|

    O(nonzeros) a round. A gambler who is right grows rich exponentially, so the weights reach any size in a few rounds.
    Units are second largest values: an example of any length is a coin of size 1, and no unit remembers it. Losses
    whose slope is at most 1: hinge, logistic, perceptron; absolute and pinball for numbers, whose wealth is in units of
    theirs. An importance h multiplies the coin; above 1 it becomes the unit of later ones.

    >>> learner = CoinBetting(loss="hinge", wealth=1.0)
    >>> for _ in range(2):
    ...     learner = learner.update([1.0], 1)
    >>> learner.state.W.tolist(), learner.state.w.tolist()  # it bet half of 1, then 2/3 of 3/2
    ([1.5], [1.0])

    Why it holds: with P and N the sums of the coins that were heads and tails, wealth stays at least
    e 2^(P+N) B(P + 1/2, N + 1/2) / pi, also for coins between -1 and 1, because that is convex in the size of a coin
    and attained at 0 and 1. Orabona and Pal (2016); Orabona and Tommasi (2017). Ledger: T-COIN.
    """

    loss: Loss | str = "logistic"
    wealth: Positive = 3.0
    zero: Bit = 1
    intercept: bool = False
    examples = True
    noted = NOTED
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_COIN,)

    @property
    def labels(self) -> bool:  # type: ignore[override]
        return classifies(self.loss)

    def begin(self, shape: Shape) -> State:
        kind(self.loss, self.key, LOSSES)
        return begun(shape.n, self.loss)

    def decide(self, state: State, x: Any) -> float:
        return read(state.w, state.units.q, x)

    def learn(self, state: State, x: Any, p: float, f: Outcome) -> State:
        g = self.loss.slope(p, f.y)  # type: ignore[union-attr]
        return state if g == 0.0 else gamble(state, x, f, g, self.wealth, False)

    def note(self, state: State, M: Array) -> None:
        written(state, M)

    def game(self, allocation: bool) -> Game:
        kind(self.loss, self.key, LOSSES)
        return scored(self, self.zero)
