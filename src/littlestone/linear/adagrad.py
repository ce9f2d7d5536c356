"""AdaGrad: gradient descent whose rate for a feature falls with the gradients that the feature has met."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.outcome import Outcome
from ..core.parameters import Bit, Rate
from ..core.stream import Array
from ..core.vectors import dot, index, size, value
from ..games import Game, Shape
from .parts.feature_rates import ALPHA, PATH, STEPS
from .parts.implicit import classifies, kind
from .parts.rates import T_NAG, State, adapt, begin_rates, score, scored, unset, write_rates

ETA = 1.0  # where none is set


def raw_rates(s: Symbols) -> Any:
    """The same as in units, for features as they are."""
    return (s.alpha * s.U2 + s.path + s.steps) / 2 + s.cross * np.sqrt(s.U2)


T_ADAGRAD = Guarantee(
    "T-ADAGRAD",
    "AdaGrad with a rate a feature",
    "regret <= sum_i sum_t (A_ti - A_(t-1)i) (w_ti - u_i)^2 / 2 + sum_ti g_ti^2 / (2 A_ti), A_ti = sqrt(sum_(s <= t) "
    "g_si^2) / eta, for every u; so at most sum_i (max_t |w_ti - u_i|^2 / (2 eta) + eta) sqrt(sum_t g_ti^2)",
    "Duchi, Hazan and Singer 2011, theorem 5",
    raw_rates,
    against="linear",
    when=lambda s: not s.normalise,
    uses=("U2", "alpha", "path", "steps", "cross"),
)
T_NAG_SCALED = replace(T_NAG, when=lambda s: s.normalise)


class AdaGrad(Learner[State, Any, float, Outcome]):
    """Gradient descent with a rate for each feature: rare features learn fast, frequent ones slowly.

        each round:  predict p = <w, x>;  g_i = loss'(p) x_i;  G_i += g_i^2;  w_i -= eta g_i / sqrt(G_i)

    O(nonzeros) a round, with a root for each. Where eta is left out it is 1: the theorem's best for weights that stay
    within sqrt(2) of each other. `normalise=True` scales features as they come: in units of their second largest value,
    longer ones cut, as `normalized-adaptive` does, so that no scale matters; it takes no eta. An importance h
    multiplies the gradient; above 1, with `normalise`, it is as many small steps, so that no importance carries the
    score past the outcome.

    >>> learner = AdaGrad(loss="hinge")
    >>> for x, y in ([1.0, 0.0], 1), ([3.0, 4.0], -1):
    ...     learner = learner.update(x, y)
    >>> learner.state.w.round(6).tolist()  # (1 - 3/sqrt(10), -4/4)
    [0.051317, -1.0]

    Duchi, Hazan and Singer (2011). Ledger: T-ADAGRAD, T-NAG.
    """

    key = "adagrad"
    loss: Loss | str = "logistic"
    eta: Rate = None
    normalise: bool = False
    zero: Bit = 1
    intercept: bool = False
    examples = True
    unscaled = ("eta",)
    diagnostics = ("alpha", "path", "steps", "cross")
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_ADAGRAD, T_NAG_SCALED)

    @property
    def labels(self) -> bool:  # type: ignore[override]
        return classifies(self.loss)

    def begin(self, shape: Shape) -> State:
        return begin_rates(shape.n, self.loss, kind(self.loss, self.key))

    def decide(self, state: State, x: Any) -> float:
        return score(state, x) if self.normalise else dot(state.w, x)

    def learn(self, state: State, x: Any, p: float, f: Outcome) -> State:
        if self.normalise:
            score(state, x)
        return self.learn_now(state, x, p, f)

    def learn_now(self, state: State, x: Any, p: float, f: Outcome) -> State:
        g = self.loss.slope(p, f.y)  # type: ignore[union-attr]
        if g == 0.0:
            return state
        if self.normalise:
            return adapt(state, x, p, f, g, unset(state.which), f.h > 1.0)
        w, G, sums = state.w, state.G, state.sums
        eta: Any = self.eta if self.eta > 0.0 else ETA  # type: ignore[operator]
        for k in range(size(x)):
            i, gi = index(x, k), f.h * g * value(x, k)
            if gi * gi > 0.0:  # a gradient whose square is 0 moves nothing
                before = math.sqrt(G[i]) / eta
                G[i] += gi * gi
                A = math.sqrt(G[i]) / eta
                state.cross[i] += (A - before) * abs(w[i])
                sums[PATH] += (A - before) * w[i] * w[i]
                sums[ALPHA] = max(sums[ALPHA], A)
                sums[STEPS] += gi / A * gi
                w[i] -= gi / A
        return state

    def write_diagnostics(self, state: State, M: Array) -> None:
        write_rates(state, M)

    def game(self, allocation: bool) -> Game:
        return scored(self, self.zero)
