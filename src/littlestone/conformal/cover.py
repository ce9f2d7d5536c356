"""Intervals that keep their coverage, each tail for itself, on any sequence."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from ..core.numeric import decay_one
from ..core.parameters import Bit, Positive
from ..core.stream import Array
from ..games import Game, Missed, PredictionInterval, Shape
from .misses import Late, Level, waited

HALF_LIVES = (12.0, 72.0, 500.0, 5000.0)  # of the errors that make up a scale, in rounds
MEMORY = 500.0  # half-life of what is known of rho
STEP, POWER, LEAST = 2.0, 0.7, 0.003  # a quantile is tracked with steps STEP t^-POWER + LEAST
FIRST = 2.0  # a tail of 5% begins about two mean errors away
RATE, SHARE = 1.0, 0.002  # by which the scales gain weight, and share it
FARTHEST = 700.0  # a weight is not multiplied by less than e^-700
PUSH, BRAKE = 0.3, 0.95  # how strongly E acts on the thresholds, and where below 0 that ends


class State(NamedTuple):
    rounds: int  # rounds whose truth is known
    misses: Array  # 2: those whose truth was missed, below and above
    over: float  # the largest E of a tail so far, at least 0
    under: float  # the largest -E of a tail so far, at least 0
    last: Array  # 3: the last error; sums of its products with the next one and with itself, which fade
    errors: Array  # K: sums of errors, which fade; the first half around 0, the second around rho times the last
    ones: Array  # K: sums of ones, which fade alike
    then: Array  # (late + 1) x (K + 1): the scales and the last error that were known when a round was decided
    q: Array  # 2 x K: the quantile of each tail in units of each scale
    w: Array  # 2 x K: the weights of the scales
    d: Array  # the decision


def slope(last: Any) -> float:
    """rho, the part of an error that is still there when it is known, as far as the errors so far tell."""
    return min(max(last[1] / last[2], -1.0), 1.0) if last[2] > 0.0 else 0.0


def corridor(rounds: float, kappa: float, late: float) -> float:
    """H(t) = kappa sqrt(t + 1) + d."""
    return kappa * math.sqrt(rounds + 1.0) + late


def pushed(spread: float, E: float, H: float, sharp: int) -> float:
    """The spread of a tail, stretched by its misses so far: infinite where E >= H."""
    if E >= H:
        return math.inf
    if E <= -H and sharp == 1:
        return -math.inf
    p = PUSH * math.tan(0.5 * math.pi * max(E / H, -BRAKE))
    if p > 500.0:
        return math.inf
    return float(spread) * math.exp(p if spread > 0.0 else -p)  # infinite where it overflows


def above(s: Symbols) -> float:
    tail = (1.0 - s.level) / 2
    return float(corridor(s.T, s.kappa, s.late) + (waited(s) + 1) * (1 - tail))


def below(s: Symbols) -> float:
    tail = (1.0 - s.level) / 2
    return float(corridor(s.T, s.kappa, s.late) + (waited(s) + 1) * tail)


T_COVER = Guarantee(
    "T-COVER",
    "coverage of each tail",
    "misses of each tail - (alpha/2) T <= H + (d + 1)(1 - alpha/2) after every round, H = kappa sqrt(T + 1) + late, "
    "whatever the scores, with feedback that is d rounds late",
    "direct: a tail that has missed too often is infinite until it has caught up",
    above,
    against="none",
    measures="over",
    uses=("T", "level", "kappa", "late", "crowd"),
    late=True,
)
T_COVER_BELOW = Guarantee(
    "T-COVER-BELOW",
    "coverage of each tail, too few misses",
    "(alpha/2) T - misses of each tail <= H + (d + 1) alpha/2 after every round, H = kappa sqrt(T + 1) + late, "
    "whatever the scores, with feedback that is d rounds late, where sharp = 1",
    "direct: a tail that has missed too seldom misses surely until it has caught up",
    below,
    against="none",
    measures="under",
    uses=("T", "level", "kappa", "late", "crowd"),
    when=lambda s: s.sharp == 1,
    late=True,
)


class Cover(Learner[State, Any, Array, Missed]):
    """Track the quantiles of both tails, and let no tail miss too often.

        each round, for each tail:  E = misses - alpha/2 t;  H = kappa sqrt(t + 1) + late;
                     the threshold is  sum_k w_k centre_k + exp(.3 tan(pi E / 2H)) sum_k w_k scale_k q_k,
                     and infinite where E >= H;
                     learn: q_k += (2 t^-.7 + .003)(miss of centre_k + scale_k q_k - alpha/2);
                     w_k by the pinball loss of centre_k + scale_k q_k, shared (fixed share)

    alpha is 1 - level. Centres are the forecast, and the forecast plus rho times the last error that is known (rho is
    their regression); scales are mean errors around each, over 12, 72, 500 and 5000 rounds. `late` says by how many
    rounds feedback is late. With sharp = 1 a tail with E <= -H misses surely, so that misses are not too few either;
    then a set may be empty. Before the first truth the set is everything. O(1) a round.

    >>> learner = Cover()
    >>> learner.predict([10.0]).tolist()
    [-inf, inf]
    >>> learner = learner.update([10.0], 12.0)
    >>> learner.predict([10.0]).round(3).tolist()  # twice an error of 2, less a little: no miss yet
    [6.066, 13.934]

    Ledger: T-COVER.
    """

    level: Level = 0.9
    kappa: Positive = 1.0
    late: Late = 0
    sharp: Bit = 0
    examples = True
    sparse = False
    guarantees = (T_COVER, T_COVER_BELOW)
    noted = ("over", "under")

    def game(self, allocation: bool) -> Game:
        return PredictionInterval(self.level)

    def begin(self, shape: Shape) -> State:
        K = 2 * len(HALF_LIVES)
        return State(
            0, np.zeros(2), 0.0, 0.0, np.zeros(3), np.zeros(K), np.zeros(K), np.zeros((self.late + 1, K + 1)),
            np.full((2, K), FIRST), np.full((2, K), 1.0 / K), np.zeros(2),
        )  # fmt: skip

    def decide(self, state: State, x: Any) -> Array:
        d, tail, K = state.d, 0.5 * (1.0 - self.level), state.ones.shape[0]
        H, m = corridor(state.rounds, self.kappa, self.late), slope(state.last) * state.last[0]
        for i in range(2):
            centre, spread = 0.0, math.inf
            if state.rounds > 0:
                spread = 0.0
                for k in range(K):
                    centre += 0.0 if 2 * k < K else state.w[i, k] * (2 * i - 1) * m
                    spread += state.w[i, k] * state.q[i, k] * state.errors[k] / state.ones[k]
            d[i] = centre + pushed(spread, state.misses[i] - tail * state.rounds, H, self.sharp)
        if (
            self.sharp == 0 and d[0] + d[1] < 0.0
        ):  # the limits have crossed: one point, no empty set
            d[0] = 0.5 * (d[0] - d[1])
            d[1] = -d[0]
        return d

    def learn(self, state: State, x: Any, d: Array, f: Missed) -> State:
        tail, K, t = 0.5 * (1.0 - self.level), state.ones.shape[0], state.rounds + 1
        over, under, step = state.over, state.under, STEP * t**-POWER + LEAST
        then = state.then[t % (self.late + 1)]  # what was known when this round was decided
        error, m = 0.5 * (f.high - f.low), slope(state.last) * then[K]
        for i in range(2):
            score, missed = (f.low, f.below) if i == 0 else (f.high, f.above)
            state.misses[i] += missed
            E = state.misses[i] - tail * t
            over, under = max(over, E), max(under, -E)
            if then[K // 2 - 1] > 0.0:
                total = 0.0
                for k in range(K):
                    centre = 0.0 if 2 * k < K else (2 * i - 1) * m
                    z, q = score - centre, state.q[i, k] * then[k]
                    paid = (1.0 - tail) * (z - q) if z > q else tail * (q - z)
                    state.w[i, k] *= decay_one(-min(RATE * paid / then[K // 2 - 1], FARTHEST))
                    total += state.w[i, k]
                    state.q[i, k] += step * (1.0 - tail if z > q else -tail)
                for k in range(K):
                    share = state.w[i, k] / total if total > 0.0 else 1.0 / K
                    state.w[i, k] = (1.0 - SHARE) * share + SHARE / K
        for k in range(K):
            keep = 0.5 ** (1.0 / HALF_LIVES[k % (K // 2)])
            state.errors[k] = keep * state.errors[k] + abs(error if 2 * k < K else error - m)
            state.ones[k] = keep * state.ones[k] + 1.0
        keep = 0.5 ** (1.0 / MEMORY)
        state.last[1] = keep * state.last[1] + then[K] * error
        state.last[2] = keep * state.last[2] + then[K] * then[K]
        state.last[0] = error
        for k in range(K):
            then[k] = state.errors[k] / state.ones[k]
        then[K] = error
        return State(
            t, state.misses, over, under, state.last, state.errors, state.ones, state.then, state.q, state.w,
            state.d,
        )  # fmt: skip

    def note(self, state: State, M: Array) -> None:
        M[0], M[1] = state.over, state.under
