"""Winnow1: promotion by doubling, demotion by elimination."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.guarantee import Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Interval
from ..core.stream import Array
from ..core.vectors import dot, index, size, value
from ..games import Game, Labels, Shape

Threshold = Annotated[int | None, Interval(1, 2**40, "[]", True)]  # None: the number of features


class State(NamedTuple):
    w: Array  # 0, or a power of two that is less than twice the threshold
    theta: float  # the threshold
    met: int  # features that are counted in `mass`
    mass: float  # the weight that features brought along, in thresholds
    updates: int


def lg(theta: float) -> int:
    """Doublings that take a weight of 1 to the threshold: lg theta, rounded up."""
    return max(0, math.ceil(math.log2(theta)))


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


def fits(kind: str) -> Assumption:
    """Some rule of this kind makes no mistake in the whole run."""
    return Assumption(
        f"some {kind} makes no mistake",
        lambda s: None if np.isfinite(s.k).all() else "each one makes some",
    )


ONE_SIZE = Assumption(
    "the threshold is the number of features, known from the start",
    lambda s: None if s.mass == 1.0 else f"features brought {s.mass:g} thresholds of weight",
)
T_WINNOW1 = Guarantee(
    "T-WINNOW1",
    "Winnow1",
    "mistakes <= 1 + 2 k ⌈lg d⌉ if a disjunction of k of the d features makes none; with threshold theta "
    "2 k ⌈lg theta⌉ + d / theta",
    "Littlestone 1988",
    printed,
    against="disjunction",
    measures="updates",
    assumptions=(fits("disjunction"),),
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
    assumptions=(fits("disjunction"), ONE_SIZE),
    uses=("k", "theta"),
)


class Winnow1(Learner[State, Any, float, Outcome]):
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
    threshold: Threshold = None
    intercept: bool = False
    examples = True
    innate = True
    coefficients = None  # its score is what exceeds the threshold
    labels = True
    boolean = True
    noted = ("updates", "theta", "mass")
    guarantees = (T_WINNOW1, T_WINNOW1_SHARP)

    def begin(self, shape: Shape) -> State:
        d = shape.features or shape.n  # the features that there are, not the room for more
        theta = float(self.threshold or d)
        return State(np.ones(shape.n), theta, d, d / theta, 0)

    def grow(self, old: State, new: State, shape: Shape) -> State:
        """Later features weigh 1, and the threshold follows the room for them."""
        new.w[: len(old.w)] = old.w
        theta = float(self.threshold or shape.n)
        return State(new.w, theta, old.met, old.mass, old.updates)

    def decide(self, state: State, x: Any) -> float:
        return dot(state.w, x) - state.theta

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        w, theta, met, mass, updates = state.w, state.theta, state.met, state.mass, state.updates
        left = f.h
        while left > 0.0 and (score > 0.0 or (score == 0.0 and not self.strict)) != (f.y > 0.0):
            moved = 0
            for j in range(size(x)):
                i = index(x, j)
                if value(x, j) != 0.0:
                    if i >= met:  # it was not there when the others were counted
                        mass += (i + 1 - met) / theta
                        met = i + 1
                    if w[i] > 0.0 and (
                        f.y < 0.0 or w[i] < theta or (self.strict and w[i] == theta)
                    ):  # where answers come late, a weight may be large enough already
                        w[i] = 2.0 * w[i] if f.y > 0.0 else 0.0
                        moved += 1
            updates += 1
            left -= 1.0
            if moved == 0:  # nothing that is on can be changed: it stays wrong
                updates += max(0, math.ceil(left))
                break
            if left > 0.0:
                score = self.decide(state, x)
        return State(w, theta, met, mass, updates)

    def note(self, state: State, M: Array) -> None:
        M[0] = state.updates
        M[1] = state.theta
        M[2] = state.mass

    def game(self, allocation: bool) -> Game:
        return Labels(0 if self.strict else 1)
