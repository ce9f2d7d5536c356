"""Logistic regression with several classes."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from ..core.numeric import decay
from ..core.outcome import Outcome
from ..core.parameters import Rate
from ..core.scratch import Buffer
from ..core.stream import Array
from ..core.vectors import index, norm2, size, value
from ..games import Classes, Game, Shape
from .multiclass_perceptron import scores
from .parts.units import Units, cut_to_unit, fit, fits, length, unseen

ETA = 0.4  # the rate where none is set, in units of the features, for each class
WAY = 64  # steps that a round of large importance is taken in
ALPHA, PATH, STEPS, FIRST = range(4)
# and where the rate is 1/sqrt(t): what a length of U is multiplied by, |W|^2, updates and rounds so far
CROSS, LENGTH2, UPDATES, ROUNDS = range(4, 8)


class State(NamedTuple):
    W: Array  # a row a feature, a column a class
    s: Buffer  # the scores of the round
    e: Array  # the gradient of the loss in them
    units: Units
    G: Array  # sum of squared gradients of each feature
    A: Array  # 1/rate of each feature
    cross: Array  # what the bound pays for each feature, times |U_i|
    sums: Array  # what else it is made of


def init_state(n: int, k: int, sums: int = 4) -> State:
    """Nothing is known of n features and k classes."""
    return State(
        W=np.zeros((n, k)),
        s=np.zeros(k),
        e=np.zeros(k),
        units=unseen(n),
        G=np.zeros(n),
        A=np.zeros(n),
        cross=np.zeros(n),
        sums=np.zeros(sums),
    )


def paid(state: State, M: Array) -> None:
    """What the bound is made of: alpha, path, steps, cross."""
    M[0] = state.sums[ALPHA] + state.sums[FIRST]
    M[1] = state.sums[PATH]
    M[2] = state.sums[STEPS]
    M[3] = length(state.cross) + (state.sums[CROSS] if state.sums.shape[0] > CROSS else 0.0)


def errors(s: Array, e: Array, y: int) -> float:
    """e_c = P(c) - [c = y], and |e|^2."""
    top, total, square = s[0], 0.0, 0.0
    for c in range(s.shape[0]):
        top = max(top, s[c])
    for c in range(s.shape[0]):
        e[c] = decay(s[c] - top)
        total += e[c]
    for c in range(s.shape[0]):
        e[c] = e[c] / total - (1.0 if c == y else 0.0)
        square += e[c] * e[c]
    return square


def along(s: Array, e: Array, y: int, h: float, m: float) -> tuple[float, float]:
    """Follow the loss for h in small steps: e = the mean gradient, the sum of their squares, and the h that was used.

    Scores move by m times what is added up. A step of 2/m never makes the gradient longer: its derivative is at most
    1/2. After as many as there is time for, little is left to learn, and the rest is left out.
    """
    used, spent = 0.0, 0.0
    for c in range(e.shape[0]):
        e[c] = 0.0
    for _ in range(WAY):
        step, total, top, square = min(h - used, 2.0 / m), 0.0, -np.inf, 0.0
        for c in range(e.shape[0]):
            top = max(top, s[c] - m * e[c])
        for c in range(e.shape[0]):
            total += decay(s[c] - m * e[c] - top)
        for c in range(e.shape[0]):
            g = decay(s[c] - m * e[c] - top) / total - (1.0 if c == y else 0.0)
            square += g * g
            e[c] += step * g
        spent += step * square
        used += step
        if used >= h or square == 0.0:
            break
    for c in range(e.shape[0]):
        e[c] /= used
    return spent, used


def row2(W: Array, i: int) -> float:
    total = 0.0
    for c in range(W.shape[1]):
        total += W[i, c] * W[i, c]
    return total


def refit(state: State, x: Any, slope: float) -> float:
    """Take in values that do not fit their units; |x|^2 in the new ones. Weights shrink as units grow."""
    W, A, u, sums, n = state.W, state.A, state.units, state.sums, 0.0
    for k in range(size(x)):
        v, i = abs(value(x, k)), index(x, k)
        if v > 0.0 and (u.q[i] < 0.0 or v * u.q[i] > 1.0):
            before = abs(u.q[i])
            ratio = fit(u, i, v)
            if (
                ratio > 1.0
            ):  # the first value was too large: its squares count as if it had been cut
                sums[FIRST] = max(sums[FIRST], before * before * A[i])
                A[i] /= ratio * ratio
                state.G[i] /= ratio * ratio
            elif 0.0 < ratio < 1.0:
                length2 = row2(W, i)
                for c in range(W.shape[1]):
                    W[i, c] *= ratio
                length = math.sqrt(length2)
                moved = length * abs(min(v, 1.0 / before) - ratio * cut_to_unit(v, u.q[i]))
                state.cross[i] += A[i] * (1.0 - ratio) * length * abs(u.q[i])
                sums[PATH] += A[i] * (ratio * ratio - 1.0) * length2 + 2.0 * slope * moved
        if u.most[i] > 0.0:
            z = cut_to_unit(v, u.q[i]) * abs(u.q[i])
            n += z * z
    return n


def in_units(state: State, x: Any, h: float, square: float, s: Array, y: int) -> None:
    """A step in units of the features, with a rate for each."""
    W, e, u, sums = state.W, state.e, state.units, state.sums
    slope = h * math.sqrt(square)
    n, odd = fits(u.q, x)
    if odd > 0:
        n = refit(state, x, slope)
    used, squares = h, h * square
    if h > 1.0:
        squares = square
        m = reach(state, x, squares, n)
        if m > 0.0:
            squares = max(square, along(s, e, y, h, m)[0])
            used = along(s, e, y, h, reach(state, x, squares, n))[1]
    lost = (h - used) * math.sqrt(square)
    for k in range(size(x)):
        i, v = index(x, k), value(x, k)
        if v == 0.0 or u.most[i] == 0.0:
            continue
        q, length2 = abs(u.q[i]), row2(W, i)
        if odd > 0:
            v = cut_to_unit(v, u.q[i])
            state.cross[i] += slope * abs(value(x, k) - v) * q
        if lost > 0.0:
            state.cross[i] += lost * abs(v) * q
            sums[PATH] += 2.0 * lost * abs(v) * math.sqrt(length2)
        if state.G[i] == 0.0:
            state.G[i] = 0.5 * v * v * n  # as if half-right once before
        state.G[i] += squares * v * v * n
        A = max(state.A[i], math.sqrt(state.G[i]) / (ETA * e.shape[0] * q))
        state.cross[i] += (A - state.A[i]) * math.sqrt(length2) * q
        sums[PATH] += (A - state.A[i]) * length2
        sums[ALPHA] = max(sums[ALPHA], A * q * q)
        sums[STEPS] += used * used * square * v / A * v
        state.A[i] = A
        for c in range(e.shape[0]):
            W[i, c] -= used * v / A * e[c]


def reach(state: State, x: Any, squares: float, n: float) -> float:
    """sum_i x_i^2 / A_i, at the rates that follow when the squares are added."""
    m, u = 0.0, state.units
    for k in range(size(x)):
        i = index(x, k)
        if value(x, k) != 0.0 and u.most[i] > 0.0:
            v, q = cut_to_unit(value(x, k), u.q[i]), abs(u.q[i])
            G = (state.G[i] if state.G[i] > 0.0 else 0.5 * v * v * n) + squares * v * v * n
            m += v / max(state.A[i], math.sqrt(G) / (ETA * state.e.shape[0] * q)) * v
    return m


def step(state: State, x: Any, eta: float) -> float:
    """W_c -= eta e_c x for every class c; by how much |W|^2 changed."""
    W, e, change = state.W, state.e, 0.0
    for k in range(size(x)):
        i, v = index(x, k), eta * value(x, k)
        if v != 0.0:
            for c in range(e.shape[0]):
                old = W[i, c]
                W[i, c] = old - v * e[c]
                change -= v * e[c] * (old + W[i, c])
    return change


def fall(state: State, x: Any, h: float, square: float) -> None:
    """A step at the rate 1/sqrt(t), and what T-SOFTMAX pays: the rises of 1/rate times |W| and |W|^2 (descent.py)."""
    sums, W = state.sums, state.W
    steep, length2 = math.sqrt(sums[ROUNDS]), sums[LENGTH2]
    rise = steep - sums[ALPHA]
    sums[ALPHA] = steep
    sums[PATH] += rise * length2
    sums[CROSS] += rise * math.sqrt(length2)
    sums[STEPS] += h * h * square * norm2(x) / steep
    length2 += step(state, x, h / steep)
    sums[UPDATES] += 1.0
    if sums[UPDATES] % W.shape[0] == 0.0:  # sums of differences drift: count again
        length2 = 0.0
        for i in range(W.shape[0]):
            length2 += row2(W, i)
    sums[LENGTH2] = max(length2, 0.0)


def promise(s: Symbols) -> Any:
    long = np.sqrt(s.U2) * (s.Rinf if s.in_units else 1.0)
    return (s.alpha * long**2 + s.path + s.steps) / 2 + s.cross * long


T_SOFTMAX = Guarantee(
    "T-SOFTMAX",
    "gradient descent on the log loss of several classes",
    "regret <= |U|^2/(2 eta) + eta sum_t |p_t - e_y|^2 |x_t|^2 / 2 for every matrix U, and |p - e_y|^2 <= 2; where no "
    "rate is set, as T-OGD-ANY at 1/sqrt(t); where features are scaled, with a rate for each, as T-NAG; where classes "
    "are not declared, ln 2 more, and 2 ln t for each that first occurs in round t",
    "Zinkevich 2003; Duchi, Hazan and Singer 2011",
    promise,
    against="linear",
    uses=("U2", "Rinf", "alpha", "path", "steps", "cross"),
)


class Softmax(Learner[State, Any, Array, Outcome]):
    """Predict a probability for each class, and follow the gradient of the log loss.

        each round:  P(c) proportional to exp(<W_c, x>);  W_c -= eta (P(c) - [c = y]) x for every class c

    The loss is -ln P(y). A class that was not declared is charged the probability kept for it, 1/t^2 in round t.
    O(nonzeros times classes) a round. Where eta is left out it is 1/sqrt(t) in round t. `normalise=True` scales
    features as they come: each is taken in units of its second largest value, longer ones are cut, and each has a rate
    of its own, as in `normalized-adaptive`; it takes no eta. Classes and features that come later are simply learned.
    An importance h multiplies the gradient; above 1, with `normalise`, it is as many small steps, until little is left
    to learn.

    >>> learner = Softmax(eta=1.0)
    >>> for x, y in ([1.0, 0.0], "a"), ([0.0, 2.0], "b"):
    ...     learner = learner.update(x, y)
    >>> learner.state.W.tolist()  # with one class there was nothing to learn; then P = 1/2 each
    [[0.0, 0.0], [-1.0, 1.0]]

    Ledger: T-SOFTMAX.
    """

    eta: Rate = None
    normalise: bool = False
    intercept: bool = False
    examples = True
    labels = True
    unscaled = ("eta",)
    diagnostics = ("alpha", "path", "steps", "cross")
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_SOFTMAX,)

    def begin(self, shape: Shape) -> State:
        falls = self.eta is None and not self.normalise
        return init_state(shape.n, shape.classes, 8 if falls else 4)

    def decide(self, state: State, x: Any) -> Array:
        scores(state.W, state.s, x, state.units.q, self.normalise)
        return state.s

    def learn(self, state: State, x: Any, s: Array, f: Outcome) -> State:
        square, falls = errors(s, state.e, int(f.y)), self.eta == 0.0 and not self.normalise
        if falls:
            state.sums[ROUNDS] += 1.0
        if square == 0.0:
            return state
        if self.normalise:
            in_units(state, x, f.h, square, s, int(f.y))
        elif falls:
            fall(state, x, f.h, square)
        else:
            eta: Any = self.eta
            state.sums[ALPHA] = 1.0 / eta
            state.sums[STEPS] += eta * f.h * f.h * square * norm2(x)
            step(state, x, eta * f.h)
        return state

    def write_diagnostics(self, state: State, M: Array) -> None:
        paid(state, M)

    def symbols(self) -> dict[str, Any]:
        return {"in_units": self.normalise}

    def game(self, allocation: bool) -> Game:
        return Classes(True)
