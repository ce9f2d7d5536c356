"""MOSS: the minimax optimal strategy in the stochastic case."""

from __future__ import annotations

import math
from typing import Annotated, Self

import numpy as np

from ..core.guarantee import AWAKE, Assumption, Guarantee
from ..core.parameters import EXACT, Interval
from ..core.stream import Array
from ..games import Game, Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .stochastic import IID, ArmMeans, count_pull, no_pulls, surely, untried

T_MOSS = Guarantee(
    "T-MOSS",
    "MOSS",
    "E[pseudo-regret] <= 49 sqrt(n T), whatever the gaps",
    "Audibert and Bubeck 2009, theorem 5",
    lambda s: 49.0 * s.B * np.sqrt(s.n * s.T),
    measures="pseudo-regret",
    assumptions=(
        IID,
        AWAKE,
        Assumption(
            "horizon is the number of rounds",
            lambda s: None if s.horizon == s.T else f"it is {s.horizon:g}, of {s.T:g} rounds",
        ),
    ),
    mode="in expectation",
    uses=("T", "n", "B"),
)


class MOSS(BanditLearner[ArmMeans]):
    """UCB that stops exploring an arm once it had its share of the rounds.

        pull each arm once;  then the arm with the least  mean_i - sqrt(max(0, ln(T / (n pulls_i))) / pulls_i)

    O(n) a round. T is `horizon`, and left out the number of rounds; where it is not known, the rounds so far take its
    place, and the theorem says nothing.

    >>> learner = MOSS(horizon=4).start(2)
    >>> for arm, loss in ((0, 0.0), (1, 1.0)):
    ...     learner = learner.update(None, arm, loss)
    >>> learner.propensities().tolist()  # 0 - sqrt(ln 2) against 1 - sqrt(ln 2)
    [1.0, 0.0]

    Audibert and Bubeck (2009). Ledger: A-MOSS; T-MOSS.
    """

    horizon: Annotated[int | None, Interval(1, EXACT, "[]", True)] = None
    guarantees = (T_MOSS,)

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.horizon is None and shape.T > 0:
            return self.replace(horizon=shape.T)
        return self

    def begin(self, shape: Shape) -> ArmMeans:
        return no_pulls(shape.n)

    def decide(self, state: ArmMeans, x: Offer) -> Array:
        arm, lowest = untried(state.N, x), np.inf
        n = state.N.shape[0]
        if arm < 0:
            T = self.horizon if self.horizon > 0 else state.t  # type: ignore[operator]
            for i in range(n):
                if available(x, i):
                    level = max(0.0, math.log(T / (n * state.N[i])))
                    index = state.S[i] / state.N[i] - math.sqrt(level / state.N[i])
                    if index < lowest:
                        arm, lowest = i, index
        return surely(state.v, arm)  # type: ignore[no-any-return]

    def learn(self, state: ArmMeans, x: Offer, v: Array, f: Pulled) -> ArmMeans:
        return count_pull(state, f)
