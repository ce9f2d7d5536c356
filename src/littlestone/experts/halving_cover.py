"""Halving over a cover of the sphere: linear separators with a margin, known or guessed."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from ..core.errors import BadInput, NotRealizable
from ..core.guarantee import SAME_IMPORTANCE, Assumption, Guarantee
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Bit, Interval
from ..core.stream import Array
from ..core.vectors import dot
from ..games import Game, Labels, Shape

LIMIT = 10_000_000  # numbers that a cover may hold


class State(NamedTuple):
    W: Array  # the cover, a direction a row; the first `alive` have been right in every round of this phase
    alive: int
    gamma: float  # the margin of this phase
    bits: float  # lg |W|, added up over the phases
    phases: int


def cells(d: int, gamma: float) -> int:
    """Along each axis of a face of the cube: then no point of it is farther than gamma/2 from a cell's centre."""
    return math.ceil(2.0 * math.sqrt(d - 1.0) / gamma)


def points(d: int, gamma: float) -> float:
    """The size of the cover; anything above LIMIT where it is larger than that."""
    if d == 1:
        return 2.0
    if d == 2:
        return float(math.ceil(math.pi / (2.0 * math.asin(gamma / 4.0))))
    size = 2.0 * d
    for _ in range(d - 1):
        if size <= LIMIT:
            size *= cells(d, gamma)
    return size


def cover(d: int, gamma: float) -> Array:
    """Unit vectors such that every unit vector is within gamma/2 of one of them.

    On the circle equal angles; beyond, the centres of equal cells on the faces of the cube [-1, 1]^d, drawn to the
    sphere along their rays: nothing outside a ball moves apart when it is projected onto it.

    >>> [len(cover(2, gamma)) for gamma in (0.5, 0.2, 0.05)]
    [13, 32, 126]
    """
    size = int(points(d, gamma))
    W = np.ones((size, d))
    if d == 1:
        W[0, 0] = -1.0
    elif d == 2:
        for j in range(size):
            W[j, 0] = math.cos(2.0 * math.pi * j / size)
            W[j, 1] = math.sin(2.0 * math.pi * j / size)
    else:
        m = cells(d, gamma)
        for j in range(size):
            face, cell, norm2 = j % (2 * d), j // (2 * d), 0.0
            for i in range(d):
                if i == face // 2:
                    W[j, i] = 1.0 if face % 2 == 1 else -1.0
                else:
                    W[j, i] = (2 * (cell % m) + 1) / m - 1.0
                    cell //= m
                norm2 += W[j, i] * W[j, i]
            for i in range(d):
                W[j, i] /= math.sqrt(norm2)
    return W


def side(W: Array, j: int, x: Array) -> float:
    return 1.0 if dot(W[j], x) >= 0.0 else 0.0


ALIVE = Assumption(
    "y <u, x> >= gamma |x| > 0 for a unit vector u, so some direction of the cover makes no mistake",
    lambda s: None if s.alive >= 1 else "none is left",
)
T_COVER = Guarantee(
    "T-HALVING-COVER",
    "halving over a cover of the sphere",
    "mistakes <= lg |W| where W is a gamma/2-cover of the sphere",
    "notes, comparison of halving with the perceptron",
    lambda s: s.bits,
    against="none",
    measures="mistakes",
    assumptions=(ALIVE, SAME_IMPORTANCE),
    uses=("bits",),
    when=lambda s: bool(s.gamma > 0),
)
T_GUESS = Guarantee(
    "A-GAMMA-GUESS",
    "halving with a guessed margin",
    "mistakes <= sum over the phases of (lg |W_j| + 1), less 1 for the last, which has not failed; "
    "the margin gamma ends them after ceil(lg(1/gamma)) + 1 phases",
    "notes, comparison of halving with the perceptron",
    lambda s: s.bits + s.phases - 1,
    against="none",
    measures="mistakes",
    assumptions=(ALIVE, SAME_IMPORTANCE),
    uses=("bits", "phases"),
    when=lambda s: not s.gamma > 0,
)


class HalvingCover(Learner[State, Array, float, Outcome]):
    """Predict with the majority of those directions of a cover of the sphere that have never erred.

        W = unit vectors, one within gamma/2 of every unit vector
        each round:  predict 1 if most w in W have <w, x> >= 0, else 0;  remove from W those that erred

    O(d) a direction left and round; there are about (4/gamma)^(d-1) of them, so it is for a few features. Only the
    direction of x matters: the margin gamma is that of x / |x|. Left unset, gamma is guessed: 1, and half of it each
    time that no hypothesis is left; then all begin anew. A tie goes to the label `tie`.

    >>> learner = HalvingCover(gamma=0.5)
    >>> learner.update([1.0, 0.0], 1).update([0.0, 1.0], 1).state.alive
    4

    Ledger: A-HALVING-COVER, A-GAMMA-GUESS; E-COVER.
    """

    gamma: Annotated[float | None, Interval(0.0, 1.0, "(]")] = None
    tie: Bit = 1
    examples = True
    sparse = False
    fixed = False
    labels = True
    diagnostics = ("alive", "bits", "phases")
    guarantees = (T_COVER, T_GUESS)

    def begin(self, shape: Shape) -> State:
        gamma = 1.0 if self.gamma is None else self.gamma
        size = points(shape.n, gamma)
        if size * shape.n > LIMIT:
            raise BadInput(
                f"halving-cover: a cover for {shape.n} features at gamma={gamma:g} has more than "
                f"{LIMIT // shape.n:,} directions: choose a larger gamma or fewer features"
            )
        return State(cover(shape.n, gamma), int(size), gamma, math.log2(size), 1)

    def decide(self, state: State, x: Array) -> float:
        score = 0.0
        for j in range(state.alive):
            score += 2.0 * side(state.W, j, x) - 1.0
        return score

    def learn(self, state: State, x: Array, score: float, f: Outcome) -> State:
        y = 0.5 * (f.y + 1.0)
        W, right = state.W, 0
        while right < state.alive and side(W, right, x) != y:
            right += 1
        if right == state.alive:
            return self.finer(state)
        left = 0
        for j in range(right, state.alive):
            if side(W, j, x) == y:
                for i in range(W.shape[1]):
                    W[left, i] = W[j, i]
                left += 1
        return State(W, left, state.gamma, state.bits, state.phases)

    def finer(self, state: State) -> State:
        """No hypothesis is left: begin anew at half the margin, if the margin is a guess."""
        if self.gamma > 0.0:  # type: ignore[operator]
            raise NotRealizable(
                "no direction of the cover is right in every round: the margin is smaller than gamma"
            )
        d, gamma = state.W.shape[1], state.gamma / 2.0
        size = points(d, gamma)
        if size * d > LIMIT:
            raise NotRealizable(
                "the margin is too small to be guessed, or there is none: the next cover would be too large"
            )
        return State(
            cover(d, gamma), int(size), gamma, state.bits + math.log2(size), state.phases + 1
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.alive
        M[1] = state.bits
        M[2] = state.phases

    def game(self, allocation: bool) -> Game:
        return Labels(self.tie)
