"""LinUCB: optimism about losses that are linear in features."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from ..core.guarantee import AWAKE, Assumption, Guarantee, Symbols
from ..core.parameters import Choice, Interval, Positive, Rate
from ..core.stream import Array
from ..games import Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .ridge import Ridge, fitted, look, ridge_of
from .stochastic import surely

Model = Annotated[str, Choice(("disjoint", "shared"))]


def regret(s: Symbols) -> float:
    volume = s.dim * math.log1p(s.T / s.dim)
    beta = math.sqrt(s.ridge) * s.norm + 0.5 * math.sqrt(2 * math.log(1 / s.delta) + volume)
    return float(s.B * 4 * math.sqrt(s.T * volume) * beta)


def linear(s: Symbols) -> str | None:
    size = vars(s).get("theta", math.nan)
    if math.isnan(size):
        return "nothing says that they are"
    return None if size <= s.norm * s.B * (1 + 1e-12) else f"|theta| is {size:g}, norm {s.norm:g}"


T_OFUL = Guarantee(
    "T-OFUL",
    "LinUCB",
    "sum_t x_t . theta - min_i x_t,i . theta <= 4 sqrt(T d ln(1 + T/d)) (sqrt(ridge) norm + "
    "(1/2) sqrt(2 ln(1/delta) + d ln(1 + T/d))), for rows of features of length sqrt(ridge) at most",
    "Abbasi-Yadkori, Pál and Szepesvári 2011, theorem 3, for losses in [0, 1] (which are 1/2-subgaussian)",
    regret,
    measures="pseudo-regret",
    assumptions=(
        Assumption("mean losses are features . theta, |theta| <= norm", linear),
        AWAKE,
        Assumption(
            "all arms share a model", lambda s: None if s.pooled == 1.0 else "each has its own"
        ),
        Assumption(
            "width is left to the theorem",
            lambda s: None if s.width != s.width else f"it is {s.width:g}",
        ),
        Assumption(
            "ridge is at least the square of the longest row",
            lambda s: None if s.ridge >= s.row2 * (1 - 1e-12) else f"that is {s.row2:g}",
        ),
    ),
    mode="with probability 1 - delta",
    uses=("T", "B", "dim", "ridge", "norm", "delta"),
)


class LinUCB(BanditLearner[Ridge]):
    """Regress losses on features, and pull the arm whose loss may be the lowest.

        each round:  pull the arm with the least  theta . x - width sqrt(x' A^-1 x)
                     A += x x',  b += loss x,  theta = A^-1 b

    model="disjoint": the features are of the round (d numbers) and every arm has its own theta. model="shared": each
    arm has features (n x d numbers) and all have one theta. No constant is added; give a feature that is always 1.

    O(d^2) a round and arm, by Cholesky factors that are rotated. Left unset, `width` is that of the theorem, for
    |theta| <= norm and losses in [0, 1]: it holds for all rounds with probability 1 - delta, and explores a lot;
    people often set it to a number below 1. Equal arms: the first.

    >>> learner = LinUCB(width=0.5).start(2, features=1)
    >>> for arm, loss in ((0, 0.8), (1, 0.2)):
    ...     learner = learner.update([1.0], arm, loss)
    >>> learner.propensities([1.0]).tolist()  # 0.4 - 0.5 sqrt(1/2) and 0.1 - 0.5 sqrt(1/2)
    [0.0, 1.0]

    Li, Chu, Langford and Schapire (2010); Abbasi-Yadkori, Pál and Szepesvári (2011). Ledger: A-LINUCB; T-OFUL.
    """

    width: Rate = None
    ridge: Positive = 1.0
    delta: Annotated[float, Interval(0.0, 1.0, "()")] = 0.05
    norm: Positive = 1.0
    model: Model = "disjoint"
    contexts = True
    diagnostics = ("dim", "row2", "pooled")
    guarantees = (T_OFUL,)
    key = "linucb"

    def begin(self, shape: Shape) -> Ridge:
        return ridge_of(self.key, shape, self.model == "disjoint", self.ridge)

    def decide(self, state: Ridge, x: Offer) -> Array:
        arm, lowest = 0, np.inf
        models = state.L.shape[0]
        for i in range(state.v.shape[0]):
            if available(x, i):
                look(state, x, i)
                width = self.width
                if width == 0.0:  # delta is shared among the models
                    nats = state.logdet[i if models > 1 else 0] + 2.0 * math.log(
                        models / self.delta
                    )
                    width = math.sqrt(self.ridge) * self.norm + 0.5 * math.sqrt(nats)
                index = state.mean[i] - width * state.sd[i]
                if index < lowest:
                    arm, lowest = i, index
        return surely(state.v, arm)  # type: ignore[no-any-return]

    def learn(self, state: Ridge, x: Offer, v: Array, f: Pulled) -> Ridge:
        return fitted(state, x, f)

    def write_diagnostics(self, state: Ridge, M: Any) -> None:
        M[0], M[1], M[2] = state.w.shape[0], state.row2, 1.0 if state.L.shape[0] == 1 else 0.0
