"""EXP3.S: EXP3 that shares, to follow the best sequence of arms."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple, Self

import numpy as np

from ..core.guarantee import AWAKE, Guarantee, Symbols
from ..core.parameters import EXACT, Interval
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Game, Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .exp3_exploring import explore

E1 = math.e - 1


class State(NamedTuple):
    w: Array  # the shared weights, which sum to one
    v: Buffer  # the decision
    gamma: float  # the share of draws for exploring
    alpha: float  # the share rate
    size: int  # rounds of this stretch; 0 where rates stay for ever
    t: int  # rounds of it that are over


def share_for(n: int, shifts: float, T: float) -> float:
    """The gamma that suits so many shifts in T rounds, at alpha = 1/T."""
    return min(1.0, math.sqrt(n * ((shifts + 1) * math.log(n * T) + math.e) / (E1 * T)))


def price(n: int, k: Any, alpha: float, gamma: float, T: int) -> Any:
    """What T rounds cost against sequences with k shifts."""
    return n * ((k + 1) * math.log(n / alpha) + math.e * alpha * T) / gamma + E1 * gamma * T


def doubled(s: Symbols) -> Any:
    """Stretches of 1, 2, 4, … rounds add up; each shift costs at most what it would in the last of them."""
    total, per, size, left = 0.0, 0.0, 1, int(s.T)
    while left > 0:
        gamma = s.gamma if s.gamma > 0 else share_for(s.n, s.shifts, size)
        alpha = s.alpha if s.alpha > 0 else 1.0 / size
        total += price(s.n, 0, alpha, gamma, min(size, left))
        per = max(per, s.n * math.log(s.n / alpha) / gamma)
        left, size = left - size, 2 * size
    return s.B * (total + s.k * per)


T_EXP3_S = Guarantee(
    "T-EXP3-S",
    "EXP3.S",
    "E[loss] - L <= B (n ((k+1) ln(n/alpha) + e alpha T) / gamma + (e-1) gamma T) for every sequence of arms with k "
    "shifts: 2 sqrt(e-1) sqrt(n T ((k+1) ln(n T) + e)) B at alpha = 1/T and the best gamma",
    "Auer, Cesa-Bianchi, Freund and Schapire 2002, theorem 8.1",
    lambda s: s.B * price(s.n, s.k, s.alpha, s.gamma, s.T),
    against="sequence",
    assumptions=(AWAKE,),
    mode="in expectation",
    when=lambda s: s.alpha > 0 and s.gamma > 0,
    uses=("T", "n", "k", "B", "alpha", "gamma"),
)
T_EXP3_S_DOUBLING = Guarantee(
    "T-EXP3-S-DOUBLING",
    "EXP3.S without a horizon",
    "E[loss] - L <= the sum of T-EXP3-S over stretches of 1, 2, 4, … rounds, for every sequence of arms with k shifts",
    "Auer, Cesa-Bianchi, Freund and Schapire 2002, theorem 8.1, with the doubling trick",
    doubled,
    against="sequence",
    assumptions=(AWAKE,),
    mode="in expectation",
    when=lambda s: not (s.alpha > 0 and s.gamma > 0),
    uses=("T", "n", "k", "B"),
)


class EXP3S(BanditLearner[State]):
    """Follow the best sequence of arms: weights grow with estimated rewards, and share a little after each round.

        each round:  v_i = (1 - gamma) w_i + gamma / n;  draw an arm from v
                     w_arm *= exp(gamma reward / (n v_arm));  w_i += e alpha / n;  w normalised

    O(n) a round; sharing keeps weights from vanishing. Left out, alpha is 1/T and gamma suits `shifts` changes of the
    best arm in T rounds. Where T is not known, both suit 1, 2, 4, … rounds in turn, and it starts again for each.

    >>> learner = EXP3S(gamma=0.5, alpha=0.1).start(2)
    >>> learner = learner.update(None, 0, reward=1.0)  # w: exp(1/2) / 2 + e / 20 to 1/2 + e / 20
    >>> learner.propensities().round(3).tolist()
    [0.551, 0.449]

    Auer, Cesa-Bianchi, Freund and Schapire (2002), section 8. Ledger: A-EXP3-S; T-EXP3-S, T-EXP3-S-DOUBLING.
    """

    gamma: Annotated[float | None, Interval(0.0, 1.0, "(]")] = None
    alpha: Annotated[float | None, Interval(0.0, 1.0, "(]")] = None
    shifts: Annotated[int, Interval(0, EXACT, "[]", True)] = 1
    guarantees = (T_EXP3_S, T_EXP3_S_DOUBLING)

    def tuned(self, shape: Shape, game: Game) -> Self:
        if shape.T == 0:
            return self
        gamma = self.gamma or share_for(shape.n, self.shifts, shape.T)
        return self.replace(gamma=gamma, alpha=self.alpha or 1.0 / shape.T)

    def begin(self, shape: Shape) -> State:
        n, given = shape.n, bool(self.gamma and self.alpha)
        gamma, alpha = self.gamma or share_for(n, self.shifts, 1.0), self.alpha or 1.0
        return State(np.full(n, 1.0 / n), np.full(n, 1.0 / n), gamma, alpha, 0 if given else 1, 0)

    def decide(self, state: State, x: Offer) -> Array:
        n, total = state.v.shape[0], 0.0
        for i in range(n):
            state.v[i] = state.w[i] if available(x, i) else 0.0
            total += state.v[i]
        for i in range(n):
            state.v[i] /= total
        explore(state.v, state.gamma, x)
        return state.v

    def learn(self, state: State, x: Offer, v: Array, f: Pulled) -> State:
        n, gamma, alpha, size, t = v.shape[0], state.gamma, state.alpha, state.size, state.t + 1
        reward, total = 1.0 - f.loss, 0.0
        grow = math.exp(min(gamma * reward / (n * f.p), 1.0))  # at most e, as v_arm >= gamma / n
        alike = math.exp(gamma * reward / n)  # for an arm that is not there, which does as we do
        state.w[f.arm] *= grow
        for i in range(n):
            if not available(x, i):
                state.w[i] *= alike
            state.w[i] += math.e * alpha / n
            total += state.w[i]
        for i in range(n):
            state.w[i] /= total
        if size > 0 and t == size:
            size, t = 2 * size, 0
            gamma = self.gamma if self.gamma > 0.0 else share_for(n, self.shifts, size)  # type: ignore[operator, assignment]
            alpha = self.alpha if self.alpha > 0.0 else 1.0 / size  # type: ignore[operator, assignment]
            for i in range(n):
                state.w[i] = 1.0 / n
        return State(state.w, state.v, gamma, alpha, size, t)
