"""The perceptron that also learns how its examples are spread."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.games import Game, Shape
from ..core.guarantee import Guarantee
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Rate
from ..core.stream import Array
from .perceptron import EVEN, labels

WIDEST = 4096  # coordinates: the state holds their square


class State(NamedTuple):
    K: Array  # the inverse of a I + sum over its updates of x x'
    v: Array  # sum over its updates of y x
    w: Array  # K v
    z: Array  # K x of the round
    a: float  # the first a; 0 before the first example that is not 0
    logdet: float  # ln det(K^-1 / a)
    updates: int


T_SECOND = Guarantee(
    "T-PERC-SECOND",
    "the second-order perceptron",
    "updates <= H(u) + sqrt((a |u|^2 + sum_t <u, x_t>^2) ln det(I + S/a)) for every u, "
    "S the sum of x x' over its updates",
    "Cesa-Bianchi, Conconi and Gentile 2005, Theorem 3.1 (with the sum over all rounds, which is no smaller)",
    lambda s: s.H + np.sqrt((s.a_used * s.U2 + s.Q) * s.logdet),
    against="linear",
    measures="updates|mistakes",
    assumptions=(EVEN,),
    uses=("H", "U2", "Q"),
)


class SecondOrderPerceptron(Learner[State, Any, float, Outcome]):
    """Predict with the correlation of labels and examples, whitened by the examples that it erred on.

        K^-1 = a I,  v = 0
        each round:  predict sign(v' K x);  on a mistake  v += y x,  K^-1 += x x'

    O(d^2) a round; K is kept by the formula of Sherman and Morrison. Directions in which examples are long count less,
    so the bound depends on how they are spread, not on their largest norm. a left unset is |x|^2 of the first example.

    >>> learner = SecondOrderPerceptron(a=1.0)
    >>> learner.update([2.0, 0.0], 1).state.w.round(9).tolist()
    [0.4, 0.0]

    Cesa-Bianchi, Conconi and Gentile (2005). Ledger: T-PERC-SECOND.
    """

    a: Rate = None
    intercept: bool = False
    examples = True
    sparse = False
    labels = True
    noted = ("updates", "logdet", "a_used")
    guarantees = (T_SECOND,)

    def begin(self, shape: Shape) -> State:
        n = shape.n
        if n > WIDEST:
            raise BadInput(
                f"second-order-perceptron keeps {n:,} x {n:,} numbers; it takes up to {WIDEST:,} features"
            )
        a = 0.0 if self.a is None else self.a
        K = np.eye(n) / a if a else np.eye(n)
        return State(K, np.zeros(n), np.zeros(n), np.zeros(n), a, 0.0, 0)

    def decide(self, state: State, x: Any) -> float:
        score = 0.0
        for i in range(x.shape[0]):
            score += state.w[i] * x[i]
        return score

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if f.y * score > 0.0:
            return state
        K, v, w, z, a = state.K, state.v, state.w, state.z, state.a
        n = x.shape[0]
        top = 0.0
        for i in range(n):
            top = max(top, abs(x[i]))
        if top == 0.0:
            return State(K, v, w, z, a, state.logdet, state.updates + 1)
        if a == 0.0:
            for i in range(n):
                a += x[i] * x[i]
            if a == 0.0:  # too small to square
                return State(K, v, w, z, 0.0, state.logdet, state.updates + 1)
            for i in range(n):
                K[i, i] = 1.0 / a
        spread = 0.0
        for i in range(n):
            z[i] = 0.0
            for j in range(n):
                z[i] += K[i, j] * x[j]
            spread += x[i] * z[i]
        spread = max(spread, 0.0) * f.h
        c = f.h / (1.0 + spread)
        for i in range(n):
            v[i] += f.h * f.y * x[i]
            for j in range(n):
                K[i, j] -= c * z[i] * z[j]
        for i in range(n):
            w[i] = 0.0
            for j in range(n):
                w[i] += K[i, j] * v[j]
        return State(K, v, w, z, a, state.logdet + math.log1p(spread), state.updates + 1)

    def note(self, state: State, M: Array) -> None:
        M[0] = state.updates
        M[1] = state.logdet
        M[2] = state.a

    def game(self, allocation: bool) -> Game:
        return labels(self, allocation)
