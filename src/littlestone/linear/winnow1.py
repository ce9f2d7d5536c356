"""Winnow1: promotion by doubling, demotion by elimination."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import Guarantee, Symbols
from ..core.stream import Array
from ..core.vectors import dot
from ..games import Game, Labels, Shape
from .parts.realizable import realizable
from .parts.winnowing import ONE_SIZE, Winnowing, lg


class State(NamedTuple):
    w: Array  # 0, or a power of two that is less than twice the threshold
    theta: float  # the threshold
    met: int  # features that are counted in `mass`
    mass: float  # the weight that features brought along, in thresholds
    updates: int


def printed(s: Symbols) -> Any:
    if s.mass == 1.0:
        return 1 + 2 * s.k * lg(s.theta)
    doublings = math.floor(math.log2(s.theta)) + 1 if s.strict else lg(s.theta)
    return 2 * s.k * doublings + s.mass


def sharp(s: Symbols) -> Any:
    c, strict = lg(s.theta), float(s.strict)
    each = strict if s.theta == 1 else 2 * c - 1 + strict * (s.theta == 2**c)
    # where no feature is relevant, all of them together are a false alarm once
    return np.where(np.asarray(s.k) > 0, s.k * each, 1.0 - strict)


T_WINNOW1 = Guarantee(
    "T-WINNOW1",
    "Winnow1",
    "mistakes <= 1 + 2 k ⌈lg d⌉ if a disjunction of k of the d features makes none; with threshold theta "
    "2 k ⌈lg theta⌉ + d / theta",
    "Littlestone 1988",
    printed,
    against="disjunction",
    measures="updates",
    assumptions=(realizable("disjunction"),),
    uses=("k", "theta", "mass"),
)
T_WINNOW1_SHARP = Guarantee(
    "T-WINNOW1-SHARP",
    "Winnow1, counting what irrelevant features weigh",
    "mistakes <= k (2 ⌈lg d⌉ - 1) if a disjunction of k of the d features makes none; "
    "2 k lg d if the sum must exceed d and d is a power of two",
    "derived here, after Littlestone 1988",
    sharp,
    against="disjunction",
    measures="updates",
    assumptions=(realizable("disjunction"), ONE_SIZE),
    uses=("k", "theta"),
)


class Winnow1(Winnowing[State]):
    """Learn a disjunction of a few of many Boolean features; a feature that was on in a false alarm is dropped.

        w = 1, theta = d
        each round:  predict + if <w, x> >= theta
                     on a missed +:  w_i *= 2 for each i that is on;  on a false +:  w_i = 0

    O(nonzeros) a round. `strict` asks for <w, x> > theta. No rounding: only a weight below theta is ever doubled, since
    the sum that missed the threshold holds it, so weights are whole numbers up to 2 theta, and a sum of them is exact,
    or else far beyond theta. A dropped feature never returns: for labels with noise take winnow2. Where features come
    later than the first rows, theta follows the room for them, a power of two. A round of importance h counts as ⌈h⌉
    in a row.

    >>> learner = Winnow1()
    >>> for x, y in ([1, 0, 0], 1), ([1, 0, 1], 1), ([1, 1, 0], 1), ([0, 1, 1], 0):
    ...     learner = learner.update(x, y)
    >>> learner.state.w.tolist()  # 1 < 3: doubled; 2 + 1 and 2 + 1 reach 3; 1 + 1 does not
    [2.0, 1.0, 1.0]

    Littlestone (1988). Ledger: A-WINNOW1; E-W1-TIE, E-W1-HYP; X-WINNOW-TABLES.
    """

    strict: bool = False
    guarantees = (T_WINNOW1, T_WINNOW1_SHARP)

    def begin(self, shape: Shape) -> State:
        return State(np.ones(shape.n), *self.counts(shape))

    def decide(self, state: State, x: Any) -> float:
        return dot(state.w, x) - state.theta

    def errs(self, score: float, y: float) -> bool:
        return (score > 0.0 or (score == 0.0 and not self.strict)) != (y > 0.0)

    def rescale(self, state: State, i: int, y: float) -> bool:
        w, theta = state.w, state.theta
        if w[i] > 0.0 and (y < 0.0 or w[i] < theta or (self.strict and w[i] == theta)):
            w[i] = 2.0 * w[i] if y > 0.0 else 0.0
            return True
        return (
            False  # dropped before; or large enough already, which can be where answers come late
        )

    def counted(self, state: State, met: int, mass: float, updates: int) -> State:
        return State(state.w, state.theta, met, mass, updates)

    def game(self, allocation: bool) -> Game:
        return Labels(0 if self.strict else 1)
