"""Normalised, adaptive and importance-aware gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.guarantee import Guarantee
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.outcome import Outcome
from ..core.parameters import Bit, Rate
from ..core.stream import Array
from ..games import Game, Shape
from .parts.implicit import PERCEPTRON, classifies, kind
from .parts.rates import T_NAG, State, adapt, begin_rates, score, scored, unset, write_rates


class NormalizedAdaptive(Learner[State, Any, float, Outcome]):
    """Gradient descent that needs no scaler and no rate: each feature in its own units, at a rate of its own.

        unit_i = the second largest |x_i| so far; when it grows, w_i shrinks as much
        each round:  cut x_i to its unit;  predict p = <w, x>;  g = loss'(p)
                     G_i += g^2 x_i^2 sum_j (x_j / unit_j)^2;  a_i = eta / (unit_i sqrt(G_i))
                     w_i -= tau a_i x_i, tau as if g were followed in infinitely many small steps

    O(nonzeros) a round. Predictions stay the same when a feature is multiplied by a constant. One extreme example is
    cut like any other, and is not remembered as a unit. A rate is computed again when G_i has grown by a tenth: roots
    are slow. Without eta, it is 1 for two classes and 0.6 for numbers. The importance of a round is the length of the
    path, so twice the importance is two rounds, nearly.

    >>> learner = NormalizedAdaptive(loss="square")
    >>> for x, y in ([1.0, 0.0], 1.0), ([1.0, 1.0], 3.0), ([2e6, 1.0], 1.0):
    ...     learner = learner.update(x, y)
    >>> learner.state.units.q.tolist()
    [1.0, 1.0]

    Ross, Mineiro and Langford (2013), with Karampatziakis and Langford (2011). Ledger: T-NAG.
    """

    loss: Loss | str = "logistic"
    eta: Rate = None
    zero: Bit = 1
    intercept: bool = False
    examples = True
    diagnostics = ("alpha", "path", "steps", "cross")
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_NAG,)

    @property
    def labels(self) -> bool:  # type: ignore[override]
        return classifies(self.loss)

    def begin(self, shape: Shape) -> State:
        return begin_rates(shape.n, self.loss, kind(self.loss, self.key))

    def decide(self, state: State, x: Any) -> float:
        return score(state, x)

    def learn(self, state: State, x: Any, p: float, f: Outcome) -> State:
        score(state, x)
        return self.learn_now(state, x, p, f)

    def learn_now(self, state: State, x: Any, p: float, f: Outcome) -> State:
        g = self.loss.slope(p, f.y)  # type: ignore[union-attr]
        if g == 0.0:
            return state
        eta: Any = self.eta if self.eta > 0.0 else unset(state.which)  # type: ignore[operator]
        return adapt(state, x, p, f, g, eta, state.which != PERCEPTRON or f.h > 1.0)

    def write_diagnostics(self, state: State, M: Array) -> None:
        write_rates(state, M)

    def game(self, allocation: bool) -> Game:
        return scored(self, self.zero)
