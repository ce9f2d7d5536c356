"""Quantile tracking for groups that overlap: each group gets its own coverage."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.errors import BadInput
from ...core.guarantee import Guarantee, Symbols
from ...core.learner import Learner
from ...core.parameters import Count, Magnitude
from ...core.scratch import Buffer
from ...core.stream import Array
from ...games import Game, Missed, PredictionInterval, Shape
from .misses import THEN, Level, both, is_worse, no_worst, note_worst, noted_then


class State(NamedTuple):
    theta: Array  # 1 + groups: what each group adds to the threshold; the first is the group of all
    rounds: int
    over: float  # the largest E of a group so far, at least 0
    under: float  # the largest -E of a group so far, at least 0
    top: float  # the largest score so far, at least 0
    bottom: float  # the smallest score so far, at most 0
    long: float  # the largest |x|^2 so far, the group of all included
    d: Buffer  # the decision
    worst: Array  # the worst rounds (`misses`)


def root_of_allowed(
    T: float, eta: float, alpha: float, highest: float, lowest: float, long: float
) -> float:
    """The square root of T rounds, each of which makes |theta|^2 larger by at most this."""
    each = 2 * eta * max((1 - alpha) * highest, -alpha * lowest)
    return math.sqrt(T * (each + (eta * max(alpha, 1 - alpha)) ** 2 * long)) / eta


def bound(s: Symbols) -> float:
    return float(root_of_allowed(s.T, s.eta, 1.0 - s.level, s.highest, s.lowest, s.long))


T_GROUP_TRACKER = Guarantee(
    "T-GROUP-TRACKER",
    "quantile tracking for groups",
    "|E_g| <= sqrt(T (2 eta (1 - alpha) B + eta^2 max(alpha, 1 - alpha)^2 X^2)) / eta for every group g after every "
    "round, E_g the sum of x_g (miss - alpha), for scores in [0, B] and memberships with |x|^2 <= X^2 (the group of "
    "all included)",
    "after Gupta, Jung, Noarov, Pai & Roth 2022; E_g = theta_g / eta exactly",
    bound,
    against="none",
    measures="over|under",
    uses=("T", "eta", "level", "highest", "lowest", "long"),
)


class GroupTracker(Learner[State, Any, Array, Missed]):
    """One threshold from what each group of the example adds.

        theta = 0
        each round:  q = theta_0 + sum_g x_g theta_g;  the interval is forecast -+ q;
                     theta_0 += eta (miss - alpha);  theta_g += eta x_g (miss - alpha)

    alpha is 1 - level. An example is a forecast (or a pair), then one number a group: 1 where it belongs to it, 0 where
    not, or a part of 1. Groups may overlap: regions, weekdays, the kind of customer. O(groups) a round.

    >>> learner = GroupTracker(level=0.75, eta=4.0, groups=2)
    >>> learner = learner.update([10.0, 1.0, 0.0], 12.0)  # a miss in the first group
    >>> [learner.predict([10.0, *g]).tolist() for g in ([1.0, 0.0], [0.0, 1.0])]
    [[4.0, 16.0], [7.0, 13.0]]

    Gupta, Jung, Noarov, Pai & Roth (2022); Bastani et al. (2022).
    """

    level: Level = 0.9
    eta: Magnitude = 0.1
    groups: Count = 1
    examples = True
    sparse = False
    guarantees = (T_GROUP_TRACKER,)
    diagnostics = (
        "over",
        "under",
        "highest",
        "lowest",
        "long",
        *noted_then("highest", "lowest", "long"),
    )

    def game(self, allocation: bool) -> Game:
        return PredictionInterval(self.level, self.groups)

    def begin(self, shape: Shape) -> State:
        if shape.n <= self.groups:
            raise BadInput(
                f"group-tracker: an example has {shape.n} numbers; it must have a forecast, then {self.groups} groups"
            )
        theta = np.zeros(self.groups + 1)
        return State(theta, 0, 0.0, 0.0, 0.0, 0.0, 0.0, np.zeros(2), no_worst())

    def decide(self, state: State, x: Any) -> Array:
        G = state.theta.shape[0] - 1
        q, first = state.theta[0], x.shape[0] - G
        for g in range(G):
            q += state.theta[g + 1] * x[first + g]
        return both(state.d, q)  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, d: Array, f: Missed) -> State:
        alpha, missed, score = 1.0 - self.level, max(f.below, f.above), max(f.low, f.high)
        G, over, under, long = state.theta.shape[0] - 1, -math.inf, -math.inf, 1.0
        first = x.shape[0] - G
        for g in range(G + 1):
            v = 1.0 if g == 0 else x[first + g - 1]
            long += v * v if g > 0 else 0.0
            state.theta[g] += self.eta * v * (missed - alpha)
            over = max(over, state.theta[g] / self.eta)
            under = max(under, -state.theta[g] / self.eta)
        T, top, bottom, long = (
            state.rounds + 1,
            max(state.top, score),
            min(state.bottom, score),
            max(state.long, long),
        )
        most = root_of_allowed(T, self.eta, alpha, top, bottom, long)
        for side in range(2):
            E = over if side == 0 else under
            if is_worse(state.worst, side, E - most, E, T):
                state.worst[side, THEN + 1] = top
                state.worst[side, THEN + 2] = bottom
                state.worst[side, THEN + 3] = long
        return State(
            state.theta, T, max(state.over, over), max(state.under, under), top, bottom, long, state.d, state.worst
        )  # fmt: skip

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[2], M[3], M[4] = state.top, state.bottom, state.long
        note_worst(state.worst, M, 5, 4)
