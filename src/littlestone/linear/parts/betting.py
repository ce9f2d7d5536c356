"""Gradient descent without a rate: each feature bets a share of its wealth on the sign of its next gradient.

    wealth_i = wealth / sqrt(nonzeros), theta_i = 0, S_i = 1
    each round:  predict <w, x>, w_i = wealth_i bet(theta_i, S_i) / unit_i
                 coin_i = -loss' x_i / unit_i, cut to [-1, 1];  wealth_i += coin_i w_i unit_i
                 theta_i += coin_i;  S_i += coin_size(coin_i)

A learner says which share of its wealth a feature bets, and how S counts a coin.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import Symbols
from ...core.learner import Learner
from ...core.losses import Loss
from ...core.outcome import Outcome
from ...core.parameters import Bit, Positive
from ...core.stream import Array
from ...core.vectors import index, size, value
from ...games import Game, Shape
from .implicit import ABSOLUTE, HINGE, LOGISTIC, PERCEPTRON, PINBALL, classifies, kind
from .rates import scored
from .units import Units, fit, length, score_cut, second, unseen

LOSSES = (HINGE, LOGISTIC, PERCEPTRON, ABSOLUTE, PINBALL)  # slopes of at most 1
START, LEAST, REACH, LOST = range(4)


class State(NamedTuple):
    w: Array  # bet over unit
    theta: Array  # the sum of the coins, in the last unit
    S: Array  # 1 + the sum of their sizes (or squares); 0 where the feature has not been seen
    W: Array  # wealth
    units: Units
    cross: Array  # what the bound pays for each feature, times |u_i|
    sums: Array  # the other terms of the bound
    weight: float  # the unit of importances: 1, or more once an importance above 1 was seen
    low: float  # the unit of the outcomes, where they are numbers, and the largest of them
    most: float
    numbers: bool


class Betting(Learner[State, Any, float, Outcome], abstract=True):
    """What coin-betting and scale-free share: everything but `bet` and `coin_size`."""

    loss: Loss | str = "logistic"
    wealth: Positive
    zero: Bit = 1
    intercept: bool = False
    examples = True
    diagnostics = ("start", "least", "reach", "lost", "total", "top", "cross")

    @property
    def labels(self) -> bool:  # type: ignore[override]
        return classifies(self.loss)

    def begin(self, shape: Shape) -> State:
        kind(self.loss, self.key, LOSSES)
        n, numbers = shape.n, not classifies(self.loss)
        return State(
            w=np.zeros(n),
            theta=np.zeros(n),
            S=np.zeros(n),
            W=np.zeros(n),
            units=unseen(n),
            cross=np.zeros(n),
            sums=np.zeros(4),
            weight=1.0,
            low=0.0 if numbers else 1.0,
            most=0.0,
            numbers=numbers,
        )

    def decide(self, state: State, x: Any) -> float:
        return score_cut(state.w, state.units.q, x)

    def bet(self, theta: float, S: float) -> float:
        """The share of its wealth that a feature bets."""
        raise NotImplementedError

    def coin_size(self, coin: float) -> float:
        """What a coin adds to S."""
        raise NotImplementedError

    def learn(self, state: State, x: Any, p: float, f: Outcome) -> State:
        """Pay the bets of the round, let units grow, and place the next bets.

        A coin is -g h x_i over the units of x_i and h, cut to [-1, 1]. When a unit grows the sum of the coins shrinks
        by the same factor, so that sum times unit stays the sum of the gradients; no wealth is lost by that.
        """
        g = self.loss.slope(p, f.y)  # type: ignore[union-attr]
        if g == 0.0:
            return state
        w, theta, S, W, u, sums = state.w, state.theta, state.S, state.W, state.units, state.sums
        low, most, weight = state.low, state.most, state.weight
        if state.numbers:
            low, most = second(low, most, abs(f.y))
        start = self.wealth * max(low, 0.0) / math.sqrt(max(1, count_nonzeros(x)))
        h = f.h / weight
        for k in range(size(x)):
            i, v = index(x, k), value(x, k)
            fresh = u.most[i] == 0.0
            if v == 0.0 or (fresh and fit(u, i, abs(v)) == 1.0):  # zero, or too small to count
                continue
            q = abs(u.q[i])
            if W[i] == 0.0 and start > 0.0:
                S[i], W[i] = 1.0, start
                note_first_wealth(sums, start)
            # before there is wealth (the first outcome that is a number only sets their unit) there is no bet
            z = min(h, 1.0) * max(-1.0, min(1.0, v * q)) if W[i] > 0.0 else 0.0
            state.cross[i] += abs(g) * abs(h * v * q - z)
            sums[LOST] += max(h - 1.0, 0.0) * abs(g) * weight * abs(w[i]) * min(abs(v), 1.0 / q)
            coin = -g * z
            W[i] += coin * (weight * w[i] / q)
            theta[i] += coin
            S[i] += self.coin_size(coin)
            if not fresh and (u.q[i] < 0.0 or abs(v) * q > 1.0):
                change_unit(state, i, abs(v))
            sums[REACH] = max(sums[REACH], u.most[i])
            if W[i] > 0.0:
                w[i] = W[i] * self.bet(theta[i], S[i]) * abs(u.q[i]) / weight
        if f.h > weight:
            weight = self.take_heavier(state, min(f.h, 2.0 * weight))
        return State(
            w=w,
            theta=theta,
            S=S,
            W=W,
            units=u,
            cross=state.cross,
            sums=sums,
            weight=weight,
            low=low,
            most=most,
            numbers=state.numbers,
        )

    def take_heavier(self, state: State, heavier: float) -> float:
        """Place the bets again in a larger unit of importance, which is returned."""
        w, theta, weight = state.w, state.theta, state.weight
        for i in range(w.shape[0]):
            if state.W[i] > 0.0:
                theta[i] *= weight / heavier
                w[i] = state.W[i] * self.bet(theta[i], state.S[i]) * abs(state.units.q[i]) / heavier
        return heavier

    def write_diagnostics(self, state: State, M: Array) -> None:
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

    def game(self, allocation: bool) -> Game:
        kind(self.loss, self.key, LOSSES)
        return scored(self, self.zero)


def change_unit(state: State, i: int, size: float) -> None:
    """Let the unit of a feature follow a value of this size."""
    ratio = fit(state.units, i, size)
    if ratio > 1.0:  # the first value was too large: the coin it made counts less
        state.cross[i] += abs(state.theta[i]) * (1.0 - 1.0 / ratio)
    else:
        state.theta[i] *= ratio


def count_nonzeros(x: Any) -> int:
    """How many values of an example are not 0?"""
    nonzeros = 0
    for k in range(size(x)):
        nonzeros += value(x, k) != 0.0
    return nonzeros


def note_first_wealth(sums: Array, start: float) -> None:
    """The sum of first wealths, and the least of them, with one more."""
    sums[START] += start
    sums[LEAST] = start if sums[LEAST] == 0.0 else min(sums[LEAST], start)


def spread(s: Symbols) -> Any:
    """At least sum_i |u_i| unit_i sqrt(S_i)."""
    return s.reach * np.minimum(np.sqrt(s.U2 * s.total), s.U1 * np.sqrt(s.top))
