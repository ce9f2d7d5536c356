"""Quantile tracking: one threshold, which rises after a miss and sinks after a hit."""

from __future__ import annotations

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
    waited,
    width,
)


class State(NamedTuple):
    q: float  # the threshold
    record: MissRecord
    d: Buffer  # the decision


def bound(s: Symbols) -> float:
    return float((width(s) + (1 + waited(s)) * s.eta) / s.eta)


T_QUANTILE_TRACKER = Guarantee(
    "T-QUANTILE-TRACKER",
    "quantile tracking",
    "|misses - alpha T| <= (B + (1 + d) eta) / eta after every round, for scores in an interval of length B that "
    "holds 0 and feedback that is d rounds late",
    "Angelopoulos, Candes & Tibshirani 2023",
    bound,
    against="none",
    measures="over|under",
    uses=("highest", "lowest", "eta", "crowd"),
    late=True,
)


class QuantileTracker(Learner[State, Any, Array, Missed]):
    """Raise the threshold after a miss, lower it after a hit.

        q = 0
        each round:  the interval is forecast -+ q;  q += eta (miss - alpha)

    alpha is 1 - level. The score of a round is how far the truth is from the forecast (or beyond the interval between
    two forecasts). eta should be a small part of what scores usually are. Where q is negative the set is empty. O(1) a
    round.

    >>> learner = QuantileTracker(level=0.75, eta=4.0)
    >>> learner.update([10.0], 12.0).predict([10.0]).tolist()  # a miss: q = 0 + 4 (1 - 1/4)
    [7.0, 13.0]

    Angelopoulos, Candes & Tibshirani (2023).
    """

    level: Level = 0.9
    eta: Magnitude = 0.1
    examples = True
    sparse = False
    guarantees = (T_QUANTILE_TRACKER,)
    diagnostics = EVERY_ROUND

    def game(self, allocation: bool) -> Game:
        return PredictionInterval(self.level)

    def begin(self, shape: Shape) -> State:
        return State(0.0, empty_record(), np.zeros(2))

    def decide(self, state: State, x: Any) -> Array:
        return both(state.d, state.q)  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, d: Array, f: Missed) -> State:
        alpha, missed = 1.0 - self.level, max(f.below, f.above)
        seen = count_miss(state.record, alpha, missed, max(f.low, f.high))
        E, allowed = excess(seen, alpha), (seen.top - seen.bottom) / self.eta
        seen = track_worst_round(seen, alpha, E - allowed, -E - allowed)
        return State(state.q + self.eta * (missed - alpha), seen, state.d)

    def write_diagnostics(self, state: State, M: Array) -> None:
        noted_every_round(state.record, M)
