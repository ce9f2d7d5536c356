"""Intervals that keep their coverage, each tail for itself, on any sequence."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.errors import BadInput
from ...core.learner import Learner
from ...core.numeric import decay_one
from ...core.parameters import Bit, Magnitude
from ...core.scratch import Buffer
from ...core.stream import Array
from ...games import Game, Missed, PredictionInterval, Shape
from .corridor import T_COVER, T_COVER_BELOW, corridor, pushed
from .misses import Late, Level, is_worse, no_worst, note_worst, noted_then
from .regression import regressed, regression, slope
from .scales import (
    CENTRES,
    SLOW,
    faded,
    features,
    known_errors,
    per_centre,
    present,
    season_lengths,
    shared,
    slots,
    sums,
)

STEP, POWER, LEAST = 2.0, 0.7, 0.003  # a quantile is tracked with steps STEP t^-POWER + LEAST
RATE, SHARE = 1.0, 0.002  # by which the scales gain weight, and share it
FARTHEST = 700.0  # a weight is not multiplied by less than e^-700
STRETCH, STRETCHED = 0.03, 1.0  # the step of the logarithm of a stretch, and where it ends
LONGEST = 1_000_000.0  # places of a season
HEAD = 4  # of a decision: two thresholds, the usual error, the second centre


class State(NamedTuple):
    rounds: int  # rounds whose truth is known
    over: float  # the largest E of a tail so far, at least 0
    under: float  # the largest -E of a tail so far, at least 0
    misses: Array  # 2: rounds whose truth was missed, below and above
    p: Array  # 2: the logarithm of the stretch of each tail
    sums: Array  # of errors, which fade (`scales`)
    season: Array  # how many places each season has, and where they begin
    slots: Array  # what is known of each place of the seasons
    left: Array  # what is left of earlier errors (`regression`)
    q: Array  # 2 x K: the quantile of each tail in units of each scale
    w: Array  # 2 x K: the weights of the scales
    d: Buffer  # the decision: HEAD, the features of the regression, K scales and K weights
    worst: Array  # the worst rounds of a tail (`misses`)


class Cover(Learner[State, Any, Array, Missed]):
    """Track the quantiles of both tails, and let no tail miss too often.

        each round, for each tail:  E = misses - alpha/2 t;  H = kappa sqrt(t + 1) + late;
                     the threshold is  sum_k w_k centre_k + exp(p + .3 tan(pi E / 2H)) sum_k w_k scale_k q_k,
                     and infinite where E >= H;
                     learn: q_k += (2 t^-.7 + .003)(miss of centre_k + scale_k q_k - alpha/2);
                     w_k by the pinball loss of centre_k + scale_k q_k, shared (fixed share);
                     p += .03 / (1 + late) (miss - alpha/2), at most 1 either way

    alpha is 1 - level. Centres are the forecast, and the forecast plus a regression on the errors that are known: the
    last one, the mean of the last twelve, and those of the same place in each season. Scales are mean errors around
    each, over 12, 72, 500 and 5000 rounds, of each season's places, and of the spread of the forecasters. `late` says
    by how many rounds feedback is late.

    An example is a forecast (or a pair), then the spread where spread = 1, then a clock where there are seasons: the
    number of the round, say. season = (24, 168) has 24 and 168 places; the clock's remainder is the place.

    With sharp = 1 a tail with E <= -H misses surely, so that misses are not too few either; then a set may be empty.
    Before the first truth the set is everything. O(K) a round, K = 8 to 30 scales.

    >>> learner = Cover()
    >>> learner.predict([10.0]).tolist()
    [-inf, inf]
    >>> learner = learner.update([10.0], 12.0)
    >>> learner.predict([10.0]).round(
    ...     3
    ... ).tolist()  # ln 10 times an error of 2, less a little: no miss yet
    [5.478, 14.522]

    Ledger: T-COVER.
    """

    level: Level = 0.9
    kappa: Magnitude = 1.0
    late: Late = 0
    sharp: Bit = 0
    season: tuple[float, ...] = ()
    spread: Bit = 0
    examples = True
    sparse = False
    guarantees = (T_COVER, T_COVER_BELOW)
    diagnostics = ("over", "under", *noted_then())

    def game(self, allocation: bool) -> Game:
        K, F = CENTRES * per_centre(len(self.season), self.spread), features(len(self.season))
        return PredictionInterval(self.level, beside(self), HEAD + F + 2 * K)

    def begin(self, shape: Shape) -> State:
        for s in self.season:
            if not 2 <= s <= LONGEST or s != int(s):
                raise BadInput(
                    f"cover: season must be whole numbers of rounds, 2 to {LONGEST:,.0f}, not {s:g}"
                )
        if shape.n <= beside(self):
            raise BadInput(
                f"cover: an example has {shape.n} numbers; it must have a forecast"
                f"{', then the spread' * self.spread}{', then the clock' * bool(self.season)}"
            )
        K, F = CENTRES * per_centre(len(self.season), self.spread), features(len(self.season))
        first = max(-math.log(1.0 - self.level), 0.0)  # the tails of Laplace's distribution
        return State(
            0, 0.0, 0.0, np.zeros(2), np.zeros(2), sums(), season_lengths(self.season), slots(self.season),
            regression(F), np.full((2, K), first), np.full((2, K), 1.0 / K), np.zeros(HEAD + F + 2 * K),
            no_worst(),
        )  # fmt: skip

    def decide(self, state: State, x: Any) -> Array:
        d, tail, K, F = state.d, 0.5 * (1.0 - self.level), state.q.shape[1], state.left.shape[1]
        H, at = corridor(state.rounds, self.kappa, self.late), HEAD + F
        if state.rounds == 0:
            d[0] = math.inf
            d[1] = math.inf
            return d
        clock, spread = beside_forecasts(state.season.shape[0], self.spread, x)
        known_errors(state.sums, state.slots, state.season, clock, d, HEAD)
        d[3] = 0.0
        for i in range(F):
            d[3] += slope(state.left, i) * d[HEAD + i]
        j = at
        for c in range(CENTRES):
            j = present(state.sums, state.slots, state.season, c, clock, spread, self.spread, d, j)
        d[2] = d[at + SLOW]
        for k in range(K):
            d[at + K + k] = 0.5 * (state.w[0, k] + state.w[1, k])
        for i in range(2):
            centre, wide = 0.0, 0.0
            for k in range(K):
                centre += 0.0 if 2 * k < K else state.w[i, k] * (2 * i - 1) * d[3]
                wide += state.w[i, k] * state.q[i, k] * d[at + k]
            E = state.misses[i] - tail * state.rounds
            d[i] = centre + pushed(wide, E, H, self.sharp, state.p[i])
        if (
            self.sharp == 0 and d[0] + d[1] < 0.0
        ):  # the limits have crossed: one point, no empty set
            d[0] = 0.5 * (d[0] - d[1])
            d[1] = -d[0]
        return d

    def learn(self, state: State, x: Any, d: Array, f: Missed) -> State:
        tail, K, F, t = (
            0.5 * (1.0 - self.level),
            state.q.shape[1],
            state.left.shape[1],
            state.rounds + 1,
        )
        over, under, step, at = state.over, state.under, STEP * t**-POWER + LEAST, HEAD + F
        rate, stretch = RATE / math.sqrt(1.0 + self.late), STRETCH / (1.0 + self.late)
        H = corridor(t, self.kappa, self.late)
        error, unit = 0.5 * (f.high - f.low), d[2]  # the usual error when this round was decided
        for i in range(2):
            score, missed = (f.low, f.below) if i == 0 else (f.high, f.above)
            state.misses[i] += missed
            E = state.misses[i] - tail * t
            over, under = max(over, E), max(under, -E)
            is_worse(state.worst, 0, E - H, E, t)
            is_worse(state.worst, 1, -E - H, -E, t)
            state.p[i] = min(max(state.p[i] + stretch * (missed - tail), -STRETCHED), STRETCHED)
            if unit > 0.0:
                total = 0.0
                for k in range(K):
                    z = score - (0.0 if 2 * k < K else (2 * i - 1) * d[3])
                    q = state.q[i, k] * d[at + k]
                    paid = (1.0 - tail) * (z - q) if z > q else tail * (q - z)
                    state.w[i, k] *= decay_one(-min(rate * paid / unit, FARTHEST))
                    total += state.w[i, k]
                    state.q[i, k] += step * (1.0 - tail if z > q else -tail)
                for k in range(K):
                    share = state.w[i, k] / total if total > 0.0 else 1.0 / K
                    state.w[i, k] = (1.0 - SHARE) * share + SHARE / K
        clock, spread = beside_forecasts(state.season.shape[0], self.spread, x)
        for c in range(CENTRES):
            off = abs(error - (0.0 if c == 0 else d[3]))
            faded(state.sums, state.slots, state.season, c, clock, spread, off)
        shared(state.sums, state.slots, state.season, clock, spread, error)
        if unit > 0.0:
            regressed(state.left, d, HEAD, error, unit)
        return State(
            t, over, under, state.misses, state.p, state.sums, state.season, state.slots, state.left, state.q, state.w,
            state.d, state.worst,
        )  # fmt: skip

    def write_diagnostics(self, state: State, M: Array) -> None:
        note_worst(state.worst, M, 2, 1)


def beside(learner: Cover) -> int:
    """How many numbers of an example are no forecasts."""
    return learner.spread + int(len(learner.season) > 0)


def beside_forecasts(seasons: int, spread: int, x: Any) -> tuple[float, float]:
    """The clock and the spread of an example; 0 where it has none."""
    n = x.shape[0]
    return (x[n - 1] if seasons > 0 else 0.0), (x[n - 1 - min(seasons, 1)] if spread > 0 else 0.0)
