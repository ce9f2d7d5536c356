"""KL-UCB: confidence intervals that know a coin's variance."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from ..core.guarantee import AWAKE, Assumption, Guarantee, Symbols
from ..core.intervals import divergence
from ..core.parameters import Interval
from ..core.stream import Array
from ..games import Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .stochastic import IID, UNIT, ArmMeans, count_pull, no_pulls, surely, untried


def regret(s: Symbols) -> float:
    """Any two parts of a gap give a bound; a grid of them gives nearly the least."""
    level = math.log1p(s.T * math.log(s.T) ** 2)
    best, total = float(np.min(s.means)), 0.0
    parts = np.linspace(0.02, 0.96, 48)
    for m in np.asarray(s.means, float):
        if m > best:
            gap = m - best
            total += gap * min(
                level / divergence(m - a * gap, best + b * gap)
                + 1 / (2 * (a * gap) ** 2)
                + 2 / (b * gap) ** 2
                for a in parts
                for b in parts
                if a + b < 0.99
            )
    return total


T_KL_UCB = Guarantee(
    "T-KL-UCB",
    "KL-UCB",
    "E[pseudo-regret] <= sum over gaps of gap (ln(1 + T ln^2 T) / KL(mean - a, least + b) + 1/(2a^2) + 2/b^2), for all "
    "a, b > 0 with a + b < gap; so regret / ln T comes down to the least that is possible",
    "Garivier and Cappé 2011; with these constants Lattimore and Szepesvári 2020, theorem 10.6",
    regret,
    measures="pseudo-regret",
    assumptions=(
        IID,
        AWAKE,
        UNIT,
        Assumption("c is 2", lambda s: None if s.c == 2.0 else f"c is {s.c:g}"),
    ),
    mode="in expectation",
    uses=("T", "means"),
)


def lowest_mean(p: float, R: float, enough: float) -> float:
    """The least q <= p with KL(p, q) <= R, for coins; or any number from `enough` up to it, where it is above that.

    KL is convex in q and falls on [0, p], so Newton's steps from a point on the left climb to the root and never
    pass it. Two points where KL >= R is known: p - sqrt(R/2) (Pinsker), and where p ln(p/q) alone makes up for it.

    >>> round(lowest_mean(1.0, math.log(2), 1.0), 12)
    0.5
    >>> lowest_mean(0.0, 3.0, 1.0), lowest_mean(0.3, 0.0, 1.0)
    (0.0, 0.3)
    """
    if p <= 0.0 or R <= 0.0:
        return max(p, 0.0)
    away = (1.0 - p) * math.log(1.0 - p) if p < 1.0 else 0.0
    q = max(p - math.sqrt(R / 2.0), p * math.exp((away - R) / p))
    for _ in range(60):
        if q <= 0.0 or q >= p or q >= enough:
            break  # so small that it is 0; or so near to p that no number lies between; or of no interest
        kl = p * math.log(p / q) - (1.0 - p) * math.log1p(-q) + away
        step = (kl - R) * q * (1.0 - q) / (p - q)
        if step <= 1e-14 * q:  # or below 0, by rounding
            break
        q = min(p, q + step)
    return max(q, 0.0)


class KLUCB(BanditLearner[ArmMeans]):
    """UCB with the confidence interval of a coin, which is narrow near 0 and 1.

        pull each arm once;  then, in round t,  the arm with the least q_i,
        the smallest q with  pulls_i KL(mean_i, q) <= ln(1 + t ln^c t)

    O(n) a round and some Newton steps an arm, to full accuracy where it matters. c = 2 has a finite-time bound; c = 0
    explores the least and is what people use in practice. Losses need not be 0 or 1: a coin is the most uncertain
    of all losses in [0, 1] with its mean.

    >>> learner = KLUCB().start(2)
    >>> for arm, loss in ((0, 0.0), (1, 1.0), (0, 1.0)):
    ...     learner = learner.update(None, arm, loss)
    >>> learner.propensities().tolist()  # q = 0.030 (mean 1/2 of 2 pulls), 0.115 (mean 1 of 1 pull)
    [1.0, 0.0]

    Garivier and Cappé (2011); Lattimore and Szepesvári (2020), algorithm 8. Ledger: A-KL-UCB; T-KL-UCB.
    """

    c: Annotated[float, Interval(0.0, 100.0)] = 2.0
    guarantees = (T_KL_UCB,)
    key = "kl-ucb"

    def begin(self, shape: Shape) -> ArmMeans:
        return no_pulls(shape.n)

    def decide(self, state: ArmMeans, x: Offer) -> Array:
        arm, lowest = untried(state.N, x), np.inf
        if arm < 0:
            t = state.t + 1.0
            level = math.log1p(t * math.log(t) ** self.c)
            for i in range(state.N.shape[0]):
                if available(x, i):
                    index = lowest_mean(state.S[i] / state.N[i], level / state.N[i], lowest)
                    if index < lowest:
                        arm, lowest = i, index
        return surely(state.v, arm)  # type: ignore[no-any-return]

    def learn(self, state: ArmMeans, x: Offer, v: Array, f: Pulled) -> ArmMeans:
        return count_pull(state, f)
