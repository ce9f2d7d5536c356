"""FTRL-proximal: adaptive gradient descent whose weights are exactly 0 until there is evidence."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.outcome import Outcome
from ..core.parameters import Bit, Interval, Rate
from ..core.stream import Array
from ..core.vectors import dot, index, size, value
from ..games import Game, Shape
from .parts.implicit import PERCEPTRON, SQUARE, aware, classifies, kind, steepest
from .parts.rates import scored, unset, usual
from .parts.units import Units, cut_to_unit, fit, fits, length, score_cut, second, unseen

AtLeast0 = Annotated[float, Interval(0.0, math.inf, "[)")]
ALPHA, PATH, STEPS, FALLS, LEVEL = range(5)
RATE = 1.0  # alpha, where it is not set


class State(NamedTuple):
    w: Array
    z: Array  # sum of gradients, less what the proximal terms pull back
    A: Array  # 1/rate of each feature
    G: Array  # sum of its squared gradients
    units: Units
    cross: Array  # what the bound pays for each feature, times |u_i|
    sums: Array  # what else it is made of
    which: int
    low: float  # the unit of the outcomes, where they are numbers, and the largest of them
    most: float


def shrunk(z: float, A: float, l1: float, l2: float) -> float:
    """The w that minimises z w + A w^2 / 2 + l1 |w| + l2 w^2 / 2."""
    if abs(z) <= l1:
        return 0.0
    return -(z - l1) / (A + l2) if z > 0.0 else -(z + l1) / (A + l2)


def push(state: State, i: int, g: float, A: float, l1: float, l2: float, q: float) -> None:
    """Take in the gradient g of a feature, at the new 1/rate A."""
    w, sums, rise = state.w[i], state.sums, A - state.A[i]
    state.z[i] += g - rise * w
    state.A[i] = A
    state.w[i] = shrunk(state.z[i], A, l1, l2)
    if rise > 0.0:
        state.cross[i] += rise * abs(w) * q
        sums[PATH] += rise * w * w
    else:
        sums[FALLS] -= rise * q * q
    sums[STEPS] += g / (A + l2) * g
    sums[ALPHA] = max(sums[ALPHA], A * q * q)


def refit(state: State, x: Any, l1: float, l2: float, hg: float) -> float:
    """Take in values that do not fit their units; |x|^2 in the new ones.

    A weight shrinks as its unit grows: z is moved to where it says so. Where the second value shows that the first was
    too large, the feature begins anew.
    """
    w, z, A, u, n = state.w, state.z, state.A, state.units, 0.0
    for k in range(size(x)):
        v, i = abs(value(x, k)), index(x, k)
        if v > 0.0 and (u.q[i] < 0.0 or v * u.q[i] > 1.0):
            q = abs(u.q[i])
            ratio = fit(u, i, v)
            if ratio > 1.0:
                state.cross[i] += abs(z[i]) * q
                state.sums[PATH] += 2.0 * abs(hg) * abs(w[i]) * min(v, 1.0 / q)
                w[i], z[i], A[i], state.G[i] = 0.0, 0.0, 0.0, 0.0
            elif 0.0 < ratio < 1.0 and w[i] != 0.0:
                unit, old, before = 1.0 / abs(u.q[i]), w[i], z[i]
                w[i] = ratio * old
                z[i] = -w[i] * (A[i] + l2 * unit * unit) - math.copysign(l1 * unit, old)
                c = abs(z[i] - before)
                state.cross[i] += c / unit
                moved = abs(old * min(v, 1.0 / q) - w[i] * cut_to_unit(v, u.q[i]))
                state.sums[PATH] += 2.0 * (c * abs(old) + abs(hg) * moved)
                state.sums[STEPS] += c / (A[i] + l2 * unit * unit) * c
        if u.most[i] > 0.0:
            share = cut_to_unit(v, u.q[i]) * abs(u.q[i])
            n += share * share
    return n


def promise(s: Symbols) -> Any:
    unit = s.Rinf if s.normalise else 1.0
    return (
        s.l1 * unit * s.U1 * (s.level if s.normalise else 1.0)
        + ((s.l2 + s.steepest) * unit**2 * s.U2 + s.path + s.steps) / 2
        + s.cross * unit * np.sqrt(s.U2)
    )


T_FTRL_PROX = Guarantee(
    "T-FTRL-PROX",
    "FTRL-proximal",
    "regret <= l1 |u|_1 + l2 |u|^2 / 2 + sum_i sum_t (A_ti - A_(t-1)i) (w_ti - u_i)^2 / 2 "
    "+ sum_ti g_ti^2 / (2 (A_ti + l2)) for every u, A_ti being 1/rate of feature i; in units of the features where "
    "they are scaled, with what changes of units cost",
    "McMahan 2017, theorem 2",
    promise,
    against="linear",
    uses=("U1", "U2", "l1", "l2", "steepest", "path", "steps", "cross"),
)


class FTRLProximal(Learner[State, Any, float, Outcome]):
    """Adaptive gradient descent with weights that are exactly 0 until there is evidence.

        each round:  predict p = <w, x>;  g_i = loss'(p) x_i
                     A = (beta + sqrt(n_i + g_i^2)) / alpha;  z_i += g_i - (A - A_i) w_i;  n_i += g_i^2;  A_i = A
                     w_i = 0 if |z_i| <= l1 else -(z_i - sign(z_i) l1) / (A_i + l2)

    O(nonzeros) a round, with a root for each. Where alpha is left out it is 1, as the rate of adagrad; beta = 1 is the
    paper's. `normalise=True` scales features as they come: in units of their second largest value, longer ones cut, as
    in `normalized-adaptive`; l1 and l2 are then in these units too, beta is not used, and there is no alpha. An
    importance h multiplies the gradient; above 1, with `normalise`, the step is as long as that of many small ones, so
    that no importance carries the score past the outcome.

    >>> learner = FTRLProximal(loss="hinge", alpha=1.0, beta=0.0, l1=1.0)
    >>> for _ in range(2):
    ...     learner = learner.update([1.0, 0.5], 1)
    >>> learner.state.w.round(6).tolist()  # z = (-2, -1): only the first exceeds l1
    [0.707107, 0.0]

    McMahan et al. (2013); McMahan (2017). Ledger: T-FTRL-PROX.
    """

    loss: Loss | str = "logistic"
    alpha: Rate = None
    beta: AtLeast0 = 1.0
    l1: AtLeast0 = 0.5
    l2: AtLeast0 = 0.0
    normalise: bool = False
    zero: Bit = 1
    intercept: bool = False
    examples = True
    unscaled = ("alpha",)
    diagnostics = ("steepest", "path", "steps", "cross", "level")
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_FTRL_PROX,)

    @property
    def labels(self) -> bool:  # type: ignore[override]
        return classifies(self.loss)

    def begin(self, shape: Shape) -> State:
        n = shape.n
        return State(
            w=np.zeros(n),
            z=np.zeros(n),
            A=np.zeros(n),
            G=np.zeros(n),
            units=unseen(n),
            cross=np.zeros(n),
            sums=np.zeros(5),
            which=kind(self.loss, self.key),
            low=1.0 if classifies(self.loss) else 0.0,
            most=0.0,
        )

    def decide(self, state: State, x: Any) -> float:
        return score_cut(state.w, state.units.q, x) if self.normalise else dot(state.w, x)

    def learn(self, state: State, x: Any, p: float, f: Outcome) -> State:
        g = self.loss.slope(p, f.y)  # type: ignore[union-attr]
        if g == 0.0:
            return state
        if self.normalise:
            return in_units(state, x, p, f, g, self.l1, self.l2)
        alpha: Any = self.alpha if self.alpha > 0.0 else RATE  # type: ignore[operator]
        for k in range(size(x)):
            i, gi = index(x, k), f.h * g * value(x, k)
            if gi != 0.0:
                state.G[i] += gi * gi
                A = (self.beta + math.sqrt(state.G[i])) / alpha
                push(state, i, gi, A, self.l1, self.l2, 1.0)
        return state

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.sums[ALPHA] + state.sums[FALLS]
        M[1] = state.sums[PATH]
        M[2] = state.sums[STEPS]
        M[3] = length(state.cross)
        M[4] = state.sums[LEVEL]

    def game(self, allocation: bool) -> Game:
        return scored(self, self.zero)


def in_units(state: State, x: Any, p: float, f: Outcome, g: float, l1: float, l2: float) -> State:
    """One update at rates that follow from the data; the first outcome that is a number only sets their unit."""
    low, most, w, q, which, h = state.low, state.most, state.w, state.units.q, state.which, f.h
    if which >= SQUARE:
        low, most = second(low, most, abs(f.y))
    cap = steepest(which, low) if low > 0.0 else 0.0
    h *= min(1.0, cap / abs(g))
    if which == SQUARE:
        l1 *= max(low, 0.0)  # slopes are as long as outcomes
    state.sums[LEVEL] = max(low, 0.0) if which == SQUARE else 1.0
    n, odd = fits(q, x)
    if odd > 0:
        n = refit(state, x, l1, l2, f.h * g)
    first = usual(which, abs(low))
    curb, square = 1.0, h * abs(g) * min(abs(g), cap)
    if f.h > 1.0 and h > 0.0:
        square, curb = curbed(state, x, p, f.y, h, g, n, first, square / f.h, low)
    for k in range(size(x)):
        i = index(x, k)
        if value(x, k) != 0.0 and state.units.most[i] > 0.0:
            unit, v = 1.0 / abs(q[i]), cut_to_unit(value(x, k), q[i])
            state.cross[i] += abs(f.h * g * value(x, k) - curb * h * g * v) / unit
            state.sums[PATH] += 2.0 * (f.h - curb * h) * abs(g) * abs(v) * abs(w[i])
            if h > 0.0:
                if state.G[i] == 0.0:
                    state.G[i] = first * first * v * v * n
                state.G[i] += square * v * v * n
                A = unit * math.sqrt(state.G[i]) / (unset(which) * low)
                push(state, i, curb * h * g * v, A, l1 * unit, l2 * unit * unit, 1.0 / unit)
    return State(
        w=w,
        z=state.z,
        A=state.A,
        G=state.G,
        units=state.units,
        cross=state.cross,
        sums=state.sums,
        which=which,
        low=low,
        most=most,
    )


def curbed(
    state: State, x: Any, p: float, y: float, h: float, g: float, n: float, first: float, square: float, low: float
) -> tuple[float, float]:  # fmt: skip
    """The squared slopes on a way of importance h, and what share of the step takes the score as far as the way does.

    The way begins with `square`; slopes fall on it, so that their squares sum to no more than the first times them all.
    """
    tau = abs(g) if p < y else 1.0 - abs(g)  # of the pinball loss, whose slope it is
    curb = 1.0
    for _ in range(2):  # how far it goes depends on the rates, and they on how far it goes
        m = whole(state, x, square, n, first, low)
        if m == 0.0:
            return square, 1.0
        if (
            state.which == PERCEPTRON
        ):  # its slope does not end where the loss does: a step beyond it
            curb = min(1.0, (1.0 + abs(p) / (abs(g) * m)) / h)
        else:
            curb = min(1.0, abs(aware(state.which, tau, p, y, h * m) - p) / (h * abs(g) * m))
        square = max(square, curb * h * g * g)
    return square, curb


def whole(state: State, x: Any, square: float, n: float, first: float, low: float) -> float:
    """sum_i a_i x_i^2, at the rates that follow when the squares are added."""
    m, q = 0.0, state.units.q
    for k in range(size(x)):
        i = index(x, k)
        if value(x, k) != 0.0 and state.units.most[i] > 0.0:
            v = cut_to_unit(value(x, k), q[i])
            G = state.G[i] if state.G[i] > 0.0 else first * first * v * v * n
            G += square * v * v * n
            m += v * abs(q[i]) * (v / math.sqrt(G)) * unset(state.which) * low
    return m
