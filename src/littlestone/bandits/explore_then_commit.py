"""Explore, then commit: an A/B test."""

from __future__ import annotations

import math
from typing import Annotated, Any, Self

import numpy as np

from ..core.guarantee import AWAKE, Assumption, Guarantee, Symbols
from ..core.parameters import EXACT, Interval
from ..core.stream import Array
from ..games import Game, Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .stochastic import IID, ArmMeans, gaps, no_pulls, surely


def regret(s: Symbols) -> float:
    g, m = gaps(s), s.pulls
    return float(s.B * (m * g.sum() + (s.T - m * s.n) * (g * np.exp(-m * g**2)).sum()))


T_ETC = Guarantee(
    "T-ETC",
    "explore, then commit",
    "E[pseudo-regret] <= m sum of gaps + (T - m n) sum of gap exp(-m gap^2), m the pulls of each arm",
    "Lattimore and Szepesvári 2020, theorem 6.1, for losses in [0, 1] (which are 1/2-subgaussian)",
    regret,
    measures="pseudo-regret",
    assumptions=(
        IID,
        AWAKE,
        Assumption(
            "there is time to pull every arm so often",
            lambda s: (
                None if s.pulls * s.n <= s.T else f"{s.pulls:g} x {s.n} pulls, {s.T:g} rounds"
            ),
        ),
    ),
    mode="in expectation",
    uses=("T", "n", "B", "pulls", "gaps"),
)


class ExploreThenCommit(BanditLearner[ArmMeans]):
    """A baseline, the A/B test: pull every arm equally often, then the best of them for ever.

        while an arm has fewer than m pulls:  the one with the fewest, in turn;  then  the arm of the least mean

    O(n) a round. `pulls` is m; left out it is (T/n)^(2/3), which balances both parts whatever the gaps, and 100 where
    T is not known. What is seen after the test changes nothing.

    >>> learner = ExploreThenCommit(pulls=1).start(2)
    >>> for loss in (0.5, 0.2, 1.0):
    ...     learner = learner.update(None, learner.predict(), loss)
    >>> learner.predict()  # arm 1 was better in its one pull
    1

    Lattimore and Szepesvári (2020), chapter 6. Ledger: A-ETC; T-ETC.
    """

    pulls: Annotated[int | None, Interval(1, EXACT, "[]", True)] = None
    guarantees = (T_ETC,)

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.pulls is not None:
            return self
        if shape.T == 0:
            return self.replace(pulls=100)
        most = max(1, shape.T // shape.n)
        return self.replace(pulls=min(most, math.ceil((shape.T / shape.n) ** (2 / 3))))

    def begin(self, shape: Shape) -> ArmMeans:
        return no_pulls(shape.n)

    def decide(self, state: ArmMeans, x: Offer) -> Array:
        m: Any = self.pulls
        arm, fewest, lowest = -1, np.inf, np.inf
        for i in range(state.N.shape[0]):
            if available(x, i) and state.N[i] < min(fewest, m):
                arm, fewest = i, state.N[i]
        if arm < 0:
            for i in range(state.N.shape[0]):
                if available(x, i) and state.S[i] < lowest:  # of equally many pulls
                    arm, lowest = i, state.S[i]
        return surely(state.v, arm)  # type: ignore[no-any-return]

    def learn(self, state: ArmMeans, x: Offer, v: Array, f: Pulled) -> ArmMeans:
        m: Any = self.pulls
        if state.N[f.arm] < m:
            state.N[f.arm] += 1.0
            state.S[f.arm] += f.loss
        return ArmMeans(state.N, state.S, state.v, state.t + 1)
