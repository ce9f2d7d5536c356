"""The perceptron that also learns how its examples are spread."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import EVEN, Guarantee, Symbols
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Rate
from ..core.stream import Array
from ..games import Game, Labels, Shape
from .parts.cholesky import add_outer, solve
from .parts.unit_steps import Scales, take_in_value, unseen
from .parts.units import LONG, few

WIDEST = 4096  # coordinates: the state holds their square


class State(NamedTuple):
    A: Array  # upper triangular, with A'A = diag(a) + sum over its updates of z z'
    v: Array  # sum over its updates of y z
    w: Array  # (A'A)^-1 v
    z: Array  # room for an example
    units: Scales  # where features are scaled
    sums: Array  # what else the bound is made of
    logdet: float  # ln det(A'A diag(1/a))
    updates: int


# the largest a; rounds passed over; what was left out of others, and its square
MOST, PASSED, LEFT, LEFT2, SUMS = range(5)


def whitened(s: Symbols) -> Any:
    long = np.sqrt(s.U2) * s.Rinf
    spread = s.a_used * s.U2 + (np.sqrt(s.Q) + np.sqrt(s.left2) * long) ** 2
    return s.passed + s.H + s.left * long + np.sqrt(spread * s.logdet)


T_SECOND = Guarantee(
    "T-PERC-SECOND",
    "the second-order perceptron",
    "updates <= H(u) + sqrt((a |u|^2 + sum_t <u, x_t>^2) ln det(I + S/a)) for every u, S the sum of x x' over its "
    "updates; where features are scaled, a is the largest of theirs, and updates that were passed over and values "
    "that were left out are added",
    "Cesa-Bianchi, Conconi and Gentile 2005, Theorem 3.1 (with the sum over all rounds, which is no smaller); what is "
    "left out: derived here",
    whitened,
    against="linear",
    measures="updates|mistakes",
    assumptions=(EVEN,),
    uses=("H", "U2", "Q", "Rinf"),
)


class SecondOrderPerceptron(Learner[State, Any, float, Outcome]):
    """Predict with the correlation of labels and examples, whitened by the examples that it erred on.

        K^-1 = a I,  v = 0
        each round:  predict sign(v' K x);  on a mistake  v += y x,  K^-1 += x x'

    O(d^2) a round; K^-1 is kept as its Cholesky factor, which rotations update: whatever lengths examples have, it
    stays positive, which the formula of Sherman and Morrison does not see to. Directions in which examples are long
    count less, so the bound depends on how they are spread, not on their largest norm. Where a is left out it is 1.

    With `normalise=True` each feature has its own a, unit^2 times the number of features there, so that predictions
    stay the same when a feature is multiplied by a constant. The unit is that of perceptron: its second largest value
    in the mistakes. A matrix does not fade: the first value of a feature, which may be the extreme one, is left out, a
    mistake with a value more than 8 units long is passed over, and a feature whose first two values turn out to be far
    too large is taken out again.

    >>> learner = SecondOrderPerceptron()
    >>> learner.update([2.0, 0.0], 1).state.w.round(9).tolist()
    [0.4, 0.0]

    Why it holds with z, the example without what is left out: features that are left out have no weight yet, so that
    y v' K z = y v' K x <= 0, and as in the paper  v' K v <= ln det,  <u, v> <= sqrt(u' K^-1 u  v' K v). For an example
    without k of its values |<u, x - z>| <= |u| R sqrt(k), R the largest |x_i|; so y <u, z> is at least 1 less the hinge
    loss of u less that, and the root of the sum of the <u, z>^2 at most that of the <u, x>^2 plus |u| R times the root
    of the sum of the k. A mistake that is passed over is one mistake. A feature that is taken out again has been left
    out all the time: v' K v does not grow by that.

    Cesa-Bianchi, Conconi and Gentile (2005). Ledger: T-PERC-SECOND.
    """

    a: Rate = None
    normalise: bool = False
    intercept: bool = False
    examples = True
    sparse = False
    labels = True
    unscaled = ("a",)
    diagnostics = ("updates", "logdet", "a_used", "passed", "left", "left2")
    smallest = 1e-140
    guarantees = (T_SECOND,)

    def begin(self, shape: Shape) -> State:
        n = shape.n
        if n > WIDEST:
            raise BadInput(
                f"second-order-perceptron keeps {n:,} x {n:,} numbers; it takes up to {WIDEST:,} features"
            )
        a, sums = 0.0 if self.normalise else self.a or 1.0, np.zeros(SUMS)
        sums[MOST] = a
        units = unseen(n if self.normalise else 0)
        return State(
            A=np.eye(n) * math.sqrt(a),
            v=np.zeros(n),
            w=np.zeros(n),
            z=np.zeros(n),
            units=units,
            sums=sums,
            logdet=0.0,
            updates=0,
        )

    def decide(self, state: State, x: Any) -> float:
        score = 0.0
        for i in range(x.shape[0]):
            score += state.w[i] * x[i]
        return score

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if f.y * score > 0.0:
            return state
        A, v, w, z, logdet = state.A, state.v, state.w, state.z, state.logdet
        if not self.normalise:
            for i in range(x.shape[0]):
                z[i] = x[i]
        if not self.normalise or known(state, x):
            for i in range(x.shape[0]):
                v[i] += f.h * f.y * z[i]
                z[i] *= math.sqrt(f.h)
            logdet += add_outer(A, z)
            whiten(A, v, w)
        return State(
            A=A,
            v=v,
            w=w,
            z=z,
            units=state.units,
            sums=state.sums,
            logdet=logdet,
            updates=state.updates + 1,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.updates
        M[1] = state.logdet
        for j in range(SUMS):
            M[2 + j] = state.sums[j]

    def game(self, allocation: bool) -> Game:
        return Labels(1)


def known(state: State, x: Any) -> bool:
    """Let the units take in an example; z is what is left of it without what is new. May it be learned from?

    A feature has its a from the first round that it is learned from.
    """
    u, A, z, sums = state.units, state.A, state.z, state.sums
    present, left, long, wrong = 0, 0, False, False
    for i in range(x.shape[0]):
        if x[i] != 0.0:
            most = u.most[i]
            if take_in_value(u, i, abs(x[i]))[1] > 0.0 and A[i, i] > 0.0:
                forget(A, state.v, z, i, most, sums)
                wrong = True
    if wrong:  # with other weights, it may be no mistake any more
        whiten(A, state.v, state.w)
    for i in range(x.shape[0]):
        z[i] = 0.0
        if x[i] != 0.0:
            present += 1
            if few(u, i):
                left += 1
            else:
                z[i] = x[i]
                long |= abs(x[i] * u.q[i]) > LONG
    if long or wrong or left == present:
        sums[PASSED] += 1.0
        return False
    for i in range(x.shape[0]):
        if z[i] != 0.0 and A[i, i] == 0.0:
            A[i, i] = math.sqrt(present) / abs(u.q[i])
            sums[MOST] = max(sums[MOST], A[i, i] * A[i, i])
    sums[LEFT] += math.sqrt(left)
    sums[LEFT2] += left
    return True


def forget(A: Array, v: Array, z: Array, i: int, most: float, sums: Array) -> None:
    """Leave feature i out of all that was learned: it began with values that were far too large.

    Without column i, A is the factor of A'A without row and column i, but for the order of its rows: row i goes into
    those below it.
    """
    for k in range(i + 1):
        share = A[k, i] / most
        sums[LEFT2] += share * share
        A[k, i] = 0.0
        z[k] = 0.0
    for k in range(i + 1, z.shape[0]):
        z[k] = A[i, k]
        A[i, k] = 0.0
    add_outer(A, z)
    sums[LEFT] += abs(v[i] / most)
    v[i] = 0.0


def whiten(A: Array, v: Array, w: Array) -> None:
    """w = (A'A)^-1 v; 0 for features that have not been met."""
    for k in range(v.shape[0]):
        w[k] = v[k]
    solve(A, w)
