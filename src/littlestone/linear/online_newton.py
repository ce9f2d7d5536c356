"""The online Newton step: gradient descent that knows which directions it has been pushed in."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.outcome import Outcome
from ..core.parameters import Bit, Positive
from ..core.stream import Array
from ..core.vectors import dot, index, size, value
from ..games import Game, Shape
from .parts.cholesky import add_outer, read_met, solve
from .parts.implicit import LOGISTIC, SQUARE, SQUARED_HINGE, classifies, kind, sigmoid, steepest
from .parts.matrix_units import tighten, trusted
from .parts.rates import scored
from .parts.units import LONG, Units, score_cut, second, unseen

WIDEST = 2048  # coordinates: the state holds their square
PATH, STEPS, CROSS = range(3)
LOSSES = (LOGISTIC, SQUARE, SQUARED_HINGE)


class State(NamedTuple):
    w: Array
    R: Array  # the Cholesky factor of A, the sum of the curvatures: A = R'R
    z: Array  # room for A^-1 x of the round
    units: Units
    sums: Array  # what the bound is made of
    which: int
    low: float  # the unit of the outcomes, where they are numbers, and the largest of them
    most: float


def curvature(which: int, p: float, y: float, far: float) -> float:
    """The largest H known with  loss(s) >= loss(p) + loss'(p) (s - p) + H (s - p)^2 / 2  for all |s| <= far.

    The logistic loss is self-concordant: loss(s) is at least its tangent plus loss''(p) (e^-c + c - 1), c = |s - p|,
    and that is at least loss''(p) c^2 / (2 + c). A squared hinge is a parabola up to the margin, and then straight.
    """
    if which == SQUARE:
        return 2.0
    reach = far + abs(p)
    if which == LOGISTIC:
        chance = sigmoid(p)
        return 2.0 * chance * (1.0 - chance) / (2.0 + reach)
    short = max(0.0, 1.0 - y * p)
    return 2.0 if short >= reach else 2.0 * short * (2.0 * reach - short) / (reach * reach)


def leave(state: State, x: Any, lost: float, p: float) -> None:
    """What the bound pays for a slope that was cut; in rounds that are not learned from, for all of it."""
    state.sums[PATH] += 2.0 * lost * abs(p)
    for m in range(size(x)):
        state.sums[CROSS] += lost * abs(value(x, m)) * abs(state.units.q[index(x, m)])


def logarithmic(s: Symbols) -> Any:
    long = np.sqrt(s.U2) * (s.Rinf if s.normalise else 1.0)
    bound = (s.a * long**2 + s.path + s.steps) / 2 + s.cross * long
    if s.numbers:
        return bound
    return np.where(np.minimum(s.U2 * s.R2, s.Q) <= s.limit**2, bound, np.inf)


T_ONS = Guarantee(
    "T-ONS",
    "the online Newton step",
    "regret <= a |u|^2 / 2 + sum_t g_t' K_t g_t / 2 for every u with |<u, x_t>| <= limit in every round "
    "(for the square loss, every u): K_t is the inverse of the sum of the curvatures, and the sum is O(d log T); where "
    "features are scaled R |u| in place of |u|, R the largest |x_i|, and path and cross for rounds that were not "
    "learned from",
    "Hazan, Agarwal and Kale 2007; Luo, Agarwal, Cesa-Bianchi and Langford 2016, theorem 1",
    logarithmic,
    against="linear",
    uses=("U2", "R2", "Q", "Rinf", "a", "path", "steps", "cross", "limit"),
)


class OnlineNewton(Learner[State, Any, float, Outcome]):
    """Gradient descent in the metric of the curvature seen so far: few rounds, each O(d^2).

        A = a I
        each round:  predict p = <w, x>, cut to [-limit, limit] (for two classes), and move w to where that is its score
                     A += H x x';  w -= loss'(p) A^-1 x

    Losses: logistic, squared-hinge; square for numbers, where it is least squares, round by round. Up to 2,048
    coordinates; A is kept as its Cholesky factor, which rotations update. `normalise=True` scales features as they
    come: A is at first the diagonal matrix of a unit_i^2, a unit being the second largest value of its feature, so that
    predictions stay the same when a feature is multiplied by a constant; it then does not learn from rounds that bring
    a new feature, or one that is more than 8 units long: a matrix never forgets. An importance h multiplies the loss,
    curvature included. H is the largest number known with loss(s) >= loss(p) + loss'(p)(s - p) + H (s - p)^2 / 2 for
    scores |s| <= limit: 2 for the square loss, 2 loss''(p) / (2 + limit + |p|) for the logistic loss, less than
    loss''(p); for the squared hinge 2 m (2 r - m) / r^2 with r = limit + |p| and m = 1 - y p where that is positive,
    and 2 where m >= r.

    >>> learner = OnlineNewton(loss="square", a=2.0)
    >>> learner.update([1.0], 4.0).state.w.tolist()  # (2 + 2) w = 2 * 4
    [2.0]

    Hazan, Agarwal and Kale (2007); Luo et al. (2016). Ledger: T-ONS.
    """

    loss: Loss | str = "logistic"
    a: Positive = 10.0
    limit: Positive = 10.0
    normalise: bool = False
    zero: Bit = 1
    intercept: bool = False
    examples = True
    diagnostics = ("path", "steps", "cross")
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_ONS,)

    @property
    def labels(self) -> bool:  # type: ignore[override]
        return classifies(self.loss)

    def begin(self, shape: Shape) -> State:
        n = shape.n
        if n > WIDEST:
            raise BadInput(
                f"online-newton keeps {n:,} x {n:,} numbers; it takes up to {WIDEST:,} coordinates "
                "(adagrad keeps a few numbers a feature)"
            )
        return State(
            w=np.zeros(n),
            R=np.eye(n) * (0.0 if self.normalise else math.sqrt(self.a)),
            z=np.zeros(n),
            units=unseen(n if self.normalise else 0),
            sums=np.zeros(3),
            which=kind(self.loss, self.key, LOSSES),
            low=1.0 if classifies(self.loss) else 0.0,
            most=0.0,
        )

    def decide(self, state: State, x: Any) -> float:
        p = score_cut(state.w, state.units.q, x, LONG) if self.normalise else dot(state.w, x)
        return p if state.which == SQUARE else max(-self.limit, min(self.limit, p))

    def learn(self, state: State, x: Any, p: float, f: Outcome) -> State:
        w, R, z, sums, which = state.w, state.R, state.z, state.sums, state.which
        low, most, h = state.low, state.most, f.h
        g, cap = self.loss.slope(p, f.y), math.inf  # type: ignore[union-attr]
        if self.normalise:
            if which == SQUARE:
                low, most = second(low, most, abs(f.y))
            cap = steepest(which, low) if trusted(state.units, x, R, self.a) and low > 0.0 else 0.0
        if abs(g) > cap:
            h *= cap / abs(g)
            leave(state, x, (f.h - h) * abs(g), p)
        if h > 0.0 and cap > 0.0:
            read_met(R, x, z)
            s = solve(R, z)
            step = 0.0
            if which != SQUARE:
                now = dot(w, x)
                if abs(now) > self.limit and s > 0.0:
                    step = (math.copysign(self.limit, now) - now) / s
            H = h * curvature(which, p, f.y, self.limit)
            newton = -h * g / (1.0 + H * s)
            sums[STEPS] -= h * g * newton * s
            step += newton
            for i in range(w.shape[0]):
                w[i] += step * z[i]
            read_met(R, x, z)
            for i in range(z.shape[0]):
                z[i] *= math.sqrt(H)
            add_outer(R, z)
        if self.normalise:
            sums[STEPS] += tighten(state.units, x, w, R, z, self.a)
        return State(
            w=w,
            R=R,
            z=z,
            units=state.units,
            sums=sums,
            which=which,
            low=low,
            most=most,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        for j in range(3):
            M[j] = state.sums[j]

    def symbols(self) -> dict[str, Any]:
        return {"numbers": not classifies(self.loss)}

    def game(self, allocation: bool) -> Game:
        kind(self.loss, self.key, LOSSES)
        return scored(self, self.zero)
