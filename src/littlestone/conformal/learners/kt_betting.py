"""Betting on misses: the threshold is the bet of Krichevsky and Trofimov."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import Guarantee, Symbols
from ...core.learner import Learner
from ...core.parameters import Magnitude
from ...core.scratch import Buffer
from ...core.stream import Array
from ...games import Game, Missed, PredictionInterval, Shape
from .misses import (
    EVERY_ROUND,
    Level,
    MissRecord,
    both,
    count_miss,
    empty_record,
    excess,
    noted_every_round,
    track_worst_round,
)

NEVER = -1e9  # below the logarithm of any bet: a round that cannot be beyond its bound


class State(NamedTuple):
    money: float  # what was won so far, and what it began with
    record: MissRecord
    d: Buffer  # the decision


def bet(X: float, T: float, wealth: float, B: float) -> float:
    """The logarithm of X/(T+1) W_0/(e sqrt(pi T)) exp(X^2/2T) / B: it grows with X, and is 0 at the theorem's."""
    won = math.log(wealth) - 1.0 - math.log(math.pi * T) / 2 + X * X / (2 * T)
    return math.log(X / (T + 1.0)) + won - math.log(B)


def bound(s: Symbols) -> float:
    """X + 1; X, where the bet reaches the largest score, is found by bisection."""
    B, T = float(max(s.highest, -s.lowest)), float(s.T)
    if B <= 0.0 or T <= 0.0:
        return 1.0
    low, high = 0.0, T
    if bet(high, T, s.wealth, B) <= 0.0:
        return T + 1.0
    for _ in range(200):
        middle = (low + high) / 2
        less = middle > 0.0 and bet(middle, T, s.wealth, B) < 0.0
        low, high = (middle, high) if less else (low, middle)
    return high + 1.0


def beyond(E: float, T: float, wealth: float, B: float) -> float:
    """How far E is beyond X + 1, as the bet at E - 1: above 0 where it is, so that X need not be found every round."""
    if E <= 1.0:
        return NEVER + E
    return bet(E - 1.0, T, wealth, B) if B > 0.0 else -NEVER


T_KT_BETTING = Guarantee(
    "T-KT-BETTING",
    "betting on misses",
    "|misses - alpha T| <= X + 1 after every round, X from X/(T+1) W_0/(e sqrt(pi T)) exp(X^2/2T) = B, for scores "
    "in [-B, B]",
    "Podkopaev, Xu & Lee 2024; Orabona & Pal 2016 for the wealth",
    bound,
    against="none",
    measures="over|under",
    uses=("T", "highest", "lowest", "wealth"),
)


class KTBetting(Learner[State, Any, Array, Missed]):
    """Bet on the next miss; the threshold is the bet.

        W = W_0, E = 0
        each round:  q = E / (t + 1) W after t rounds;  the interval is forecast -+ q;  c = miss - alpha;
                     W += c q;  E += c

    alpha is 1 - level, and W_0 is `wealth`. There is no step to choose: the bet grows by itself to whatever scores are.
    O(1) a round.

    >>> learner = KTBetting(level=0.75, wealth=8.0)
    >>> learner.update([10.0], 12.0).predict([10.0]).tolist()  # a miss: q = (3/4) / 2 * 8
    [7.0, 13.0]

    Podkopaev, Xu & Lee (2024).
    """

    level: Level = 0.9
    wealth: Magnitude = 1.0
    examples = True
    sparse = False
    guarantees = (T_KT_BETTING,)
    diagnostics = EVERY_ROUND

    def game(self, allocation: bool) -> Game:
        return PredictionInterval(self.level)

    def begin(self, shape: Shape) -> State:
        return State(self.wealth, empty_record(), np.zeros(2))

    def decide(self, state: State, x: Any) -> Array:
        b = state.record
        q = excess(b, 1.0 - self.level) / (b.rounds + 1.0) * state.money
        return both(state.d, q)  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, d: Array, f: Missed) -> State:
        alpha, missed = 1.0 - self.level, max(f.below, f.above)
        seen = count_miss(state.record, alpha, missed, max(f.low, f.high))
        E, T, B = excess(seen, alpha), float(seen.rounds), max(seen.top, -seen.bottom)
        over, under = beyond(E, T, self.wealth, B), beyond(-E, T, self.wealth, B)
        seen = track_worst_round(seen, alpha, over, under)
        return State(state.money + (missed - alpha) * d[0], seen, state.d)

    def write_diagnostics(self, state: State, M: Array) -> None:
        noted_every_round(state.record, M)
