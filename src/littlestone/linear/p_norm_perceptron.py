"""The perceptron of other norms: between the perceptron (p = 2) and Winnow (p = 2 ln d)."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple, Self

import numpy as np

from ..core.games import Game, Shape
from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Interval
from ..core.stream import Array
from ..core.vectors import index, size, value
from .perceptron import EVEN, labels


class State(NamedTuple):
    theta: Array  # sum over its updates of y x
    top: float  # at least the largest |theta_i|: powers are taken of what is at most 1
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
    assumptions=(EVEN,),
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
    assumptions=(EVEN,),
    uses=("H",),
)


class PNormPerceptron(Learner[State, Any, float, Outcome]):
    """A perceptron whose weights are the gradient of the squared p-norm of what it has added up.

        theta = 0
        each round:  w_i = sign(theta_i) |theta_i|^(p-1);  predict sign(<w, x>);  on a mistake  theta += y x

    O(d) a round, O(nonzeros) on sparse examples. p = 2 is the perceptron; p = 2 ln d, the default where d > 7,
    errs O(ln d) times where few of many features matter, as Winnow does. Scores are divided by a power of the largest
    |theta_i| so far, which is positive and changes no label.

    >>> learner = PNormPerceptron(p=4)
    >>> for x, y in ([1, 0.5], 1), ([-1, 1], 1):
    ...     learner = learner.update(x, y)
    >>> learner.state.theta.tolist()
    [0.0, 1.5]

    Grove, Littlestone and Schuurmans (2001). Ledger: T-NORMS; T-PERC-PNORM, T-PERC-PNORM-INSEP.
    """

    p: Annotated[float | None, Interval(2.0, math.inf, "[)")] = None  # None: 2 ln d, and at least 2
    intercept: bool = False
    examples = True
    labels = True
    noted = ("updates",)
    guarantees = (T_P_NORM, T_P_NORM_INSEP)

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n), 0.0, 0)

    def tuned(self, shape: Shape, game: Game) -> Self:
        return self if self.p is not None else self.but(p=max(2.0, 2.0 * math.log(shape.n)))

    def decide(self, state: State, x: Any) -> float:
        score, p = 0.0, self.p
        if state.top == 0.0:
            return 0.0
        for k in range(size(x)):
            v = state.theta[index(x, k)] / state.top
            if v != 0.0:
                score += (abs(v) ** (p - 1.0) if v > 0.0 else -(abs(v) ** (p - 1.0))) * value(x, k)  # type: ignore[operator]
        return score

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if f.y * score > 0.0:
            return state
        top = state.top
        for k in range(size(x)):
            i = index(x, k)
            state.theta[i] += f.h * f.y * value(x, k)
            top = max(top, abs(state.theta[i]))
        return State(state.theta, top, state.updates + 1)

    def note(self, state: State, M: Array) -> None:
        M[0] = state.updates

    def game(self, allocation: bool) -> Game:
        return labels(self, allocation)
