"""Winnow2: promotion by doubling, demotion by halving, in exact arithmetic."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.guarantee import EVEN, Guarantee, Symbols
from ..core.stream import Array
from ..core.vectors import dot, index, size, value
from ..games import Game, Labels, Shape
from .parts.realizable import realizable
from .parts.winnowing import ONE_SIZE, Winnowing, lg

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
        top, there = largest_below(e, level, x)
        while level > top:
            if short > rest:
                return -1
            short, level = 2 * short, level - 1
        short -= there
        rest -= there
        if short < 0:
            return 1
    return 0 if short == 0 else -1


def largest_below(e: Integers, level: int, x: Any) -> tuple[int, int]:
    """The largest exponent of the row below a level, and how many features have it."""
    top, there = -(1 << 62), 0
    for j in range(size(x)):
        if value(x, j) != 0.0 and e[index(x, j)] < level:
            if e[index(x, j)] > top:
                top, there = int(e[index(x, j)]), 0
            if e[index(x, j)] == top:
                there += 1
    return top, there


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
    assumptions=(realizable("disjunction"),),
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
    assumptions=(realizable("disjunction"), ONE_SIZE),
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
    assumptions=(EVEN,),
    uses=("k", "A", "theta", "mass"),
)


class Winnow2(Winnowing[State]):
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

    guarantees = (T_WINNOW2, T_WINNOW2_SHARP, T_WINNOW2_NOISE)

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n, np.int64), np.ones(shape.n), *self.counts(shape))

    def decide(self, state: State, x: Any) -> float:
        score = dot(state.w, x) - state.theta
        if abs(score) > 2.3e-16 * (size(x) + 1) * state.theta:  # twice what rounding can do
            return score
        return 1e-300 * compare(state.e, state.theta, x)

    def errs(self, score: float, y: float) -> bool:
        return (score >= 0.0) != (y > 0.0)

    def rescale(self, state: State, i: int, y: float) -> bool:
        step = 1 if y > 0.0 else -1
        if step < 0 or state.w[i] < state.theta:
            state.e[i] += step
            state.w[i] = 2.0 ** float(state.e[i])
            return True
        return False  # the weight is large enough already, which can be where answers come late

    def counted(self, state: State, met: int, mass: float, updates: int) -> State:
        return State(
            e=state.e,
            w=state.w,
            theta=state.theta,
            met=met,
            mass=mass,
            updates=updates,
        )

    def game(self, allocation: bool) -> Game:
        return Labels(1)
