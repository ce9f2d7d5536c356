"""OnlineLinearRegression: the learner for a stream of examples and numbers of which nothing is known beforehand."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Comparators, Guarantee
from ..core.learner import Learner
from ..core.losses import Square
from ..core.numeric import decay
from ..core.outcome import Outcome
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Game, Regression, Shape
from .online_linear import PRIOR, longer
from .parts.best_number_line import best_number_lines
from .parts.feature_scaling import (
    OUTLIER,
    Scaler,
    commit_scaler,
    init_scaler,
    is_cached,
    observe_value,
    standardise,
)
from .parts.memories import (
    BLEND,
    GAIN,
    HEARD,
    HEDGE,
    KEPT,
    NOISE,
    PULL,
    SCORE,
    SHARP,
    SPREAD,
    TOTAL,
    M,
    N,
    blank,
    excess,
    forget,
    look,
    step,
    unknown,
    weigh,
)
from .parts.outer_mixture import (
    HIGH,
    LOW,
    MIXTURE_PRICE,
    OPENING,
    OuterMixture,
    init_outer,
    mix_with_coin,
    update_outer,
)

RATE = 0.1  # of the blend
LEAST = 1e-12  # of the spread of the outcomes, squared: no noise is believed to be smaller
NOTHING = 1e-140  # the square of a smaller spread leaves the range of floats


class State(NamedTuple):
    beliefs: Array  # (1 + coordinates) x what memories believe, in the units of the outcomes
    scaler: Scaler  # the units of the coordinates
    units: Array  # of the outcomes: centre, mean distance from it, how many rounds these stand for
    experts: Array
    seen: Buffer  # lines x experts, of the last example; scores are distances from the centre
    lean: Buffer  # coordinates x memories, of the last example: z times the variance of its weight
    outer: OuterMixture  # of the memories' prediction with a gambler's
    length: float  # the mean number of coordinates in an example, and 1
    last: float  # the outcome of the last round
    t: int


T_ONLINE_LINEAR_REGRESSION = Guarantee(
    "T-ONLINE-LINEAR-REGRESSION",
    "a mixture of memories, in nats",
    "-ln of the density that the mixture gave to the outcomes <= ln 5 + ln T + that of each of its experts: four "
    "memories of a linear model, and their blend (outcomes cut at ten spreads from their centre)",
    "Vovk 1990; Herbster & Warmuth 1998, with a share that falls as 1/t",
    lambda s: math.log(N) + np.log(s.T),
    against="none",
    measures="excess",
    assumptions=(EVEN,),
    uses=("T",),
)
T_ONLINE_LINEAR_REGRESSION_BEST = Guarantee(
    "T-ONLINE-LINEAR-REGRESSION-BEST",
    "a mixture, one of whose two parts keeps up with every linear predictor",
    "square loss <= that of u + opening + (4/5 + 6 ln 2) B^2 + sum_i e_i + 2 a_i (ln(2 a_i / e_i) + D_i / 2 - 3/4)_+ "
    "for every linear predictor u with an intercept: opening = y_1^2 + (y_1 - first other outcome)^2; B <= 3 (max y "
    "- min y); a_i = |u_i| sqrt(V_i), with u_0 - c for the constant, c the one of these two outcomes that is nearer to "
    "0; V_i at least the sum of squared gradients of i and (2 B x_i)^2, and not much more; D_i <= ln(V_i / first V_i); "
    "sum_i e_i <= 4 B^2 (1 + ln(d + 1))",
    "Vovk 1990, and a gambler as in Kempka, Kotlowski & Warmuth 2019; proved in linear/parts/outer_mixture.py",
    lambda s: s.opening + MIXTURE_PRICE * s.span**2 + s.coin_regret,
    against="own",
    assumptions=(EVEN,),
    uses=("opening", "span", "coin_regret"),
)


class OnlineLinearRegression(Learner[State, Any, float, Outcome]):
    """Predict numbers in a stream: no parameters, no scaler, whatever the units of features and outcomes.

        z = each feature, less its centre and over its spread, as far as they are known
        four memories j, which keep 1, .999, .99 and .9 of what they knew:
            score s_j = <w_j, z>, of variance r_j;  error e_j = y - centre of the outcomes - s_j
            w_j += e_j / (noise_j + r_j) * z * variance of w_j;  precision of w_j += z^2 / noise_j
        a fifth expert blends their scores and the outcome of the last round, by gradient descent
        add the centre and the mean of the five, weighted by their likelihoods;  every expert shares 1/t of its weight
        predict a mixture of that and of a gambler on the features as they are, both cut to the range of the outcomes

    OnlineLinear with the square loss. The noise is a mean of squared errors, in the memory of its expert. An outcome
    further than ten spreads from the centre counts as if it were there. O(d) a round, O(nonzeros) on sparse examples.

    >>> learner = OnlineLinearRegression()
    >>> for x in range(200):
    ...     learner = learner.update([x % 7, 5e-9 * (x % 5)], 1e6 + 1e3 * (x % 7))
    >>> round(learner.predict([3, 1e-8]) / 1e3)
    1003

    Raftery, Kárný & Ettler (2010); Vovk (1990), the outer mixture. Ledger: A-ONLINE-LINEAR; T-ONLINE-LINEAR-REGRESSION,
    T-ONLINE-LINEAR-REGRESSION-BEST.
    """

    examples = True
    noted = ("excess", "span", "opening")
    guarantees = (T_ONLINE_LINEAR_REGRESSION, T_ONLINE_LINEAR_REGRESSION_BEST)

    def begin(self, shape: Shape) -> State:
        return ignorant(shape.n)

    def decide(self, state: State, x: Any) -> float:
        believe(state, x)
        return mix_with_coin(state.outer, x, state.units[0] + mean(state))

    def learn(self, state: State, x: Any, d: float, f: Outcome) -> State:
        if not is_cached(state.scaler, x, state.t):  # another example was looked at since
            self.decide(state, x)
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: float, f: Outcome) -> State:
        update_outer(state.outer, x, f.y, f.h)
        forget(state.beliefs, state.scaler, x, state.t)
        if state.units[1] > NOTHING:
            absorb(state, x, f.y, f.h, unsure(state, x))
        return following(state, x, f.y)

    def note(self, state: State, M: Array) -> None:
        M[0] = excess(state.experts)
        stats = state.outer.stats
        M[1], M[2] = stats[HIGH] - stats[LOW], stats[OPENING]

    def comparators(self, rounds: Any) -> Comparators:
        """Linear predictors in hindsight, with what the gambler may lose to each."""
        return best_number_lines(rounds, [state.outer for state in rounds.states])

    def game(self, allocation: bool) -> Game:
        return Regression(Square())


def ignorant(n: int) -> State:
    """Nothing is known of n features."""
    return State(
        blank(n), init_scaler(n), np.zeros(3), unknown(), np.zeros((SHARP + 1, N)), np.zeros((n, M)), init_outer(n),
        0.0, 0.0, 0,
    )  # fmt: skip


def cut(away: Any, spread: Any) -> Any:
    """A distance from the centre, of at most FAR spreads."""
    return min(max(away, -OUTLIER * spread), OUTLIER * spread)


def unsure(state: State, x: Any) -> float:
    """The precision of a weight of which nothing is known."""
    return longer(state.length, x, state.t) / (PRIOR * max(state.units[1], NOTHING) ** 2)  # type: ignore[no-any-return]


def believe(state: State, x: Any) -> None:
    """The score of each expert for an example."""
    if is_cached(state.scaler, x, state.t):
        return
    standardise(state.scaler, x, state.t)
    if state.units[1] > NOTHING:
        opine(state, x, unsure(state, x))
        return
    for j in range(N):  # all outcomes so far were alike
        state.seen[SCORE, j] = 0.0


def opine(state: State, x: Any, prior: float) -> None:
    """The scores for an example that has been standardised, once outcomes have a unit."""
    s, centre, spread, blend = (
        state.seen[SCORE],
        state.units[0],
        state.units[1],
        state.experts[BLEND],
    )
    look(state.beliefs, state.lean, state.scaler, x, prior, state.seen)
    mixed = blend[M] * cut(state.last - centre, spread)
    for j in range(M):
        s[j] = cut(s[j], spread)
        mixed += blend[j] * s[j]
    s[M] = cut(mixed, spread)


def mean(state: State) -> float:
    """What the experts say together, as a distance from the centre."""
    total = 0.0
    for j in range(N):
        total += state.experts[HEDGE, j] * state.seen[SCORE, j]
    return total


def absorb(state: State, x: Any, y: float, h: float, prior: float) -> None:
    """The experts are weighed by what happened, and the memories learn from it."""
    view, units, noise = state.seen, state.units, state.experts[NOISE]
    s, r = view[SCORE], view[SPREAD]
    u, before = cut(y - units[0], units[1]), cut(state.last - units[0], units[1])
    if noise[0] == 0.0:
        for j in range(N):
            noise[j] = units[1] * units[1]
    judge(state.experts, s, r, u, h, state.t)
    mingle(state.experts, s, u, before, units[1], h)
    for j in range(M):
        view[PULL, j] = h * (u - s[j]) / (noise[j] + h * r[j])
        view[SHARP, j] = h / noise[j]
    step(state.beliefs, state.lean, state.scaler, x, prior, view)
    listen(state.experts, s, r, u, units[1], h)


def following(state: State, x: Any, y: float) -> State:
    """The state of the next round, whose units know this one."""
    units = state.units
    commit_scaler(state.scaler, x)
    units[0], units[1], units[2] = observe_value(y, True, units[0], units[1], units[2])
    return State(
        state.beliefs, state.scaler, units, state.experts, state.seen, state.lean, state.outer,
        longer(state.length, x, state.t), y, state.t + 1,
    )  # fmt: skip


def judge(experts: Array, s: Array, r: Array, u: float, h: float, t: int) -> None:
    """Weigh the experts by the density that they gave to what happened."""
    best, mixture = -np.inf, 0.0
    for j in range(N):
        e, v = u - s[j], experts[NOISE, j] + r[j]
        experts[GAIN, j] = -0.5 * (e * e / v + np.log(2.0 * np.pi * v))
        best = max(best, experts[GAIN, j])
        experts[TOTAL, j] -= h * experts[GAIN, j]
    for j in range(N):
        less = experts[GAIN, j] - best
        mixture += experts[HEDGE, j] * decay(less)
        experts[GAIN, j] = decay(h * less)
    experts[TOTAL, N] -= h * (best + np.log(mixture))
    weigh(experts, t)


def mingle(experts: Array, s: Array, u: float, before: float, spread: float, h: float) -> None:
    """The blend follows the gradient of its own square loss, in units of what it sees."""
    seen = spread * spread + before * before
    for j in range(M):
        seen += s[j] * s[j]
    slope = min(RATE * h, 1.0) * (u - s[M]) / seen
    for j in range(M):
        experts[BLEND, j] += slope * s[j]
    experts[BLEND, M] += slope * before


def listen(experts: Array, s: Array, r: Array, u: float, spread: float, h: float) -> None:
    """How far outcomes lie from what each expert said, once its weights have had their part of the error."""
    for j in range(N):
        e, noise = u - s[j], experts[NOISE, j]
        # `min` changes nothing. Without it the compiler multiplies e * e by the noise before it divides, and that
        # leaves the range of floats where outcomes are below 1e-78 or above 1e76.
        share = min(noise / (noise + r[j]), 1.0)
        new = max(e * e * share, LEAST * spread * spread)
        experts[HEARD, j] = KEPT[j % M] * experts[HEARD, j] + h
        experts[NOISE, j] += (new - noise) * h / (experts[HEARD, j] + h)
