"""Conformal PID control: a tracked quantile, an integrator that becomes infinite, and the mean of the last scores."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import Guarantee, Symbols
from ...core.learner import Learner
from ...core.parameters import Magnitude, Probability, Rate
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

FADE = 0.5 ** (1.0 / 12.0)  # of the mean of the last scores
RECENT = 0.99  # what the largest recent score keeps in a round
STEP = 0.1  # eta, in largest recent scores (Angelopoulos et al. 2023, section 2.2)


class State(NamedTuple):
    q: float  # the tracked quantile
    mean: Array  # 2: sums of the last scores, and of ones, which fade
    top: float  # the largest of the last hundred scores or so
    record: MissRecord
    d: Buffer  # the decision


def rate_or(rate: Any, measured: float) -> float:
    """The rate that was set, or where it was left out (0 in the rules) the one that was measured."""
    return float(rate) if rate > 0.0 else measured


def saturated(T: float) -> float:
    """The largest (t + 1) / ln(t + 1) for t = 1, …, T: the last one, but for T = 2, where the first is larger."""
    return max((T + 1.0) / math.log(T + 1.0), 2.0 / math.log(2.0)) if T >= 1.0 else 0.0


def bound(s: Symbols) -> float:
    return float(0.5 * math.pi * s.C * saturated(s.T) + 1.0 + waited(s))


T_CONFORMAL_PID = Guarantee(
    "T-CONFORMAL-PID",
    "an integrator that becomes infinite",
    "|misses - alpha T| <= pi C (T + 1) / (2 ln(T + 1)) + 1 + d after every round (with T = 1 for T = 2), whatever the "
    "scores, with feedback that is d rounds late",
    "Angelopoulos, Candes & Tibshirani 2023, Theorem 1",
    bound,
    against="none",
    measures="over|under",
    uses=("T", "C", "crowd"),
    late=True,
)


class ConformalPID(Learner[State, Any, Array, Missed]):
    """Track a quantile (P), add an integrator of the misses (I), and the mean of the last scores (D).

        p = 0, E = 0
        each round:  q = p + K tan(E ln(t + 1) / (C (t + 1))) + cast m after t rounds, infinite where the tangent is;
                     the interval is forecast -+ q;  p += eta (miss - alpha);  E += miss - alpha

    alpha is 1 - level, and m the mean of the last scores (half-life 12). The integrator does nothing while misses are
    about as many as asked for, and everything when they are far off. Where eta or K is left out it is .1 or 1 times the
    largest of the last scores, which fades by 1% a round, so that units change nothing: with eta = .1, scores of
    10,000 were covered to .704 where .9 was asked for, by 1,924 infinite intervals of 3,000. O(1) a round.

    >>> learner = ConformalPID(level=0.75, eta=4.0, K=1.0)
    >>> learner.update([10.0], 12.0).predict([10.0]).round(
    ...     3
    ... ).tolist()  # a miss: 3 + tan(.75 ln 2 / 2)
    [6.734, 13.266]

    Angelopoulos, Candes & Tibshirani (2023).
    """

    level: Level = 0.9
    eta: Rate = None
    K: Rate = None
    C: Magnitude = 1.0
    cast: Probability = 0.0
    examples = True
    sparse = False
    guarantees = (T_CONFORMAL_PID,)
    diagnostics = EVERY_ROUND
    key = "conformal-pid"

    def game(self, allocation: bool) -> Game:
        return PredictionInterval(self.level)

    def begin(self, shape: Shape) -> State:
        return State(q=0.0, mean=np.zeros(2), top=0.0, record=empty_record(), d=np.zeros(2))

    def decide(self, state: State, x: Any) -> Array:
        b = state.record
        angle = excess(b, 1.0 - self.level) * math.log(b.rounds + 1.0) / (self.C * (b.rounds + 1.0))
        if angle >= 0.5 * math.pi:
            return both(state.d, math.inf)  # type: ignore[no-any-return]
        if angle <= -0.5 * math.pi:
            return both(state.d, -math.inf)  # type: ignore[no-any-return]
        cast = self.cast * state.mean[0] / state.mean[1] if state.mean[1] > 0.0 else 0.0
        K = rate_or(self.K, state.top)
        return both(state.d, state.q + K * math.tan(angle) + cast)  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, d: Array, f: Missed) -> State:
        alpha, missed, score = 1.0 - self.level, max(f.below, f.above), max(f.low, f.high)
        state.mean[0] = FADE * state.mean[0] + score
        state.mean[1] = FADE * state.mean[1] + 1.0
        seen = count_miss(state.record, alpha, missed, score)
        E, allowed = excess(seen, alpha), 0.5 * math.pi * self.C * saturated(seen.rounds)
        seen = track_worst_round(seen, alpha, E - allowed, -E - allowed)
        top = max(abs(score), RECENT * state.top)
        eta = rate_or(self.eta, STEP * top)
        return State(
            q=state.q + eta * (missed - alpha), mean=state.mean, top=top, record=seen, d=state.d
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        noted_every_round(state.record, M)
