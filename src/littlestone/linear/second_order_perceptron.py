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
    A: Array  # upper triangular, with A'A = diag(a) + sum over its updates of x x'
    v: Array  # sum over its updates of y x
    w: Array  # (A'A)^-1 v
    z: Array  # room for an example
    most: float  # the largest a so far
    logdet: float  # ln det(A'A diag(1/a))
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

    O(d^2) a round; K^-1 is kept as its Cholesky factor, which rotations update: whatever lengths examples have, it
    stays positive, which the formula of Sherman and Morrison does not see to. Directions in which examples are long
    count less, so the bound depends on how they are spread, not on their largest norm. Where a is left unset, each
    feature has its own: its first value in an update, squared, times the number of features there, so that predictions
    stay the same when a feature is multiplied by a constant; the bound has the largest of them.

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
        return State(np.eye(n) * math.sqrt(a), np.zeros(n), np.zeros(n), np.zeros(n), a, 0.0, 0)

    def decide(self, state: State, x: Any) -> float:
        score = 0.0
        for i in range(x.shape[0]):
            score += state.w[i] * x[i]
        return score

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if f.y * score > 0.0:
            return state
        A, v, w, z, most = state.A, state.v, state.w, state.z, state.most
        n, present = x.shape[0], 0
        for i in range(n):
            present += x[i] != 0.0
        for i in range(n):
            if A[i, i] == 0.0 and x[i] != 0.0:
                A[i, i] = math.sqrt(present) * abs(x[i])
                most = max(most, A[i, i] * A[i, i])
            v[i] += f.h * f.y * x[i]
            z[i] = math.sqrt(f.h) * x[i]
        logdet = state.logdet + turned(A, z)
        solved(A, v, w)
        return State(A, v, w, z, most, logdet, state.updates + 1)

    def note(self, state: State, M: Array) -> None:
        M[0] = state.updates
        M[1] = state.logdet
        M[2] = state.most

    def game(self, allocation: bool) -> Game:
        return labels(self, allocation)


def turned(A: Array, z: Array) -> float:
    """The factor of A'A + z z', by a rotation for each row, and how much ln det grew; z is used up."""
    n, grown = z.shape[0], 0.0
    for k in range(n):
        if z[k] != 0.0:
            long, ratio = math.hypot(A[k, k], z[k]), abs(z[k] / A[k, k])
            grown += math.log1p(ratio * ratio) if ratio < 1e100 else 2.0 * math.log(ratio)
            c, s = A[k, k] / long, z[k] / long
            A[k, k] = long
            for i in range(k + 1, n):
                t = A[k, i]
                A[k, i] = c * t + s * z[i]
                z[i] = c * z[i] - s * t
    return grown


def solved(A: Array, v: Array, w: Array) -> None:
    """w with A'A w = v, and 0 for features that have not been met."""
    n = v.shape[0]
    for k in range(n):
        w[k] = v[k]
    for k in range(n):
        if A[k, k] > 0.0:
            w[k] /= A[k, k]
            for i in range(k + 1, n):
                w[i] -= A[k, i] * w[k]
    for m in range(n):
        k = n - 1 - m
        if A[k, k] > 0.0:
            rest = w[k]
            for i in range(k + 1, n):
                rest -= A[k, i] * w[i]
            w[k] = rest / A[k, k]
