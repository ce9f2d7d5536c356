"""EXP3: exponential weights on estimated losses."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np

from ..core.guarantee import AWAKE, Guarantee, Symbols
from ..core.numeric import decay, softmin
from ..core.parameters import Rate
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Game, Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .importance_weighting import estimate


class State(NamedTuple):
    est: Array  # the estimated total loss of each arm
    v: Buffer  # the decision
    own: float  # the sum of v . e, e the estimates of a round
    spent: float  # the sum of (eta/2) v . e^2
    t: int


def weigh(est: Array, eta: float, x: Offer, v: Array) -> None:
    """v_i = exp(-eta est_i) / sum over the arms that are there."""
    if x.on.shape[0] == 0:
        softmin(est, eta, v)
        return
    lowest, total = np.inf, 0.0
    for i in range(v.shape[0]):
        if available(x, i):
            lowest = min(lowest, est[i])
    for i in range(v.shape[0]):
        v[i] = decay(-eta * (est[i] - lowest)) if available(x, i) else 0.0
        total += v[i]
    for i in range(v.shape[0]):
        v[i] /= total


def excuse(est: Array, x: Offer, own: float) -> None:
    """An arm that is not there is charged what the learner is charged, so that it neither wins nor loses."""
    if x.on.shape[0] > 0:
        for i in range(est.shape[0]):
            if not available(x, i):
                est[i] += own


def pace(eta: float, n: int, t: int) -> float:
    """The rate of the round after t rounds: eta, or sqrt(ln n / (n (t+1))) where it is 0."""
    return eta if eta > 0.0 else math.sqrt(math.log(max(n, 2)) / (n * (t + 1.0)))


def rates(s: Symbols) -> tuple[float, float]:
    """The last rate, and (a bound on) the sum of all."""
    if s.eta > 0:
        return s.eta, s.eta * s.T
    last = math.sqrt(math.log(max(s.n, 2)) / (s.n * max(s.T, 1)))
    return last, 2 * last * s.T


T_EXP3_LEMMA = Guarantee(
    "T-EXP3-LEMMA",
    "exponential weights on estimates",
    "sum_t v_t . e_t - sum_t e_t,i <= ln n / eta_T + sum_t (eta_t/2) sum_i v_t,i e_t,i^2 for every arm i, "
    "e the estimates",
    "UCL COMP0078, Online learning II; Hedge on the estimates",
    lambda s: np.log(s.n) / rates(s)[0] + s.spent,
    against="none",
    measures="estimated",
    uses=("n", "T", "eta", "spent"),
)
T_EXP3 = Guarantee(
    "T-EXP3",
    "EXP3",
    "E[loss] - min_i L_i <= B (ln n / eta_T + (n/2) (eta_1 + ... + eta_T)), losses in an interval of length B: "
    "sqrt(2 T n ln n) B at eta = sqrt(2 ln n / (T n)), 2 sqrt(T n ln n) B at eta_t = sqrt(ln n / (t n))",
    "UCL COMP0078, Online learning II; Bubeck and Cesa-Bianchi 2012, theorem 3.1",
    lambda s: s.B * (np.log(s.n) / rates(s)[0] + s.n * rates(s)[1] / 2),
    mode="in expectation",
    uses=("T", "n", "B", "eta"),
)

T_EXP3_LATE = Guarantee(
    "T-EXP3-LATE",
    "EXP3 with late feedback",
    "E[loss] - min_i L_i <= B (ln n / eta + eta (n T / 2 + D) + N), D the outcomes that came while another was "
    "waited for, summed over the rounds, N those that never came",
    "as Thune, Cesa-Bianchi and Seldin 2019, by the mix loss, which allows every eta",
    lambda s: s.B * (np.log(s.n) / s.eta + s.eta * (s.n * s.T / 2 + s.lags) + s.never),
    assumptions=(AWAKE,),
    mode="in expectation",
    when=lambda s: s.eta > 0,
    delayed=True,
    uses=("T", "n", "B", "eta", "lags", "never"),
)


class EXP3(BanditLearner[State]):
    """Exponential weights, fed with losses that are estimated from the one that is seen.

        each round:  v_i = exp(-eta e_i) / sum;  draw an arm from v, see its loss
                     e_arm += loss / v_arm, which is the loss of every arm on average

    O(n) a round. Where eta is left out it is sqrt(2 ln n / (T n)), or sqrt(ln n / (t n)) where T is not known. A small
    v makes a large estimate, so a single run may stray far from its mean: see exp3-ix. An arm that is not there is
    charged the loss that was seen; then the bound holds for each arm over the rounds in which it was there.

    >>> learner = EXP3(eta=0.5).start(2)
    >>> learner = learner.update(None, 0, 1.0)
    >>> learner.propensities().round(3).tolist()  # e = (2, 0)
    [0.269, 0.731]

    Auer, Cesa-Bianchi, Freund and Schapire (2002), without their uniform exploration. Ledger: A-EXP3, A-IW; T-EXP3,
    T-EXP3-LEMMA, T-EXP3-LATE; X-EXP3; E-BANDIT-MIN.
    """

    eta: Rate = None
    diagnostics = ("estimated", "spent")
    guarantees = (T_EXP3, T_EXP3_LEMMA, T_EXP3_LATE)

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.eta is None and shape.T > 0:
            return self.replace(eta=math.sqrt(2 * math.log(max(shape.n, 2)) / (shape.T * shape.n)))
        return self

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n), np.full(shape.n, 1.0 / shape.n), 0.0, 0.0, 0)

    def decide(self, state: State, x: Offer) -> Array:
        weigh(state.est, pace(self.eta, state.v.shape[0], state.t), x, state.v)  # type: ignore[arg-type]
        return state.v

    def learn(self, state: State, x: Offer, v: Array, f: Pulled) -> State:
        eta, e = pace(self.eta, v.shape[0], state.t), estimate(f.loss, f.p)  # type: ignore[arg-type]
        own = f.p * e
        state.est[f.arm] += e
        excuse(state.est, x, own)
        spent = state.spent + 0.5 * eta * own * e
        return State(state.est, state.v, state.own + own, spent, state.t + 1)

    def write_diagnostics(self, state: State, M: Any) -> None:
        lowest = np.inf
        for i in range(state.est.shape[0]):
            lowest = min(lowest, state.est[i])
        M[0], M[1] = state.own - lowest, state.spent
