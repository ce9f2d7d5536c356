"""UCB1: the arm that may be the best, as far as one knows."""

from __future__ import annotations

import math

import numpy as np

from ..core.guarantee import AWAKE, Assumption, Guarantee, Symbols
from ..core.parameters import Positive
from ..core.stream import Array
from ..games import Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .stochastic import IID, ArmMeans, count_pull, gaps, no_pulls, surely, untried


def regret(s: Symbols) -> float:
    g = gaps(s)
    return float(s.B * ((8 * math.log(s.T) / g).sum() + (1 + math.pi**2 / 3) * g.sum()))


T_UCB = Guarantee(
    "T-UCB",
    "UCB1",
    "E[sum_t mean of the arm pulled - least mean] <= sum over gaps of 8 ln T / gap + (1 + pi^2/3) gap",
    "Auer, Cesa-Bianchi and Fischer 2002, theorem 1",
    regret,
    measures="pseudo-regret",
    assumptions=(
        IID,
        AWAKE,
        Assumption("explore is 2", lambda s: None if s.explore == 2.0 else f"it is {s.explore:g}"),
    ),
    mode="in expectation",
    uses=("T", "gaps", "B"),
)


class UCB1(BanditLearner[ArmMeans]):
    """Pull the arm whose mean loss may be the lowest: optimism in the face of uncertainty.

        pull each arm once;  then, after t rounds,  the arm with the least  mean_i - sqrt(2 ln t / pulls_i)

    O(n) a round. Of equal arms the first is pulled, and its propensity is 1: the log of a run that knows no chance
    says nothing about the other arms. An arm's sample mean is biased, since it is pulled again only after good luck.

    >>> learner = UCB1().start(2)
    >>> for loss in (0.0, 1.0, 0.0):
    ...     arm = learner.predict()
    ...     print(arm, learner.update(None, arm, loss).propensities().tolist())
    0 [0.0, 1.0]
    1 [1.0, 0.0]
    0 [1.0, 0.0]

    Auer, Cesa-Bianchi and Fischer (2002), for losses. Ledger: A-UCB; T-UCB; E-SAMPLE-MEAN.
    """

    explore: Positive = 2.0
    guarantees = (T_UCB,)

    def begin(self, shape: Shape) -> ArmMeans:
        return no_pulls(shape.n)

    def decide(self, state: ArmMeans, x: Offer) -> Array:
        arm, lowest = untried(state.N, x), np.inf
        if arm < 0:
            c = self.explore * math.log(state.t)
            for i in range(state.N.shape[0]):
                if available(x, i):
                    index = state.S[i] / state.N[i] - math.sqrt(c / state.N[i])
                    if index < lowest:
                        arm, lowest = i, index
        return surely(state.v, arm)  # type: ignore[no-any-return]

    def learn(self, state: ArmMeans, x: Offer, v: Array, f: Pulled) -> ArmMeans:
        return count_pull(state, f)
