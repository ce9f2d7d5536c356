"""Adaptive regularisation of weights: each weight with a confidence, which says how far it may move."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import EVEN, Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Hinge
from ..core.outcome import Outcome
from ..core.parameters import Bit, Positive
from ..core.stream import Array
from ..core.vectors import dot, index, norm2, size, value
from ..games import Game, Margin, Shape
from .parts.cholesky import add_outer, read_met, solve
from .parts.matrix_units import tighten, trusted
from .parts.units import LONG, Units, cut_to_unit, fit, fits, length, score_cut, unseen

WIDEST = 2048  # coordinates that a full matrix may have
# of the bound with a full matrix: NORMS, the sum of |x|^2 over the updates, and REST, b' A^-1 b; (updates - sum of
# r loss^2/(r + v))/r is the same number as REST, and loses its digits where examples are long and alike
PATH, FIRST, GAIN, LONGEST, NORMS, REST = range(6)


class State(NamedTuple):
    w: Array
    V: Array  # the variance of each weight; empty where the matrix is full
    R: Array  # where it is full, the Cholesky factor of its inverse A = I + sum of x x'/r; else empty
    b: Array  # sum of y x/r: w = A^-1 b
    z: Array  # room for an example
    units: Units
    cross: Array  # what the bound pays for each feature, times |u_i|
    sums: Array  # what else it is made of
    updates: int


def refit(state: State, x: Any) -> float:
    """Take in values that do not fit their units, and keep weights and variances as they are in units; |x|^2 then."""
    w, V, u, sums, n = state.w, state.V, state.units, state.sums, 0.0
    for k in range(size(x)):
        v, i = abs(value(x, k)), index(x, k)
        if v > 0.0 and (u.q[i] < 0.0 or v * u.q[i] > 1.0):
            before, old = abs(u.q[i]), w[i]
            ratio = fit(u, i, v)
            q = abs(u.q[i])
            if ratio == 0.0:
                V[i] = q * q
            elif ratio != 1.0:
                A = 1.0 / V[i]
                V[i] *= ratio * ratio
                if ratio < 1.0:
                    w[i] *= ratio
                    rise = 1.0 / V[i] - A
                    state.cross[i] += (A * abs(old - w[i]) + rise * abs(w[i])) * q
                    sums[PATH] += A * (w[i] * w[i] - old * old) + rise * w[i] * w[i]
                else:
                    sums[FIRST] = max(sums[FIRST], before * before * A)
        if u.most[i] > 0.0:
            z = cut_to_unit(v, u.q[i]) * abs(u.q[i])
            n += z * z
    return n


def progress(s: Symbols) -> Any:
    long = np.sqrt(s.U2) * (s.Rinf if s.normalise else 1.0)
    return s.steepest * long**2 + s.path + 2 * s.cross * long + 2 * s.longest * s.L


def second_order(s: Symbols) -> Any:
    spread = s.U2 * ((s.Rinf**2 if s.normalise else 1.0) + s.spans / s.r)
    return s.H + s.r * np.sqrt(spread * max(s.rest, 0.0))


T_AROW = Guarantee(
    "T-AROW",
    "AROW",
    "updates <= H(u) + sqrt(r |u|^2 + sum <u, x>^2) sqrt(updates - sum r loss^2/(r + v)) for every u, the sums over "
    "the updates, v the variance of the score (with |u| |x| in place of <u, x>); R |u| in place of |u| where features "
    "are scaled, R the largest |x_i|",
    "Crammer, Kulesza and Dredze 2009, theorem 2, before its last step",
    second_order,
    against="linear",
    measures="updates",
    assumptions=(EVEN,),
    when=lambda s: s.full,
    uses=("U2", "H", "r", "spans", "rest"),
)
T_AROW_DIAGONAL = Guarantee(
    "T-AROW-DIAGONAL",
    "progress of AROW with a diagonal matrix",
    "sum over updates of a (2 loss - a v) <= sum_i A_i u_i^2 + sum_i sum_t (rise of A_i) |w_i| (2 |u_i| + |w_i|) "
    "+ 2 sum a loss(u) for every u: a the step, v the variance of the score, A_i = 1/variance of weight i (where "
    "features are scaled, u in their units, and what changes of units cost)",
    "after Crammer, Kulesza and Dredze 2009: lemma 1 of Crammer et al. 2006 in norms that grow",
    progress,
    against="linear",
    measures="gain",
    when=lambda s: not s.full,
    uses=("U2", "L", "steepest", "path", "cross", "longest"),
)


class AROW(Learner[State, Any, float, Outcome]):
    """Keep a variance for each weight: those that are sure stay, those that are not move.

        w = 0,  V = 1
        each round:  predict p = <w, x>;  v = sum_i V_i x_i^2
                     if y p < 1:  a = (1 - y p)/(v + r);  w_i += a y V_i x_i;  V_i = V_i / (1 + V_i x_i^2 / r)

    That is the diagonal form of the rule, O(nonzeros) a round. `full=True` keeps the whole covariance of the weights, I
    at first, which knows which features come together: w += a y K x, K -= K x x' K / (v + r), in O(d^2) a round and
    memory, up to 2,048 coordinates. That is ridge regression on the rounds that it learns from, and computed as such: w
    = A^-1 sum of y x/r with A = I + sum of x x'/r, by the Cholesky factor of A. `normalise=True` scales features as
    they come: in units of their second largest value, longer ones cut, so that variances begin at 1 in these units; a
    full matrix then does not learn from rounds that bring a new feature or an extreme one. An importance h divides r.

    >>> learner = AROW(r=1.0)
    >>> learner.update([2.0, 0.0], 1).state.w.tolist()  # v = 4, a = 1/5
    [0.4, 0.0]

    Crammer, Kulesza and Dredze (2009). Ledger: T-AROW, T-AROW-DIAGONAL.
    """

    r: Positive = 10.0
    full: bool = False
    normalise: bool = False
    zero: Bit = 1
    intercept: bool = False
    examples = True
    labels = True
    diagnostics = ("steepest", "path", "cross", "gain", "longest", "spans", "rest", "updates")
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_AROW, T_AROW_DIAGONAL)

    def begin(self, shape: Shape) -> State:
        n = shape.n
        if self.full and n > WIDEST:
            raise BadInput(
                f"arow: a full matrix over {n:,} coordinates has {n * n:,} numbers; it takes up to {WIDEST:,} "
                "coordinates: leave out full"
            )
        m, first = n if self.full else 0, 0.0 if self.normalise else 1.0
        return State(
            w=np.zeros(n),
            V=np.full(n - m, first),
            R=first * np.eye(m),
            b=np.zeros(m),
            z=np.zeros(m),
            units=unseen(n if self.normalise else 0),
            cross=np.zeros(n - m),
            sums=np.zeros(6),
            updates=0,
        )

    def decide(self, state: State, x: Any) -> float:
        if self.normalise:
            return score_cut(state.w, state.units.q, x, LONG if self.full else 1.0)
        return dot(state.w, x)

    def learn(self, state: State, x: Any, p: float, f: Outcome) -> State:
        if f.y * p >= 1.0:
            return state
        if self.full:
            return self.turn(state, x, f)
        if not self.normalise:
            return self.follow(state, x, 1.0 - f.y * p, f)
        n, odd = fits(state.units.q, x)
        if odd > 0:
            n = refit(state, x)
            p = score_cut(state.w, state.units.q, x)
        short = max(0.0, 1.0 - f.y * p)
        if short == 0.0 or n == 0.0:
            return state
        w, V, q, v, path = state.w, state.V, state.units.q, 0.0, 0.0
        for m in range(size(x)):
            i = index(x, m)
            z = cut_to_unit(value(x, m), q[i]) if odd > 0 else value(x, m)
            v += V[i] * z * z
        a = short / (v + self.r / f.h)
        for m in range(size(x)):
            i = index(x, m)
            z = cut_to_unit(value(x, m), q[i]) if odd > 0 else value(x, m)
            rise = f.h / self.r * z * z
            w[i] += a * f.y * V[i] * z
            V[i] /= 1.0 + V[i] * rise
            state.cross[i] += (rise * abs(w[i]) + a * abs(value(x, m) - z)) * abs(q[i])
            path += rise * w[i] * w[i]
        state.sums[PATH] += path
        return self.counted(state, short, v, a, n, f.h)

    def follow(self, state: State, x: Any, short: float, f: Outcome) -> State:
        """The printed rule, with features as they are."""
        w, V, v, path = state.w, state.V, 0.0, 0.0
        for m in range(size(x)):
            v += V[index(x, m)] * value(x, m) * value(x, m)
        a = short / (v + self.r / f.h)
        for m in range(size(x)):
            i, z = index(x, m), value(x, m)
            rise = f.h / self.r * z * z
            w[i] += a * f.y * V[i] * z
            V[i] /= 1.0 + V[i] * rise
            state.cross[i] += rise * abs(w[i])
            path += rise * w[i] * w[i]
        state.sums[PATH] += path
        return self.counted(state, short, v, a, norm2(x), f.h)

    def turn(self, state: State, x: Any, f: Outcome) -> State:
        """With a full matrix: A += x x'/r, b += y x/r and w = A^-1 b, which is w += a y K x with K = A^-1."""
        w, R, b, z, sums, updates = state.w, state.R, state.b, state.z, state.sums, state.updates
        if not self.normalise or trusted(state.units, x, R, 1.0):
            root = math.sqrt(f.h / self.r)
            read_met(R, x, z)
            for i in range(z.shape[0]):
                z[i] *= root
                b[i] += root * f.y * z[i]
            add_outer(R, z)
            sums[NORMS] += norm2(x)
            updates += 1
        if self.normalise:
            tighten(state.units, x, w, R, z, 1.0)
        for i in range(w.shape[0]):
            w[i] = b[i]
        sums[REST] = solve(R, w)
        return State(
            w=w,
            V=state.V,
            R=R,
            b=b,
            z=z,
            units=state.units,
            cross=state.cross,
            sums=sums,
            updates=updates,
        )

    def counted(self, state: State, short: float, v: float, a: float, n: float, h: float) -> State:
        sums = state.sums
        sums[GAIN] += a * (2.0 * short - a * v)
        sums[LONGEST] = max(sums[LONGEST], a / h)
        sums[NORMS] += n
        return State(
            w=state.w,
            V=state.V,
            R=state.R,
            b=state.b,
            z=state.z,
            units=state.units,
            cross=state.cross,
            sums=sums,
            updates=state.updates + 1,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        steepest = 0.0
        for i in range(state.V.shape[0]):
            if state.V[i] > 0.0:
                q = state.units.q[i] if self.normalise else 1.0
                steepest = max(steepest, q * (q / state.V[i]))
        M[0] = steepest + state.sums[FIRST]
        M[1] = state.sums[PATH]
        M[2] = length(state.cross)
        for j in range(GAIN, REST + 1):
            M[j + 1] = state.sums[j]
        M[7] = state.updates

    def game(self, allocation: bool) -> Game:
        return Margin(Hinge(), self.zero)
