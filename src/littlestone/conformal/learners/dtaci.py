"""Dynamically tuned ACI: eight rates at once, mixed by how well their levels do."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.guarantee import Guarantee, Symbols
from ...core.learner import Learner
from ...core.numeric import decay_one
from ...core.parameters import Count, Interval, Magnitude
from ...core.scratch import Buffer
from ...core.stream import Array
from ...games import Game, Missed, PredictionInterval, Shape
from .misses import NOTED, Level, MissRecord, both, count_miss, empty_record
from .past_scores import Past, past, quantile, remembered

GAMMAS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128)
Sharing = Annotated[float, Interval(0.0, 1.0, "[)")]


class State(NamedTuple):
    a: Array  # 8: the level of each rate
    w: Array  # 8: their weights
    lost: Array  # 8: the pinball losses of their levels
    own: float  # the pinball loss of the level that was played
    past: Past
    record: MissRecord
    d: Buffer  # 3: the decision, and the level behind it


def bound(s: Symbols) -> float:
    """Fixed share with losses in an interval of length R."""
    alpha, K = 1.0 - s.level, len(GAMMAS)
    R = max(alpha, 1 - alpha) * (1 + 2 * GAMMAS[-1])
    shared = -math.log1p(-s.sigma) * s.T / s.eta
    return float(math.log(K) / s.eta + shared + s.eta * R * R * s.T / 8)


T_DTACI = Guarantee(
    "T-DTACI",
    "the levels of eight rates, mixed",
    "pinball loss of the level - that of each rate <= ln K / eta - T ln(1 - sigma) / eta + eta R^2 T / 8, "
    "R = max(alpha, 1 - alpha) (1 + 2 gamma_K); this is regret: it says nothing of the misses",
    "Gibbs & Candes 2024; Herbster & Warmuth 1998 for the share, Hoeffding's lemma",
    bound,
    against="none",
    measures="behind",
    uses=("T", "level", "eta", "sigma"),
)


def pinball(beta: float, a: float, alpha: float) -> float:
    """What the level a costs, where beta is the largest level whose set would have held the truth (about)."""
    return alpha * (beta - a) if beta >= a else (1.0 - alpha) * (a - beta)


def held_up_to(p: Past, score: float) -> float:
    """beta: a set of a level below it holds a truth of this score."""
    held, above = min(p.seen, p.ring.shape[0]), 0
    for i in range(held):
        above += 1 if p.ordered[i] >= score else 0
    return (above + 1.0) / (held + 1.0)  # type: ignore[no-any-return]


class DtACI(Learner[State, Any, Array, Missed]):
    """Eight copies of ACI with different rates; their levels are mixed by how well they did.

        a_k = alpha, w_k = 1/8
        each round:  a = sum_k w_k a_k;  q = the (1 - a)-quantile of the last scores, as in aci;
                     beta = the share of the last scores (and of one infinite score) that are at least this one;
                     w_k *= exp(-eta pinball(beta, a_k)), normalised;  w = (1 - sigma) w + sigma / 8;
                     a_k += gamma_k (alpha - [a_k >= beta])

    alpha is 1 - level, gamma_k is .001, .002, …, .128. The levels are never clipped. What is bounded is the loss of the
    level, not the misses: the published bound on those is larger than the number of rounds at these rates. O(window) a
    round.

    >>> learner = DtACI(level=0.5, window=10)
    >>> for y in (1.0, 2.0, 3.0):
    ...     learner = learner.update([0.0], y)
    >>> learner.predict([0.0]).tolist()  # a little below 1/2: the third of {1, 2, 3, infinite}
    [-3.0, 3.0]

    Gibbs & Candes (2024).
    """

    level: Level = 0.9
    window: Count = 500
    eta: Magnitude = 2.72
    sigma: Sharing = 0.001
    examples = True
    sparse = False
    guarantees = (T_DTACI,)
    diagnostics = ("behind", *NOTED)
    key = "dtaci"

    def game(self, allocation: bool) -> Game:
        return PredictionInterval(self.level, 0, 3)

    def begin(self, shape: Shape) -> State:
        K = len(GAMMAS)
        return State(
            np.full(K, 1.0 - self.level),
            np.full(K, 1.0 / K),
            np.zeros(K),
            0.0,
            past(self.window),
            empty_record(),
            np.zeros(3),
        )

    def decide(self, state: State, x: Any) -> Array:
        a = 0.0
        for k in range(state.a.shape[0]):
            a += state.w[k] * state.a[k]
        if a <= 0.0:
            q = math.inf
        elif a >= 1.0:
            q = -math.inf
        else:
            q = quantile(state.past, 1.0 - a)
        state.d[2] = a
        return both(state.d, q)  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, d: Array, f: Missed) -> State:
        alpha, missed, score = 1.0 - self.level, max(f.below, f.above), max(f.low, f.high)
        beta, total, K = held_up_to(state.past, score), 0.0, state.a.shape[0]
        least = math.inf
        for k in range(K):
            least = min(least, pinball(beta, state.a[k], alpha))
        for k in range(K):
            paid = pinball(beta, state.a[k], alpha)
            state.lost[k] += paid
            state.w[k] *= decay_one(-self.eta * (paid - least))  # so that some weight is left
            total += state.w[k]
            state.a[k] += GAMMAS[k] * (alpha - (1.0 if state.a[k] >= beta else 0.0))
        for k in range(K):
            state.w[k] = (1.0 - self.sigma) * state.w[k] / total + self.sigma / K
        own = state.own + pinball(beta, d[2], alpha)
        seen = count_miss(state.record, alpha, missed, score)
        return State(
            state.a, state.w, state.lost, own, remembered(state.past, score), seen, state.d
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.own - state.lost[0]
        for k in range(1, state.lost.shape[0]):
            M[0] = max(M[0], state.own - state.lost[k])
        b = state.record
        M[1], M[2], M[3], M[4] = b.over, b.under, b.top, b.bottom
