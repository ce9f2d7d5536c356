"""Online logistic regression."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, TOLD, Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Logistic as LogLoss
from ..core.outcome import Outcome
from ..core.parameters import Bit, Rate
from ..core.stream import Array
from ..core.vectors import dot
from ..games import Game, Margin, Shape
from . import ogd
from .parts import descent, rates
from .parts.descent import passed, stepped
from .parts.implicit import LOGISTIC
from .parts.rates import adapt, score, unset, write_rates

LOSS = LogLoss()


class State(NamedTuple):
    own: rates.State  # a rate for each feature in its units, with normalise; else without features
    ball: descent.State  # gradient descent, in a ball or not; without features where it is not used


def tuned(s: Symbols) -> str | None:
    """Is eta R/(X sqrt T), for the ball and the examples of this run?"""
    best = s.radius / math.sqrt(s.R2 * s.T) if s.R2 > 0 else math.inf
    return None if abs(s.eta - best) <= 1e-9 * best else f"eta is {s.eta:g}; that would be {best:g}"


T_LOGISTIC = Guarantee(
    "T-LOGISTIC",
    "online logistic regression in a ball",
    "regret <= R X sqrt T for every u in the ball of radius R, with |x| <= X and eta = R/(X sqrt T)",
    "MIT 6.7900, notes 09, with Zinkevich 2003",
    lambda s: np.where(s.radius**2 >= s.U2, s.radius * np.sqrt(s.R2 * s.T), np.inf),
    against="linear",
    assumptions=(Assumption("eta is R/(X sqrt T)", tuned), EVEN),
    when=lambda s: s.radius > 0 and s.eta > 0,
    uses=("U2", "R2", "T", "radius"),
)
T_OGD = replace(ogd.T_OGD, when=lambda s: s.eta > 0)
T_DELAY_OGD = replace(ogd.T_DELAY_OGD, assumptions=(TOLD,), when=lambda s: s.eta > 0)
T_OGD_ANY = replace(ogd.T_OGD_ANY, when=lambda s: not (s.eta > 0 or s.in_units))
T_NAG = replace(rates.T_NAG, when=lambda s: s.in_units)


class Logistic(Learner[State, Any, float, Outcome]):
    """Predict the probability of a class, and follow the gradient of the log loss.

        each round:  predict P(y = +1) = 1/(1 + exp(-<w, x>));  w -= eta (P(+1) - [y = +1]) x
                     radius: project onto |w| <= radius

    The score is the logit <w, x>, the loss -ln P(y). O(nonzeros) a round. Where eta is left out it is 1/sqrt(t) in
    round t, and in a ball sqrt(2) radius / sqrt(sum |gradient|^2). `normalise=True` scales features as they come: each
    is taken in its own units and has a rate of its own, as in `normalized-adaptive`, and nothing needs tuning. An
    importance above 1 is as many small steps there. It takes neither eta nor a radius.

    >>> learner = Logistic(eta=2.0).update([1.0, 0.0], 1)
    >>> learner.state.ball.w.tolist()  # the first P is 1/2
    [1.0, 0.0]

    Ledger: A-LOGISTIC; T-LOGISTIC, T-OGD, T-OGD-ANY, T-DELAY-OGD, T-NAG.
    """

    eta: Rate = None
    radius: Rate = None
    normalise: bool = False
    zero: Bit = 1
    intercept: bool = False
    examples = True
    labels = True
    unscaled = ("eta", "radius")
    diagnostics = ("alpha", "path", "steps", "cross")
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (
        *(T_LOGISTIC, T_OGD, T_OGD_ANY),
        *(T_DELAY_OGD, T_NAG),
    )

    def begin(self, shape: Shape) -> State:
        own = self.normalise
        return State(
            rates.begin_rates(shape.n if own else 0, LOSS, LOGISTIC),
            descent.begin_descent(0 if own else shape.n, LOSS, LOGISTIC, True),
        )

    def decide(self, state: State, x: Any) -> float:
        if self.normalise:
            return score(state.own, x)
        return state.ball.c * dot(state.ball.w, x)

    def learn(self, state: State, x: Any, p: float, f: Outcome) -> State:
        if self.normalise:
            score(state.own, x)
        return self.learn_now(state, x, p, f)

    def learn_now(self, state: State, x: Any, p: float, f: Outcome) -> State:
        g = LOSS.slope(p, f.y)
        if g == 0.0:
            return state if self.normalise else State(state.own, passed(state.ball))
        if self.normalise:
            own = adapt(state.own, x, p, f, g, unset(state.own.which), f.h > 1.0)
            return State(own, state.ball)
        moved = stepped(state.ball, x, p, f, g, self.eta, self.radius, False, False)  # type: ignore[arg-type]
        return State(state.own, moved)

    def write_diagnostics(self, state: State, M: Array) -> None:
        if self.normalise:
            write_rates(state.own, M)
        else:
            for j in range(4):
                M[j] = state.ball.sums[j]

    def symbols(self) -> dict[str, Any]:
        return {"in_units": self.normalise}

    def game(self, allocation: bool) -> Game:
        return Margin(LOSS, self.zero)
