"""The perceptron of other norms: between the perceptron (p = 2) and Winnow (p = 2 ln d)."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple, Self

import numpy as np

from ..core.guarantee import EVEN, SAME_IMPORTANCE, Guarantee, Symbols
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Interval
from ..core.stream import Array
from ..core.vectors import index, size, value
from ..games import Game, Labels, Shape
from .parts.unit_steps import SUMS, Scales, book, lost, take_in_value, unseen, write_sums
from .parts.units import cut_to_unit
from .perceptron import PLAIN


class State(NamedTuple):
    theta: Array  # sum over its updates of y x, in units where they are used
    top: float  # at least the largest |theta_i|: powers are taken of what is at most 1
    units: Scales
    sums: Array
    updates: int


def bound(s: Symbols) -> Any:
    """(p - 1) (|x|_p |u|_q)^2 for those u that separate with margin 1, 1/p + 1/q = 1."""
    q = s.p / (s.p - 1.0)
    return np.where(s.H == 0, (s.p - 1.0) * s.size(s.p) ** 2 * s.norms(q) ** 2, np.inf)


def inseparable(s: Symbols) -> Any:
    """M - H <= |u|_q |theta|_p and |theta|_p^2 <= (p - 1) X^2 M: solve M - H <= c sqrt(M) for M."""
    q = s.p / (s.p - 1.0)
    c = math.sqrt(s.p - 1.0) * s.size(s.p) * s.norms(q)
    return s.H + c * c / 2.0 + c * np.sqrt(s.H + c * c / 4.0)


T_P_NORM = Guarantee(
    "T-PERC-PNORM",
    "the p-norm perceptron",
    "updates <= (p - 1) (max_t |x_t|_p |u|_q)^2 for every u with y_t <u, x_t> >= 1, 1/p + 1/q = 1",
    "Grove, Littlestone and Schuurmans 2001; Gentile 2003",
    bound,
    against="linear",
    measures="updates|mistakes",
    assumptions=(SAME_IMPORTANCE, PLAIN),
    uses=("H",),
    infinite="no line that separates the classes was found",
)
T_P_NORM_INSEP = Guarantee(
    "T-PERC-PNORM-INSEP",
    "the p-norm perceptron with hinge losses",
    "updates <= H + c^2/2 + c sqrt(H + c^2/4) for every u, H its hinge losses, c = sqrt(p - 1) max_t |x_t|_p |u|_q",
    "Gentile 2003",
    inseparable,
    against="linear",
    measures="updates|mistakes",
    assumptions=(SAME_IMPORTANCE, PLAIN),
    uses=("H",),
)
T_P_NORM_UNITS = Guarantee(
    "T-PERC-PNORM-UNITS",
    "the p-norm perceptron in units of the features",
    "updates <= H(u) + |u|_q R (sqrt(S) + C) for every u, R the largest |x_i|, S the sum of (p - 1) |x|_p^2 in units "
    "over the updates and of what changing units adds, C what was cut, 1/p + 1/q = 1",
    "Grove, Littlestone and Schuurmans 2001; derived here",
    lambda s: s.H + s.norms(s.p / (s.p - 1.0)) * s.Rinf * (np.sqrt(s.spread) + s.cross),
    against="linear",
    measures="updates|mistakes",
    assumptions=(EVEN,),
    uses=("H", "Rinf", "spread", "cross"),
    when=lambda s: s.normalise,
)


class PNormPerceptron(Learner[State, Any, float, Outcome]):
    """A perceptron whose weights are the gradient of the squared p-norm of what it has added up.

        theta = 0
        each round:  w_i = sign(theta_i) |theta_i|^(p-1);  predict sign(<w, x>);  on a mistake  theta += y x

    O(d) a round, O(nonzeros) on sparse examples. p = 2 is the perceptron; p = 2 ln d, the default where d > 7,
    errs O(ln d) times where few of many features matter, as Winnow does. Scores are divided by a power of 2^k, above
    the largest |theta_i| so far, which is positive and changes no label. `normalise` is that of perceptron: it
    scales features as they come, x_i / unit_i in place of x_i, cut where it is learned from.

    >>> learner = PNormPerceptron(p=4)
    >>> for x, y in ([1, 0.5], 1), ([-1, 1], 1):
    ...     learner = learner.update(x, y)
    >>> learner.state.theta.tolist()
    [0.0, 1.5]

    Grove, Littlestone and Schuurmans (2001). Ledger: T-NORMS; T-PERC-PNORM, T-PERC-PNORM-INSEP,
    T-PERC-PNORM-UNITS.
    """

    p: Annotated[float | None, Interval(2.0, math.inf, "[)")] = None  # None: 2 ln d, and at least 2
    normalise: bool = False
    intercept: bool = False
    examples = True
    labels = True
    diagnostics = ("updates", "spread", "cross", "odd")
    smallest = 1e-140
    guarantees = (T_P_NORM, T_P_NORM_INSEP, T_P_NORM_UNITS)

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n), 0.0, unseen(shape.n), np.zeros(SUMS), 0)

    def tuned(self, shape: Shape, game: Game) -> Self:
        return self if self.p is not None else self.replace(p=max(2.0, 2.0 * math.log(shape.n)))

    def decide(self, state: State, x: Any) -> float:
        score, p, q = 0.0, self.p, state.units.q
        if state.top == 0.0:
            return 0.0
        unit = power_of_two(state.top)
        for k in range(size(x)):
            i = index(x, k)
            v = state.theta[i] / unit
            if v != 0.0:
                z = value(x, k) * (abs(q[i]) if self.normalise else 1.0)
                score += (abs(v) ** (p - 1.0) if v > 0.0 else -(abs(v) ** (p - 1.0))) * z  # type: ignore[operator]
        return score

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if f.y * score > 0.0:
            return state
        u, top = state.units, state.top
        if self.normalise:
            adapt(state, x, f.y, max(2.0, self.p))  # type: ignore[type-var, arg-type]  # not tuned yet: 0
        for k in range(size(x)):
            i, z = index(x, k), value(x, k)
            if self.normalise:
                z = cut_to_unit(z, u.q[i]) * abs(u.q[i]) if u.most[i] > 0.0 else 0.0
            state.theta[i] += f.h * f.y * z
            top = max(top, abs(state.theta[i]))
        return State(state.theta, top, u, state.sums, state.updates + 1)

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.updates
        write_sums(state.sums, M)

    def game(self, allocation: bool) -> Game:
        return Labels(1)


def power_of_two(top: float) -> float:
    """The power of two above `top`: to divide by it rounds nothing, so that p = 2 ties where the perceptron does."""
    return math.ldexp(1.0, math.frexp(top)[1])


def adapt(state: State, x: Any, y: float, p: float) -> None:
    """As that of perceptron, for theta: |theta + y z|_p^2 <= |theta|_p^2 + 2 y <w, z> + (p - 1) |z|_p^2."""
    u, theta = state.units, state.theta
    n, cross, moved, odd = 0.0, 0.0, False, False
    for k in range(size(x)):
        i, b = index(x, k), abs(value(x, k))
        if b == 0.0:
            continue
        known, before = u.most[i] > 0.0, abs(u.q[i])
        shrink, part = take_in_value(u, i, b)
        q, gone = abs(u.q[i]), lost(u, i, b)
        if known and q != before:
            part *= abs(theta[i])
            theta[i] *= shrink
            cross += part * part
            moved = True
        if gone > 0.0:
            cross += gone * gone
            moved = True
        if u.most[i] > 0.0:
            n += (cut_to_unit(b, q) * q) ** p
            odd |= q != 1.0
    book(
        state.sums,
        (p - 1.0) * n ** (2.0 / p),
        gain(state, x, y, p) if moved else 0.0,
        cross,
        moved,
        odd,
    )


def gain(state: State, x: Any, y: float, p: float) -> float:
    """y <w, z> now, where w is the gradient of |theta|_p^2 / 2."""
    u, total, score = state.units, 0.0, 0.0
    if state.top == 0.0:
        return 0.0
    for i in range(state.theta.shape[0]):
        total += (abs(state.theta[i]) / state.top) ** p
    if total == 0.0:
        return 0.0
    norm = state.top * total ** (1.0 / p)
    for k in range(size(x)):
        i = index(x, k)
        v = state.theta[i] / norm
        if u.most[i] > 0.0 and v != 0.0:
            z = cut_to_unit(value(x, k), u.q[i]) * abs(u.q[i])
            score += abs(v) ** (p - 1.0) * (z if v > 0.0 else -z)
    return float(y * norm * score)
