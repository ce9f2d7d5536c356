"""Adaptive conformal inference: the level of a quantile of the past scores is moved after every round."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import Guarantee, Symbols
from ...core.learner import Learner
from ...core.parameters import Count, Magnitude
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
)
from .past_scores import Past, past, quantile, remembered


class State(NamedTuple):
    a: float  # the level in use: the share of past scores that the set leaves out
    past: Past
    record: MissRecord
    d: Buffer  # the decision


def above(s: Symbols) -> float:
    """a_1 is alpha."""
    alpha = 1.0 - s.level
    return float((alpha + s.gamma * (1 - alpha) * (1 + waited(s))) / s.gamma)


def below(s: Symbols) -> float:
    alpha = 1.0 - s.level
    return float((1 - alpha + s.gamma * alpha * (1 + waited(s))) / s.gamma)


SOURCE = "Gibbs & Candes 2021, Proposition 4.1; the sharp constants: direct"
T_ACI = Guarantee(
    "T-ACI",
    "adaptive conformal inference",
    "misses - alpha T <= (a_1 + gamma (1 - alpha) (1 + d)) / gamma after every round, whatever the scores, with "
    "feedback that is d rounds late",
    SOURCE,
    above,
    against="none",
    measures="over",
    uses=("level", "gamma", "crowd"),
    late=True,
)
T_ACI_BELOW = Guarantee(
    "T-ACI-BELOW",
    "adaptive conformal inference, too few misses",
    "alpha T - misses <= (1 - a_1 + gamma alpha (1 + d)) / gamma after every round, whatever the scores, with "
    "feedback that is d rounds late",
    SOURCE,
    below,
    against="none",
    measures="under",
    uses=("level", "gamma", "crowd"),
    late=True,
)


class ACI(Learner[State, Any, Array, Missed]):
    """Use a quantile of the past scores, and move its level after every round.

        a = alpha
        each round:  q = the (1 - a)-quantile of the last scores, with one infinite score added;
                     everything where a <= 0, the empty set where a >= 1;  the interval is forecast -+ q;
                     a += gamma (alpha - miss)

    alpha is 1 - level. The level a is never clipped to [0, 1]: clipped, it loses its theorem. The last `window` scores
    are kept in order. O(window) a round.

    >>> learner = ACI(level=0.5, gamma=0.1, window=10)
    >>> for y in (1.0, 2.0, 3.0):
    ...     learner = learner.update([0.0], y)
    >>> learner.predict(
    ...     [0.0]
    ... ).tolist()  # a: .5, then .55, .5, .45; the first 55% of {1, 2, 3, infinite}
    [-3.0, 3.0]

    Gibbs & Candes (2021).
    """

    level: Level = 0.9
    gamma: Magnitude = 0.01
    window: Count = 500
    examples = True
    sparse = False
    guarantees = (T_ACI, T_ACI_BELOW)
    diagnostics = EVERY_ROUND

    def game(self, allocation: bool) -> Game:
        return PredictionInterval(self.level)

    def begin(self, shape: Shape) -> State:
        return State(1.0 - self.level, past(self.window), empty_record(), np.zeros(2))

    def decide(self, state: State, x: Any) -> Array:
        if state.a <= 0.0:
            q = math.inf
        elif state.a >= 1.0:
            q = -math.inf
        else:
            q = quantile(state.past, 1.0 - state.a)
        return both(state.d, q)  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, d: Array, f: Missed) -> State:
        alpha, missed, score = 1.0 - self.level, max(f.below, f.above), max(f.low, f.high)
        seen = count_miss(state.record, alpha, missed, score)
        E = excess(seen, alpha)  # its bounds are the same after every round
        seen = track_worst_round(seen, alpha, E, -E)
        return State(
            state.a + self.gamma * (alpha - missed), remembered(state.past, score), seen, state.d
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        noted_every_round(state.record, M)
