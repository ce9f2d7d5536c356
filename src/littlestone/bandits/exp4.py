"""EXP4: exponential weights over advisers, each of which says with what probability to pull each arm."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import Guarantee, Symbols
from ..core.numeric import softmin
from ..core.parameters import Rate
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .importance_weighting import estimate


class State(NamedTuple):
    est: Array  # the estimated total loss of each adviser
    q: Buffer  # the weight of each adviser
    v: Buffer  # the decision
    own: float  # the sum of v . e, e the estimates of a round
    spent: float  # the sum of (eta/2) q . z^2, z the estimated losses of the advisers
    eta: float  # the rate; 0 where it falls
    t: int


def mass(x: Offer, j: int, n: int) -> float:
    """What adviser j gives to the arms that are there."""
    total = 0.0
    for i in range(n):
        if available(x, i):
            total += x.x[j * n + i]
    return total


def advised(x: Offer, j: int, i: int, n: int, total: float) -> float:
    """The probability of arm i by adviser j among those that are there; any arm, where he spoke of others only."""
    if total > 0.0:
        return x.x[j * n + i] / total  # type: ignore[no-any-return]
    there = 0
    for other in range(n):
        if available(x, other):
            there += 1
    return 1.0 / there


def pace(eta: float, n: int, k: int, t: int) -> float:
    """The rate of the round after t rounds: eta, or sqrt(ln k / (n (t+1))) where it is 0."""
    return eta if eta > 0.0 else math.sqrt(math.log(max(k, 2)) / (n * (t + 1.0)))


def rates(s: Symbols) -> tuple[float, float]:
    """The last rate, and (a bound on) the sum of all."""
    if s.rate_now > 0:
        return s.rate_now, s.rate_now * s.T
    last = math.sqrt(math.log(max(s.advisers, 2)) / (s.n * max(s.T, 1)))
    return last, 2 * last * s.T


def losses_of_advisers(advice: Any, losses: Any) -> Array:
    """What each adviser would have lost in total, on average over its draws: T x k x n advice, T x n losses.

    >>> losses_of_advisers([[[1.0, 0.0], [0.5, 0.5]]], [[0.0, 1.0]]).tolist()
    [0.0, 0.5]
    """
    Y = np.asarray(losses, float)
    A = np.asarray(advice, float).reshape(len(Y), -1, Y.shape[1])
    return np.einsum("tkn,tn->k", A, Y)  # type: ignore[no-any-return]


T_EXP4_LEMMA = Guarantee(
    "T-EXP4-LEMMA",
    "exponential weights on the estimates of advisers",
    "sum_t q_t . z_t - sum_t z_t,j <= ln k / eta_T + sum_t (eta_t/2) sum_j q_t,j z_t,j^2 for each of k advisers j, "
    "z_t,j = a_t,j . e_t, e the estimates",
    "Hedge on the estimates",
    lambda s: math.log(s.advisers) / rates(s)[0] + s.spent,
    against="none",
    measures="estimated",
    uses=("T", "rate_now", "advisers", "spent"),
)
T_EXP4 = Guarantee(
    "T-EXP4",
    "EXP4",
    "E[loss - min_j (estimated loss of adviser j)] <= ln k / eta_T + (n/2) (eta_1 + ... + eta_T), losses on [0, 1], "
    "and E[loss] - (expected loss of the best of k advisers) is at most as much: sqrt(2 T n ln k) "
    "at eta = sqrt(2 ln k / (T n))",
    "Auer, Cesa-Bianchi, Freund and Schapire 2002; Bubeck and Cesa-Bianchi 2012, theorem 4.2",
    lambda s: math.log(s.advisers) / rates(s)[0] + s.n * rates(s)[1] / 2,
    against="none",
    measures="estimated",
    mode="in expectation",
    uses=("T", "n", "rate_now", "advisers"),
)


class EXP4(BanditLearner[State]):
    """Exponential weights over k advisers who give probabilities of the n arms.

        each round:  q_j = exp(-eta z_j) / sum;  v = sum_j q_j advice_j;  draw an arm from v, see its loss
                     z_j += advice_j,arm loss / v_arm, for every adviser

    O(n k) a round. The features of a round are the k x n advice; each row must sum to one. Where eta is left out it is
    sqrt(2 ln k / (T n)), or sqrt(ln k / (t n)) where T is not known. Where arms are missing, what an adviser gives to
    the others is made to sum to one. The certificate compares with the best adviser as it was estimated;
    `losses_of_advisers` tells what each would have lost.

    >>> learner = EXP4(eta=0.5).start(2, features=4)
    >>> advice = [[1.0, 0.0], [0.5, 0.5]]  # q = (1/2, 1/2): v = (3/4, 1/4)
    >>> learner = learner.update(advice, 0, 0.75)
    >>> learner.propensities(advice).round(3).tolist()  # z = (1, 1/2)
    [0.719, 0.281]

    Auer, Cesa-Bianchi, Freund and Schapire (2002), without their uniform exploration. Ledger: A-EXP4, A-IW; T-EXP4,
    T-EXP4-LEMMA.
    """

    eta: Rate = None
    contexts = True
    diagnostics = ("estimated", "spent", "advisers", "rate_now")
    guarantees = (T_EXP4, T_EXP4_LEMMA)

    def examine(self, X: Array, n: int, first: int) -> None:
        if X.shape[1] % n:
            raise BadInput(
                f"{self.key}: features must be advice, {n} probabilities from each adviser, not {X.shape[1]} numbers"
            )
        A = X.reshape(len(X), -1, n)
        bad = (A < 0.0).any(axis=2) | (np.abs(A.sum(axis=2) - 1.0) > 1e-6)
        if bad.any():
            r, j = map(int, np.argwhere(bad)[0])
            row = f"row {first + r + 1}, " if first >= 0 else ""
            said = ", ".join(f"{p:g}" for p in A[r, j, :6]) + (", …" if n > 6 else "")
            raise BadInput(
                f"features: {row}adviser {j + 1} says ({said}): probabilities, one for each arm, must sum to 1"
            )

    def begin(self, shape: Shape) -> State:
        n, k, eta = shape.n, max(1, shape.features // shape.n), self.eta or 0.0
        if self.eta is None and shape.T > 0:
            eta = math.sqrt(2 * math.log(max(k, 2)) / (shape.T * n))
        return State(np.zeros(k), np.full(k, 1.0 / k), np.full(n, 1.0 / n), 0.0, 0.0, eta, 0)

    def decide(self, state: State, x: Offer) -> Array:
        n, k = state.v.shape[0], state.q.shape[0]
        softmin(state.est, pace(state.eta, n, k, state.t), state.q)
        for i in range(n):
            state.v[i] = 0.0
        for j in range(k):
            total = mass(x, j, n)
            for i in range(n):
                if available(x, i):
                    state.v[i] += state.q[j] * advised(x, j, i, n, total)
        return state.v

    def learn(self, state: State, x: Offer, v: Array, f: Pulled) -> State:
        n, k = v.shape[0], state.q.shape[0]
        softmin(state.est, pace(state.eta, n, k, state.t), state.q)
        return self.learn_now(state, x, v, f)

    def learn_now(self, state: State, x: Offer, v: Array, f: Pulled) -> State:
        n, k = v.shape[0], state.q.shape[0]
        e, second = estimate(f.loss, f.p), 0.0
        for j in range(k):
            z = advised(x, j, f.arm, n, mass(x, j, n)) * e
            state.est[j] += z
            second += state.q[j] * z * z
        spent = state.spent + 0.5 * pace(state.eta, n, k, state.t) * second
        own = state.own + f.p * e
        return State(state.est, state.q, state.v, own, spent, state.eta, state.t + 1)

    def write_diagnostics(self, state: State, M: Any) -> None:
        lowest = np.inf
        for j in range(state.est.shape[0]):
            lowest = min(lowest, state.est[j])
        M[0], M[1] = state.own - lowest, state.spent
        M[2], M[3] = state.est.shape[0], state.eta
