"""Strongly adaptive online conformal prediction: trackers with lifetimes, and coin betting among them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import UNANSWERED, Assumption, Comparators, Guarantee, Symbols
from ...core.learner import Learner
from ...core.parameters import Magnitude
from ...core.scratch import Buffer
from ...core.stream import Array
from ...games import Game, Missed, PredictionInterval, Shape
from .misses import Level, MissRecord, both, count_miss, empty_record

SCALES, ALIVE = 40, 4  # lifetimes 8, 16, 32, …; of each at most four trackers are alive


class State(NamedTuple):
    start: Array  # SCALES x ALIVE: the round in which each tracker began, 0 for none
    s: Array  # its threshold
    squares: Array  # the sum of the squares of its gradients
    won: Array  # the sum of its gains over the mixture
    money: Array  # the sum of its gains times its bets
    w: Array  # its bet
    pinball: float  # the pinball loss of the threshold that was played
    record: MissRecord
    d: Buffer  # the decision


def bound(s: Symbols) -> Any:
    return s.L + 15.0 * s.largest * math.sqrt(s.T * (math.log(max(s.T, 1)) + 1.0))


def inside(s: Symbols) -> str | None:
    if s.highest <= s.largest and s.lowest >= 0.0:
        return None
    return f"scores were between {s.lowest:.6g} and {s.highest:.6g}"


T_SAOCP = Guarantee(
    "T-SAOCP",
    "strongly adaptive regret",
    "pinball loss of the threshold <= that of any fixed threshold + 15 D sqrt(k (ln T + 1)) over any k rounds in a "
    "row, for scores in [0, D]; checked over all rounds, k = T. This is regret: it says nothing of the misses",
    "Bhatnagar, Wang, Xiong & Bai 2023, Theorem 2",
    bound,
    against="own",
    measures="pinball",
    assumptions=(Assumption("scores lie in [0, D]", inside),),
    uses=("T", "L", "largest", "highest", "lowest"),
)


def cost(score: float, q: float, alpha: float) -> float:
    """The pinball loss of a threshold."""
    return (1.0 - alpha) * (score - q) if score > q else alpha * (q - score)


def prior(i: float) -> float:
    """The weight of the tracker that began in round i."""
    return 1.0 / (i * i * (1.0 + math.floor(math.log2(i))))


def begin_tracker(state: State, t: int, q: float) -> None:
    """The tracker of round t begins, in the place of one whose life is over."""
    n, odd = 0, t
    while odd % 2 == 0 and n < state.s.shape[0] - 1:
        n, odd = n + 1, odd // 2
    j = (odd // 2) % state.s.shape[1]
    state.start[n, j] = t
    state.s[n, j] = q
    state.squares[n, j] = 0.0
    state.won[n, j] = 0.0
    state.money[n, j] = 0.0
    state.w[n, j] = 0.0


class SAOCP(Learner[State, Any, Array, Missed]):
    """A tracker (sf-ogd) begins in every round and lives for a while; those that do well carry the threshold.

        each round t:  a tracker begins, and lives for 8 times the largest power of 2 that divides t;
                     q = sum_i p_i s_i over those alive, p_i ~ i^-2 / (1 + floor(log2 i)) max(w_i, 0);
                     g_i = (loss of q - loss of s_i) / D, at least 0 where w_i <= 0;
                     w_i = sum g_i / its age  (1 + sum w_i g_i)

    D (`largest`) is what scores are at most. Follows changes of any length; what is bounded is the pinball loss, not
    the misses: a sequence can make it miss half of the rounds. O(log T) a round.

    >>> learner = SAOCP(level=0.5, largest=2.0)
    >>> for _ in range(20):
    ...     learner = learner.update([0.0], 1.0)
    >>> bool(abs(learner.predict([0.0])[1] - 1.0) < 0.5)  # it hovers around 1
    True

    Bhatnagar, Wang, Xiong & Bai (2023).
    """

    level: Level = 0.9
    largest: Magnitude = 1.0
    examples = True
    sparse = False
    guarantees = (T_SAOCP,)
    diagnostics = ("pinball", "over", "under", "highest", "lowest")
    key = "saocp"

    def game(self, allocation: bool) -> Game:
        return PredictionInterval(self.level)

    def begin(self, shape: Shape) -> State:
        start, s, squares, won, money, w = np.zeros((6, SCALES, ALIVE))
        start[0, 0] = 1.0
        return State(start, s, squares, won, money, w, 0.0, empty_record(), np.zeros(2))

    def decide(self, state: State, x: Any) -> Array:
        t, total, plain, q, even = state.record.rounds + 1.0, 0.0, 0.0, 0.0, 0.0
        for n in range(min(state.s.shape[0], int(math.log2(t)) + 1)):
            for j in range(state.s.shape[1]):
                i = state.start[n, j]
                if i > 0.0 and t < i + 8.0 * 2.0**n:
                    p = prior(i)
                    plain += p
                    even += p * state.s[n, j]
                    total += p * max(state.w[n, j], 0.0)
                    q += p * max(state.w[n, j], 0.0) * state.s[n, j]
        return both(state.d, q / total if total > 0.0 else even / plain)  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, d: Array, f: Missed) -> State:
        alpha, missed, score = 1.0 - self.level, max(f.below, f.above), max(f.low, f.high)
        t, mine = state.record.rounds + 1.0, cost(score, d[0], alpha)
        for n in range(min(state.s.shape[0], int(math.log2(t)) + 1)):
            for j in range(state.s.shape[1]):
                i = state.start[n, j]
                if i > 0.0 and t < i + 8.0 * 2.0**n:
                    g = (mine - cost(score, state.s[n, j], alpha)) / self.largest
                    g = g if state.w[n, j] > 0.0 else max(g, 0.0)
                    state.won[n, j] += g
                    state.money[n, j] += state.w[n, j] * g
                    state.w[n, j] = state.won[n, j] / (t - i + 1.0) * (1.0 + state.money[n, j])
                    slope = alpha - (1.0 if score > state.s[n, j] else 0.0)
                    state.squares[n, j] += slope * slope
                    if state.squares[n, j] > 0.0:
                        step = self.largest / math.sqrt(3.0 * state.squares[n, j])
                        state.s[n, j] -= step * slope
        begin_tracker(state, int(t) + 1, d[0])
        seen = count_miss(state.record, alpha, missed, score)
        return State(
            state.start, state.s, state.squares, state.won, state.money, state.w, state.pinball + mine, seen, state.d
        )  # fmt: skip

    def write_diagnostics(self, state: State, M: Array) -> None:
        b = state.record
        M[0], M[1], M[2], M[3], M[4] = state.pinball, b.over, b.under, b.top, b.bottom

    def comparators(self, rounds: Any) -> Comparators:
        """The fixed threshold with the least pinball loss in hindsight: a quantile of the scores."""
        known = rounds.known
        if not known.any():
            return Comparators("own", str, np.zeros(0), why=UNANSWERED)
        x, y, alpha = np.asarray(rounds.x)[known], rounds.y[known], 1.0 - self.level
        scores = np.sort(np.maximum(x.min(axis=1) - y, y - x.max(axis=1)))
        q = scores[min(math.ceil(self.level * len(scores)), len(scores)) - 1]
        lost = np.where(scores > q, (1 - alpha) * (scores - q), alpha * (q - scores)).sum()
        words = f"best fixed threshold, {q:.6g}"
        return Comparators("own", lambda i: words, np.array([float(lost) * rounds.passes]))
