"""OnlineLinear: the learner for a stream of labelled examples of which nothing is known beforehand."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.examples import corner
from ..core.games import Classes, Game, Shape
from ..core.guarantee import Assumption, Guarantee
from ..core.learner import Learner
from ..core.numeric import decay
from ..core.outcome import Outcome
from ..core.stream import Array
from ..core.vectors import size
from .memories import (
    BLEND,
    GAIN,
    HEDGE,
    MODERATE,
    TOTAL,
    M,
    N,
    chance,
    excess,
    forget,
    look,
    settle,
    step,
    unknown,
    weigh,
)
from .standing import keep, met, standardise, unplaced

PRIOR = 10.0  # variance of a score of which nothing is known: its probability may be anything
SURE = 15.0  # no score is believed beyond it: a probability of 3e-7
RATE = 0.02  # of the blend


# What is known of an example, for each class: the scores of the memories and their variances; their margins against
# the other classes, before and after a step; what the scores and their blend are worth; the probabilities that follow.
SCORE, SPREAD, MARGIN, SETTLED, SAY, P, LINES = 0, 1, 2, 3, 4, 5, 6


class State(NamedTuple):
    W: Array  # classes (1 for two) x (1 + coordinates) x memories: weights, the intercept first
    info: Array  # their precision, beyond that of the prior
    place: Array  # the units of the coordinates
    experts: Array
    seen: Array  # lines x classes x experts, of the last example
    d: Array  # logarithms of the probabilities of the mixture
    length: float  # the mean number of coordinates in an example, and 1
    last: int  # the class of the last round
    t: int


EVEN = Assumption(
    "every round counts alike", lambda s: None if s.even else "rounds have different importance"
)
T_ONLINE_LINEAR = Guarantee(
    "T-ONLINE-LINEAR",
    "a mixture of memories",
    "log loss <= ln 5 + ln T + the log loss of each of its experts: four memories of a linear model, and their blend",
    "Vovk 1990; Herbster & Warmuth 1998, with a share that falls as 1/t",
    lambda s: math.log(N) + np.log(s.T),
    against="none",
    measures="excess",
    assumptions=(EVEN,),
    uses=("T",),
)


class OnlineLinear(Learner[State, Any, Array, Outcome]):
    """Tell classes apart in a stream: no parameters, no scaler, any number of classes, features and shifts.

        z = each feature, less its centre and over its spread, as far as they are known
        four memories j, which keep 1, .999, .99 and .9 of what they knew:
            predict with <w_j, z>, moderated by its variance
            w_j += pull * z * variance of w_j;  precision of w_j += sharpness * z^2
        a fifth expert blends their scores and the class of the last round, by gradient descent
        predict the mixture of the five by their likelihoods;  everyone shares 1/t of his weight

    Which memory is right, and how far to trust the last class, is for the stream to say. The pull is that of the
    logistic loss after the step it causes, so no step overshoots: the memory that forgets most is close to
    passive-aggressive, the one that forgets nothing to Bayes. Several classes are a softmax in which the others
    stand still while one learns. Importance multiplies the loss. O(d K) a round, O(nonzeros K) on sparse examples,
    K the number of classes, or 1 for two of them. Decisions are logarithms of probabilities.

    >>> learner = OnlineLinear()
    >>> for _ in range(20):
    ...     learner = learner.update([1e6, 3e-6], "up").update([-1e6, 3e-6], "down")
    >>> learner.predict([2e6, 0.0]), learner.predict([-5e5, 0.0])
    ('up', 'down')

    A value that is not a number is refused; one that is out of all proportion counts as ten spreads. Raftery et al.
    (2010), dynamic model averaging; MacKay (1992); Kulis & Bartlett (2010), implicit steps; Mattern (2012), logistic
    mixing. Ledger: A-ONLINE-LINEAR; T-ONLINE-LINEAR.
    """

    examples = True
    labels = True
    noted = ("excess",)
    guarantees = (T_ONLINE_LINEAR,)

    def begin(self, shape: Shape) -> State:
        K, n = max(1, shape.classes), shape.n
        weighed = max(1, K - first(K))
        W, info = np.zeros((weighed, n + 1, M)), np.zeros((weighed, n + 1, M))
        return State(
            W, info, unplaced(n), unknown(), np.zeros((LINES, K, N)), np.zeros(K), 0.0, -1, 0
        )

    def decide(self, state: State, x: Any) -> Array:
        believe(state, x)
        for c in range(state.d.shape[0]):
            mean = 0.0
            for j in range(N):
                mean += state.experts[HEDGE, j] * state.seen[P, c, j]
            state.d[c] = np.log(mean)
        return state.d

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        K, y, h, t, view = state.d.shape[0], int(f.y), f.h, state.t, state.seen
        state.experts[TOTAL, N] -= h * d[y]
        prior = believe(state, x)
        judge(state.experts, view[P], y, h, t)
        mingle(state.experts, view[SAY], view[P], y, state.last, h)
        oppose(view[SCORE], view[MARGIN], y)
        for c in range(first(K), K):
            W, info = state.W[c - first(K)], state.info[c - first(K)]
            margin, r, u = view[MARGIN, c], view[SPREAD, c], view[SETTLED, c]
            for j in range(M):
                r[j] *= h
            settle(margin, r, u)
            forget(W, info, state.place, x, t)
            for j in range(M):
                e = chance(-u[j])
                pull = h * min(e, (u[j] - margin[j]) / r[j])
                sharp = h * e * (1.0 - e)
                step(W, info, state.place, x, prior, j, pull if c == y else -pull, sharp)
        keep(state.place, x, t)
        return State(
            state.W, state.info, state.place, state.experts, view, state.d, longer(state.length, x, t), y, t + 1
        )  # fmt: skip

    def note(self, state: State, M: Array) -> None:
        M[0] = excess(state.experts)

    def grow(self, old: State, new: State, shape: Shape) -> State:
        grown: State = corner(old, new)
        grown.place[0, 1] = -1.0  # what is known of the last example has other sizes
        if len(old.d) == 2 < len(grown.d):  # from one against the other to a softmax
            grown.W[0] *= -0.5
            grown.W[1] = -grown.W[0]
            grown.info[1] = grown.info[0]
        return grown

    def game(self, allocation: bool) -> Game:
        if allocation:
            raise BadInput(f"{self.key} needs examples and outcomes, not losses")
        return Classes(True)

    def for_numbers(self) -> Any:
        from .online_linear_regression import OnlineLinearRegression

        return OnlineLinearRegression()


def first(K: int) -> int:
    """With two classes one of them has weights, and the other the score 0."""
    return 1 if K <= 2 else 0


def longer(length: float, x: Any, t: int) -> float:
    """The mean length of the examples, this one among them."""
    return length + (size(x) + 1.0 - length) / (t + 1.0)


def believe(state: State, x: Any) -> float:
    """What each expert thinks of an example; the precision of a weight of which nothing is known."""
    K, t, view, blend = state.d.shape[0], state.t, state.seen, state.experts[BLEND]
    # a difference of two scores has the variance PRIOR, whether one of them moves or both
    prior = longer(state.length, x, t) / (PRIOR if K <= 2 else 0.5 * PRIOR)
    if met(state.place, x, t):
        return prior
    standardise(state.place, x, t)
    for c in range(first(K), K):
        s, r, say = view[SCORE, c], view[SPREAD, c], view[SAY, c]
        look(state.W[c - first(K)], state.info[c - first(K)], state.place, x, prior, s, r)
        mixed = blend[M] * lag(c, state.last, K)
        for j in range(M):
            say[j] = min(max(s[j] / np.sqrt(1.0 + MODERATE * r[j]), -SURE), SURE)
            mixed += blend[j] * say[j]
        say[M] = min(max(mixed, -SURE), SURE)
    share(view[SAY], view[P])
    return prior


def share(say: Array, p: Array) -> None:
    """Probabilities from scores, for each expert."""
    K = p.shape[0]
    for j in range(N):
        if K == 2:
            p[1, j] = chance(say[1, j])
            p[0, j] = 1.0 - p[1, j]
        else:
            top, whole = crowd(say, j)
            for c in range(K):
                p[c, j] = decay(say[c, j] - top) / whole


def crowd(scores: Array, j: int) -> tuple[float, float]:
    """The largest score of an expert, and the sum of exp(score - largest) over the classes."""
    top, whole = scores[0, j], 0.0
    for c in range(1, scores.shape[0]):
        top = max(top, scores[c, j])
    for c in range(scores.shape[0]):
        whole += decay(scores[c, j] - top)
    return top, whole


def lag(c: int, last: int, K: int) -> float:
    """The last round as a feature: was it of this class?"""
    if last == c:
        return 1.0
    return -1.0 if K == 2 and last == 0 else 0.0


def judge(experts: Array, p: Array, y: int, h: float, t: int) -> None:
    """Weigh the experts by the probability that they gave to what happened."""
    best = 0.0
    for j in range(N):
        best = max(best, p[y, j])
        experts[TOTAL, j] -= h * np.log(p[y, j])
    for j in range(N):
        odds = p[y, j] / best  # so that no power of it leaves the range of floats
        experts[GAIN, j] = odds if h == 1.0 else odds**h
    weigh(experts, t)


def mingle(experts: Array, say: Array, p: Array, y: int, last: int, h: float) -> None:
    """The blend follows the gradient of its own log loss."""
    K, rate = p.shape[0], min(RATE * h, 1.0)
    for c in range(first(K), K):
        slope = rate * ((1.0 if c == y else 0.0) - p[c, M])
        for j in range(M):
            experts[BLEND, j] += slope * say[c, j]
        experts[BLEND, M] += slope * lag(c, last, K)


def oppose(score: Array, margin: Array, y: int) -> None:
    """The margin of each class against the others together: positive where it says what happened."""
    K = score.shape[0]
    for j in range(M):
        top, whole = crowd(score, j) if K > 2 else (0.0, 1.0)
        for c in range(first(K), K):
            ahead = score[c, j]
            if K > 2:
                ahead -= top + np.log(max(whole - decay(ahead - top), 1e-12 * whole))
            margin[c, j] = ahead if c == y else -ahead
