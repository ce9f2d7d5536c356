"""Weighted averages for losses that reward certainty: square and entropic, with constant regret."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..core.guarantee import EXP_CONCAVE, MIXABLE, Guarantee, Symbols
from ..core.losses import Loss
from ..games import Advice, Game, Shape, Substitution
from .exponential_weights import Exponential, State


def prior_cost(s: Symbols) -> Any:
    return (
        -np.log(np.broadcast_to(s.prior, (s.n,))) / s.eta
        if s.prior is not None
        else np.log(s.n) / s.eta
    )


T_WA = Guarantee(
    "T-WA",
    "weighted average (T-WA-PRIOR for any prior)",
    "loss - L_i <= ln(1/prior_i) / eta for every expert i; the uniform prior makes it ln n / eta: "
    "ln n for the entropic loss (eta = 1), 2 (b-a)^2 ln n for the square loss on [a, b]",
    "Kivinen & Warmuth 1999; Cesa-Bianchi & Lugosi 2006, theorem 3.2",
    prior_cost,
    assumptions=(EXP_CONCAVE,),
    uses=("n", "eta", "prior"),
)
T_AA = Guarantee(
    "T-AA-SQ",
    "the aggregating algorithm",
    "loss - L_i <= ln(1/prior_i) / eta for every expert i; at eta = 2 / (b-a)^2 "
    "the square loss on [a, b] pays (b-a)^2 ln n / 2",
    "Vovk 1990; Haussler, Kivinen & Warmuth 1998",
    prior_cost,
    assumptions=(MIXABLE,),
    uses=("n", "eta", "prior"),
)


class WeightedAverage(Exponential):
    """Predict the average of the advice under the posterior of the experts.

        v = prior (1/n)
        each round:  predict v . x;  v_i *= exp(-eta loss(x_i, y)), normalised

    O(n) a round. Left unset, eta is the exp-concavity of the loss: 1 for the log loss, 1/(2 (b-a)^2) for the
    square loss on [a, b]; then the regret does not grow with time. An expert of infinite loss is out for ever.

    >>> learner = WeightedAverage(loss="log")
    >>> [round(learner.predict(x), 4) for x in ([0.9, 0.1], [0.8, 0.3]) if learner.update(x, 1.0)]
    [0.82, 0.78]

    Kivinen & Warmuth (1999). Ledger: A-WA, A-WA-EN, A-WA-SQ, A-WA-PRIOR; T-WA-EN-EQ, T-WA-PRIOR.
    """

    loss: Loss | str = "square"
    prior: tuple[float, ...] | None = None
    bounded = True
    guarantees = (T_WA,)

    def begin(self, shape: Shape) -> State:
        start = super().begin(shape)
        if self.prior is None:
            return start
        p = np.array(self.prior)
        if p.shape != (shape.n,) or not (p >= 0).all() or abs(p.sum() - 1.0) > 1e-9:
            raise BadInput(
                f"{self.key}: prior must be {shape.n} numbers that sum to 1, not {self.prior}"
            )
        with np.errstate(divide="ignore"):
            return start._replace(L=-np.log(p) / self.eta, p=p)

    def newcomers(self) -> str:
        return super().newcomers() if self.prior is None else ""

    def game(self, allocation: bool) -> Game:
        if allocation:
            raise BadInput(f"{self.key} needs advice and outcomes; for losses alone there is hedge")
        return Advice(losses.parse_loss(self.loss))

    def tuned(self, shape: Shape, game: Game) -> Self:
        return self.at(
            losses.exp_concave(losses.parse_loss(self.loss)), "exp-concave: try exponential-weights"
        )

    def at(self, eta: float, what: str) -> Self:
        if self.eta is not None:
            return self
        if not eta > 0 or not math.isfinite(eta):
            raise BadInput(
                f"{self.key}: the {losses.name(losses.parse_loss(self.loss))} loss is not {what}"
            )
        return self.replace(eta=eta)

    def symbols(self) -> dict[str, Any]:
        return {"prior": None if self.prior is None else np.array(self.prior)}


class AggregatingAlgorithm(WeightedAverage):
    """Predict what costs at most the mix loss, whatever the outcome: Vovk's substitution.

        v = prior (1/n)
        each round:  predict (a+b)/2 + (g(a) - g(b)) / (2 (b-a)),  g(y) = -ln(sum_i v_i exp(-eta (y - x_i)^2)) / eta;
                     v_i *= exp(-eta loss(x_i, y)), normalised

    O(n) a round. It may use a rate four times that of the weighted average for the square loss on [a, b] (2/(b-a)^2),
    and pays a quarter; for the log loss the two are one.

    >>> learner = AggregatingAlgorithm(loss="square").start(2, interval=(0, 1), allocation=False)
    >>> round(learner.predict([0.0, 0.5]), 4)
    0.3068

    Vovk (1990). Ledger: A-AA-SQ.
    """

    guarantees = (T_AA,)

    def game(self, allocation: bool) -> Game:
        game = super().game(allocation)
        return Substitution(game.loss) if isinstance(game.loss, losses.Square) else game

    def tuned(self, shape: Shape, game: Game) -> Self:
        return self.at(
            losses.mixable(losses.parse_loss(self.loss)), "mixable: try exponential-weights"
        )
