"""EXP3-IX: EXP3 whose estimates are a little too small, so that a single run stays close to its mean."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple, Self

import numpy as np

from ..core.guarantee import AWAKE, Guarantee, Symbols
from ..core.parameters import Interval, Rate
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Game, Offer, Pulled, Shape
from ..live.bandit_learner import BanditLearner
from .exp3 import excuse, pace, rates, weigh


class State(NamedTuple):
    est: Array  # the estimated total loss of each arm
    v: Buffer  # the decision
    t: int


def surpassed(s: Symbols, nats: float) -> float:
    """What the regret exceeds with probability at most 2 exp(-nats), or on average where nats = 1 + ln 2."""
    last, total = rates(s)
    return float(s.B * ((2 * math.log(s.n) + nats) / last + s.n * total + nats))


T_EXP3_IX = Guarantee(
    "T-EXP3-IX",
    "EXP3-IX",
    "with probability 1 - delta, for every arm i, (losses drawn) - L_i <= B ((2 ln n + ln(2/delta)) / eta_T "
    "+ n (eta_1 + ... + eta_T) + ln(2/delta)): at eta = sqrt(2 ln n / (T n)) at most B times "
    "2 sqrt(2 T n ln n) + (sqrt(2 T n / ln n) + 1) ln(2/delta)",
    "Neu 2015, theorem 1",
    lambda s: surpassed(s, math.log(2 / s.delta)),
    assumptions=(AWAKE,),
    mode="with probability 1 - delta",
    uses=("T", "n", "B", "eta", "delta"),
)
T_EXP3_IX_MEAN = Guarantee(
    "T-EXP3-IX-MEAN",
    "EXP3-IX in expectation",
    "E[loss - min_i L_i] <= B ((2 ln n + c) / eta_T + n (eta_1 + ... + eta_T) + c), c = 1 + ln 2",
    "Neu 2015, theorem 1, integrated over delta",
    lambda s: surpassed(s, 1 + math.log(2)),
    assumptions=(AWAKE,),
    mode="in expectation",
    uses=("T", "n", "B", "eta"),
)


class EXP3IX(BanditLearner[State]):
    """EXP3 with implicit exploration: the loss is divided by a little more than its probability.

        each round:  v_i = exp(-eta e_i) / sum;  draw an arm from v, see its loss
                     e_arm += loss / (v_arm + eta / 2)

    O(n) a round. No estimate exceeds 2 / eta, so rare draws do little harm, and the regret itself, not only its mean,
    is small with probability 1 - `delta`. That holds for every delta: the rule does not use it. Where eta is left out
    it is sqrt(2 ln n / (T n)), or sqrt(ln n / (t n)) where T is not known.

    >>> learner = EXP3IX(eta=0.5).start(2)
    >>> learner = learner.update(None, 0, 0.75)
    >>> learner.propensities().round(3).tolist()  # e = (0.75 / 0.75, 0)
    [0.378, 0.622]

    Neu (2015), Explore no more. Ledger: A-EXP3-IX; T-EXP3-IX, T-EXP3-IX-MEAN.
    """

    eta: Rate = None
    delta: Annotated[float, Interval(0.0, 1.0, "()")] = 0.05
    guarantees = (T_EXP3_IX, T_EXP3_IX_MEAN)

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.eta is None and shape.T > 0:
            return self.replace(eta=math.sqrt(2 * math.log(max(shape.n, 2)) / (shape.T * shape.n)))
        return self

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n), np.full(shape.n, 1.0 / shape.n), 0)

    def decide(self, state: State, x: Offer) -> Array:
        weigh(state.est, pace(self.eta, state.v.shape[0], state.t), x, state.v)  # type: ignore[arg-type]
        return state.v

    def learn(self, state: State, x: Offer, v: Array, f: Pulled) -> State:
        gamma = 0.5 * pace(self.eta, v.shape[0], state.t)  # type: ignore[arg-type]
        e = f.loss / (f.p + gamma)
        state.est[f.arm] += e
        excuse(state.est, x, f.p * e)
        return State(state.est, state.v, state.t + 1)
