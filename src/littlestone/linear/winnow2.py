"""Winnow2: promotion by doubling, demotion by halving, in exact arithmetic."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.guarantee import Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.stream import Array
from ..core.vectors import dot, index, size, value
from ..games import Game, Labels, Shape
from .winnow1 import ONE_SIZE, Threshold, fits, lg

Integers = NDArray[np.int64]


class State(NamedTuple):
    e: Integers  # the exponents: feature i weighs 2^e_i
    w: Array  # the weights as floats, 0 where an exponent is below their range
    theta: float  # the threshold
    met: int  # features that are counted in `mass`
    mass: float  # the weight that features brought along, in thresholds
    updates: int


def compare(e: Integers, theta: float, x: Any) -> int:
    """The sign of sum_i 2^e_i x_i - theta in whole numbers, for a whole theta; e_i <= 62.

        short = theta - sum of the whole weights;  then level by level, from the largest weight below 1:
        short, in units of the level, less the weights of the level; done when it is negative, or more than
        there are weights left

    A weight left is at most half a unit, so what is still short stays below the number of weights, and never overflows.
    """
    short, rest, level = int(theta), 0, 0
    for j in range(size(x)):
        if value(x, j) != 0.0:
            if e[index(x, j)] >= 0:
                short -= 1 << int(e[index(x, j)])
                if short < 0:
                    return 1
            else:
                rest += 1
    while rest > 0:
        if short == 0:
            return 1
        top, there = -(1 << 62), 0
        for j in range(size(x)):
            if value(x, j) != 0.0 and e[index(x, j)] < level:
                if e[index(x, j)] > top:
                    top, there = int(e[index(x, j)]), 0
                if e[index(x, j)] == top:
                    there += 1
        while level > top:
            if short > rest:
                return -1
            short, level = 2 * short, level - 1
        short -= there
        rest -= there
        if short < 0:
            return 1
    return 0 if short == 0 else -1


def printed(s: Symbols) -> Any:
    return 3 * s.k * (np.log2(s.theta) + 1) + 2 * s.mass


def sharp(s: Symbols) -> Any:
    # where no feature is relevant, all of them together are a false alarm once
    each = 3 * lg(s.theta) - 2 if s.theta > 1 else 0
    return np.where(np.asarray(s.k) > 0, s.k * each + (s.theta > 1), 1.0)


T_WINNOW2 = Guarantee(
    "T-WINNOW2",
    "Winnow2",
    "mistakes <= 3 k (lg n + 1) + 2 if a disjunction of k of the n features makes none; with threshold theta "
    "3 k (lg theta + 1) + 2 n / theta",
    "Littlestone 1988; UCL COMP0078",
    printed,
    against="disjunction",
    measures="updates",
    assumptions=(fits("disjunction"),),
    uses=("k", "theta", "mass"),
)
T_WINNOW2_SHARP = Guarantee(
    "T-WINNOW2-SHARP",
    "Winnow2, counting what irrelevant features weigh",
    "mistakes <= 3 k ⌈lg n⌉ - 2 k + 1 if a disjunction of k of the n >= 2 features makes none",
    "derived here, after Littlestone 1988",
    sharp,
    against="disjunction",
    measures="updates",
    assumptions=(fits("disjunction"), ONE_SIZE),
    uses=("k", "theta"),
)
T_WINNOW2_NOISE = Guarantee(
    "T-WINNOW2-NOISE",
    "Winnow2 with noise",
    "mistakes <= 3 (k ⌈lg theta⌉ + A) + 2 n / theta for every disjunction of k features, where A counts its attribute "
    "errors: 1 for a + on which none of its features is on, j for a - on which j of them are",
    "Littlestone 1991",
    lambda s: 3 * (s.k * lg(s.theta) + s.A * s.passes) + 2 * s.mass,
    against="noisy disjunction",
    measures="updates",
    assumptions=(
        Assumption(
            "every round counts alike",
            lambda s: None if s.even else "rounds have different importance",
        ),
    ),
    uses=("k", "A", "theta", "mass"),
)


class Winnow2(Learner[State, Any, float, Outcome]):
    """Learn a disjunction of a few of many Boolean features, and forgive noise: doubling and halving.

        w = 1, theta = n
        each round:  predict + if <w, x> >= theta
                     on a missed +:  w_i *= 2 for each i that is on;  on a false +:  w_i /= 2

    O(nonzeros) a round. Weights are 2^e_i with whole e_i; where rounding might decide, the sum is compared with theta
    in whole numbers. They cannot overflow: only a weight below theta is ever doubled, since the sum that missed the
    threshold holds it. Where features come later than the first rows, theta follows the room for them, a power of
    two. A round of importance h counts as ⌈h⌉ rounds in a row.

    >>> learner = Winnow2()
    >>> for x, y in ([1, 0, 0, 0], 1), ([1, 1, 0, 0], 1), ([0, 1, 1, 1], 0), ([1, 0, 0, 0], 1):
    ...     learner = learner.update(x, y)
    >>> learner.state.e.tolist()  # 1 and 2 + 1 miss 4; 2 + 1 + 1 is a false alarm; 4 is right
    [2, 0, -1, -1]

    Littlestone (1988). Ledger: A-WINNOW2; T-WINNOW2; E-W2-LOG; X-WINNOW-TABLES.
    """

    threshold: Threshold = None
    intercept: bool = False
    examples = True
    innate = True
    coefficients = None  # its score is what exceeds the threshold
    labels = True
    boolean = True
    noted = ("updates", "theta", "mass")
    guarantees = (T_WINNOW2, T_WINNOW2_SHARP, T_WINNOW2_NOISE)

    def begin(self, shape: Shape) -> State:
        n = shape.features or shape.n  # the features that there are, not the room for more
        theta = float(self.threshold or n)
        return State(np.zeros(shape.n, np.int64), np.ones(shape.n), theta, n, n / theta, 0)

    def grow(self, old: State, new: State, shape: Shape) -> State:
        """Later features weigh 1, and the threshold follows the room for them."""
        new.e[: len(old.e)] = old.e
        new.w[: len(old.w)] = old.w
        theta = float(self.threshold or shape.n)
        return State(new.e, new.w, theta, old.met, old.mass, old.updates)

    def decide(self, state: State, x: Any) -> float:
        score = dot(state.w, x) - state.theta
        if abs(score) > 2.3e-16 * (size(x) + 1) * state.theta:  # twice what rounding can do
            return score
        return 1e-300 * compare(state.e, state.theta, x)

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        theta, met, mass, updates = state.theta, state.met, state.mass, state.updates
        step = 1 if f.y > 0.0 else -1
        left = f.h
        while left > 0.0 and (score >= 0.0) != (f.y > 0.0):
            moved = 0
            for j in range(size(x)):
                i = index(x, j)
                if value(x, j) != 0.0:
                    if i >= met:  # it was not there when the others were counted
                        mass += (i + 1 - met) / theta
                        met = i + 1
                    # where answers come late, a weight may be large enough already
                    if step < 0 or state.w[i] < theta:
                        state.e[i] += step
                        state.w[i] = 2.0 ** float(state.e[i])
                        moved += 1
            updates += 1
            left -= 1.0
            if moved == 0:  # nothing that is on can be changed: it stays wrong
                updates += max(0, math.ceil(left))
                break
            if left > 0.0:
                score = self.decide(state, x)
        return State(state.e, state.w, theta, met, mass, updates)

    def note(self, state: State, M: Array) -> None:
        M[0] = state.updates
        M[1] = state.theta
        M[2] = state.mass

    def game(self, allocation: bool) -> Game:
        return Labels(1)
