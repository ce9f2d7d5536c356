"""Epsilon-greedy: mostly the best arm so far, sometimes any arm."""

from __future__ import annotations

import math

import numpy as np

from ..core.guarantee import AWAKE, Assumption, Guarantee, Symbols
from ..core.parameters import Positive, Probability, Rate
from ..core.stream import Array
from ..games import Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .stochastic import IID, ArmMeans, count_pull, gaps, no_pulls


def regret(s: Symbols) -> float:
    """The chance of each bad arm, round by round, and 1 where the theorem says nothing yet."""
    g, d2 = gaps(s), s.gap**2
    t = np.arange(1, int(s.T) + 1)
    late = t[(t >= s.factor * s.n / s.gap) & (t >= 2)].astype(float)
    ratio = (late - 1) * d2 * math.exp(0.5) / (s.factor * s.n)
    late, ratio = late[ratio >= 1], ratio[ratio >= 1]
    p = s.factor / (d2 * late) + 4 * math.e / d2 * ratio ** (-s.factor / 2)
    p += 2 * (s.factor / d2) * np.log(ratio) * ratio ** (-s.factor / (5 * d2))
    each = np.minimum(g.sum() * p, g.max(initial=0.0))
    return float(s.B * (each.sum() + g.max(initial=0.0) * (s.T - len(late))))


def small(s: Symbols) -> str | None:
    least = gaps(s).min(initial=math.inf)
    return None if s.gap <= least * (1 + 1e-12) else f"it is {s.gap:g}, the least gap {least:g}"


T_EPSILON = Guarantee(
    "T-EPSILON-GREEDY",
    "epsilon-greedy",
    "after t >= c n / d rounds a bad arm is pulled with probability at most c/(d^2 t) + "
    "2 (c/d^2) ln(r) r^(-c/(5d^2)) + (4e/d^2) r^(-c/2), r = (t - 1) d^2 sqrt(e) / (c n), d = gap, c = factor",
    "Auer, Cesa-Bianchi and Fischer 2002, theorem 3, summed over the rounds",
    regret,
    measures="pseudo-regret",
    assumptions=(IID, AWAKE, Assumption("gap is at most the least gap", small)),
    mode="in expectation",
    uses=("T", "n", "B", "factor", "gap", "gaps"),
    when=lambda s: s.gap == s.gap,
)


class EpsilonGreedy(BanditLearner[ArmMeans]):
    """A baseline: the arm of the least mean so far, and any arm with probability epsilon.

        each round:  arms share epsilon in equal parts; the rest is for the least mean (arms not yet pulled come first)

    O(n) a round. Constant `epsilon` explores for ever, so regret grows with T. With `gap` (a number below the distance
    of the best arm to the second) it is min(1, factor n / (gap^2 t)) in round t, and regret is logarithmic.

    >>> learner = EpsilonGreedy(epsilon=0.2).start(2)
    >>> learner.update(None, 0, 1.0).update(None, 1, 0.5).propensities().tolist()
    [0.1, 0.9]

    Auer, Cesa-Bianchi and Fischer (2002). Ledger: A-EPSILON-GREEDY; T-EPSILON-GREEDY.
    """

    epsilon: Probability = 0.1
    gap: Rate = None
    factor: Positive = 5.0
    guarantees = (T_EPSILON,)

    def begin(self, shape: Shape) -> ArmMeans:
        return no_pulls(shape.n)

    def decide(self, state: ArmMeans, x: Offer) -> Array:
        n, arm, lowest, there = state.N.shape[0], 0, np.inf, 0.0
        for i in range(n):
            if available(x, i):
                there += 1.0
                mean = state.S[i] / state.N[i] if state.N[i] > 0.0 else -1.0
                if mean < lowest:
                    arm, lowest = i, mean
        epsilon = self.epsilon
        if self.gap > 0.0:  # type: ignore[operator]
            asked, rounds = self.factor * n, self.gap * self.gap * (state.t + 1.0)  # type: ignore[operator]
            epsilon = asked / rounds if rounds > asked else 1.0
        for i in range(n):
            state.v[i] = epsilon / there if available(x, i) else 0.0
        state.v[arm] += 1.0 - epsilon
        return state.v

    def learn(self, state: ArmMeans, x: Offer, v: Array, f: Pulled) -> ArmMeans:
        return count_pull(state, f)
