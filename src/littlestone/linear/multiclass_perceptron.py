"""The perceptron with several classes: one vector of weights a class."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Guarantee, Symbols
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.scratch import Buffer
from ..core.stream import Array
from ..core.vectors import index, size, value
from ..games import Classes, Game, Shape
from .parts.units import Units, cut_to_unit, fit, fits, length, unseen


class State(NamedTuple):
    W: Array  # a row a feature, a column a class: an example reads a few rows, each in one piece
    s: Buffer  # the scores of the round
    units: Units
    cross: Array  # what the bound pays for each feature as its unit changes
    updates: int


def scores(W: Array, s: Array, x: Any, q: Array, normalise: bool) -> None:
    """s_c = sum_i W_ic x_i, with x cut to its units where they are used."""
    for c in range(s.shape[0]):
        s[c] = 0.0
    for k in range(size(x)):
        i, v = index(x, k), value(x, k)
        if normalise:
            v = cut_to_unit(v, q[i])
        if v != 0.0:
            for c in range(s.shape[0]):
                s[c] += W[i, c] * v


def rival(s: Array, y: int) -> int:
    """The class with the largest score among all but y, the first of equals; -1 where there is no other."""
    best = -1
    for c in range(s.shape[0]):
        if c != y and (best < 0 or s[c] > s[best]):
            best = c
    return best


def refit(state: Any, x: Any) -> tuple[float, bool]:
    """Take in values that do not fit: |x|^2 in the new units, and did one change? Weights shrink as units grow."""
    W, u, n, changed = state.W, state.units, 0.0, False
    for k in range(size(x)):
        v, i = abs(value(x, k)), index(x, k)
        if v > 0.0 and (u.q[i] < 0.0 or v * u.q[i] > 1.0):
            before = abs(u.q[i])
            ratio = fit(u, i, v)
            if ratio != 0.0 and ratio != 1.0:
                changed, length2 = True, 0.0
                for c in range(W.shape[1]):
                    length2 += (W[i, c] / before) * (W[i, c] / before)
                    W[i, c] *= min(ratio, 1.0)
                part = (1.0 - ratio) * (1.0 + 2.0 * ratio) if ratio < 1.0 else 1.0
                state.cross[i] += part * math.sqrt(length2)
        if u.most[i] > 0.0:
            z = cut_to_unit(v, u.q[i]) * abs(u.q[i])
            n += z * z
    return n, changed


def transfer(state: Any, x: Any, t: float, y: int, r: int, normalise: bool, odd: bool) -> None:
    """W_y += t x and W_r -= t x, in units where they are used."""
    W, q = state.W, state.units.q
    for k in range(size(x)):
        i, v = index(x, k), value(x, k)
        if normalise:
            if odd:
                short = cut_to_unit(v, q[i])
                state.cross[i] += 1.5 * t * abs(v - short) * abs(q[i])  # more than sqrt(2)
                v = short
            v *= q[i] * q[i]
        W[i, y] += t * v
        W[i, r] -= t * v


def span(state: Any, normalise: bool) -> float:
    """|W| in units."""
    total = 0.0
    for i in range(state.W.shape[0]):
        q = abs(state.units.q[i]) if normalise else 1.0
        for c in range(state.W.shape[1]):
            if state.W[i, c] != 0.0:
                total += (state.W[i, c] / q) * (state.W[i, c] / q)
    return math.sqrt(total)


def novikoff(s: Symbols) -> Any:
    return s.H + np.sqrt(s.U2) * (s.Rinf if s.normalise else 1.0) * (s.length + s.cross)


T_MULTI_PERC = Guarantee(
    "T-MULTI-PERC",
    "the perceptron with several classes",
    "updates <= H(U) + |U| |W| for every matrix U, H the multiclass hinge loss and |W| <= sqrt(2 updates) R at the "
    "end: so at most 2 R^2 |U|^2 where every margin is 1 (in units |U| times the largest |x_i|, and what units cost)",
    "Crammer and Singer 2003; Novikoff 1962 in the space of x (e_y - e_r)",
    novikoff,
    against="linear",
    measures="updates",
    assumptions=(EVEN,),
    uses=("U2", "H", "length", "cross"),
)


class MulticlassPerceptron(Learner[State, Any, Array, Outcome]):
    """One vector of weights a class; after a mistake the right one moves towards the example, the other away.

        each round:  predict the class r with the largest <W_r, x>;  if it is wrong:  W_y += x, W_r -= x

    O(nonzeros times classes) a round. A score that only ties with another one counts as a mistake. Classes and features
    that come later are simply learned; while there is one class there is nothing to learn. Features are taken
    as they are; `normalise=True` scales them as they come: in units of their second largest value, longer ones cut, so
    that no scale matters. An importance h multiplies the step.

    >>> learner = MulticlassPerceptron()
    >>> for x, y in ([1.0, 0.0], "a"), ([0.0, 1.0], "b"), ([1.0, 1.0], "c"):
    ...     learner = learner.update(x, y)
    >>> learner.state.W.tolist(), learner.predict([0.0, 1.0])
    ([[0.0, -1.0, 1.0], [-1.0, 0.0, 1.0]], 'c')

    Crammer and Singer (2003). Ledger: T-MULTI-PERC.
    """

    normalise: bool = False
    intercept: bool = False
    examples = True
    labels = True
    diagnostics = ("length", "cross", "updates")
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_MULTI_PERC,)

    def begin(self, shape: Shape) -> State:
        n, classes = shape.n, shape.classes
        return State(np.zeros((n, classes)), np.zeros(classes), unseen(n), np.zeros(n), 0)

    def decide(self, state: State, x: Any) -> Array:
        scores(state.W, state.s, x, state.units.q, self.normalise)
        return state.s

    def learn(self, state: State, x: Any, s: Array, f: Outcome) -> State:
        y = int(f.y)
        r = rival(s, y)
        if r < 0 or s[y] > s[r]:
            return state
        odd = 0
        if self.normalise:
            odd = fits(state.units.q, x)[1]
            if odd > 0:
                refit(state, x)
        transfer(state, x, f.h, y, r, self.normalise, odd > 0)
        return State(state.W, state.s, state.units, state.cross, state.updates + 1)

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = span(state, self.normalise)
        M[1] = length(state.cross)
        M[2] = state.updates

    def game(self, allocation: bool) -> Game:
        return Classes(False)
