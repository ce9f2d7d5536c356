"""OnlineLinear: the learner for a stream of labelled examples of which nothing is known beforehand."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import Assumption, Guarantee
from ..core.learner import Learner
from ..core.numeric import decay, log_one
from ..core.outcome import Outcome
from ..core.rows import corner
from ..core.stream import Array
from ..core.vectors import index, size, soon
from ..engine.lanes import four, higher, logs, lower, put, roots
from ..games import Classes, Game, Shape
from .parts.feature_scaling import Standing, keep, met, standardise, unplaced
from .parts.memories import (
    BLEND,
    GAIN,
    HEDGE,
    MODERATE,
    PULL,
    SCORE,
    SHARP,
    SPREAD,
    TOTAL,
    M,
    N,
    blank,
    chance,
    chances,
    excess,
    forget,
    look,
    settle,
    step,
    unknown,
    weigh,
)

PRIOR = 10.0  # variance of a score of which nothing is known: its probability may be anything
SURE = 15.0  # no score is believed beyond it: a probability of 3e-7
RATE = 0.02  # of the blend


# What else is known of an example, for each class: the margins of the memories against the other classes; what their
# scores and the blend of these are worth; the probabilities that follow.
MARGIN, SAY, P, LINES = 4, 5, 6, 7


class State(NamedTuple):
    beliefs: Array  # classes (1 for two) x (1 + coordinates) x what memories believe
    standing: Standing  # the units of the coordinates
    experts: Array
    seen: Array  # classes x lines x experts, of the last example
    lean: Array  # classes x coordinates x memories, of the last example: z times the variance of its weight
    d: Array  # logarithms of the probabilities of the mixture
    length: float  # the mean number of coordinates in an example, and 1
    last: int  # the class of the last round
    t: int

    @classmethod
    def earlier(
        cls, beliefs: Array, standing: Standing, experts: Array, seen: Array, *rest: Any
    ) -> State:
        """What 0.8 and before wrote."""
        lean = np.zeros((len(beliefs), len(standing.place), M))
        return cls(beliefs, standing, experts, seen, lean, *rest)


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
        return ignorant(shape.n, max(1, shape.classes))

    def foresee(self, state: State, x: Any) -> None:
        for c in range(state.beliefs.shape[0]):
            b = state.beliefs[c]
            for k in range(size(x)):
                soon(b, index(x, k) + 1)
        for k in range(size(x)):
            soon(state.standing.place, index(x, k))

    def decide(self, state: State, x: Any) -> Array:
        believe(state, x)
        mix(state)
        return state.d

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        state.experts[TOTAL, N] -= f.h * d[int(f.y)]
        prior = believe(state, x)
        absorb(state, x, int(f.y), f.h, prior)
        keep(state.standing, x)
        return following(state, x, int(f.y))

    def note(self, state: State, M: Array) -> None:
        M[0] = excess(state.experts)

    def grow(self, old: State, new: State, shape: Shape) -> State:
        grown: State = corner(old, new)
        grown.standing.look[0] = -1.0  # what is known of the last example has other sizes
        if len(old.d) == 2 < len(grown.d):  # from one against the other to a softmax
            two_sides(grown.beliefs)
        return grown

    def game(self, allocation: bool) -> Game:
        return Classes(True)

    def for_numbers(self) -> Any:
        from .online_linear_regression import OnlineLinearRegression

        return OnlineLinearRegression()


def ignorant(n: int, K: int) -> State:
    """Nothing is known of n features and K classes."""
    weighed = max(1, K - first(K))
    return State(
        np.zeros((weighed, *blank(n).shape)), unplaced(n), unknown(), np.zeros((K, LINES, N)), np.zeros((weighed, n, M)),
        np.zeros(K), 0.0, -1, 0,
    )  # fmt: skip


def first(K: int) -> int:
    """With two classes one of them has weights, and the other the score 0."""
    return 1 if K <= 2 else 0


def two_sides(beliefs: Array) -> None:
    """Beliefs about one class against the other become beliefs about each of them."""
    one, other = beliefs[:2]
    one[:, :M] *= -0.5
    other[:, :M], other[:, M:] = -one[:, :M], one[:, M:]


def longer(length: float, x: Any, t: int) -> float:
    """The mean length of the examples, this one among them."""
    return length + (size(x) + 1.0 - length) / (t + 1.0)


def believe(state: State, x: Any) -> float:
    """What each expert thinks of an example; the precision of a weight of which nothing is known."""
    K, t = state.d.shape[0], state.t
    # a difference of two scores has the variance PRIOR, whether one of them moves or both
    prior: float = longer(state.length, x, t) / (PRIOR if K <= 2 else 0.5 * PRIOR)
    if met(state.standing, x, t):
        return prior
    standardise(state.standing, x, t)
    opine(state, x, prior)
    return prior


def opine(state: State, x: Any, prior: float) -> None:
    """What each expert thinks of an example that has been standardised."""
    K, view, blend = state.d.shape[0], state.seen, state.experts[BLEND]
    for c in range(first(K), K):
        own = view[c]
        i = c - first(K)
        look(state.beliefs[i], state.lean[i], state.standing, x, prior, own)
        worth = four(own, SCORE, 0) / roots(1.0 + MODERATE * four(own, SPREAD, 0))
        put(own, SAY, 0, lower(higher(worth, -SURE), SURE))
        mixed = blend[M] * lag(c, state.last, K)
        for j in range(M):
            mixed += blend[j] * own[SAY, j]
        own[SAY, M] = min(max(mixed, -SURE), SURE)
    share(view)


def mix(state: State) -> None:
    """The logarithms of the probabilities of the mixture."""
    for c in range(state.d.shape[0]):
        mean = 0.0
        for j in range(N):
            mean += state.experts[HEDGE, j] * state.seen[c, P, j]
        state.d[c] = log_one(mean)


def absorb(state: State, x: Any, y: int, h: float, prior: float) -> None:
    """The experts are weighed by what happened, and the memories learn from it."""
    K, t, view = state.d.shape[0], state.t, state.seen
    judge(state.experts, view, y, h, t)
    mingle(state.experts, view, y, state.last, h)
    oppose(view, y)
    for c in range(first(K), K):
        b, lean, own = state.beliefs[c - first(K)], state.lean[c - first(K)], view[c]
        margin, r = four(own, MARGIN, 0), h * four(own, SPREAD, 0)
        u = settle(margin, r)
        e = chances(0.0 - u)
        put(own, PULL, 0, (h if c == y else -h) * lower(e, (u - margin) / r))
        put(own, SHARP, 0, h * e * (1.0 - e))
        forget(b, state.standing, x, t)
        step(b, lean, state.standing, x, prior, own)


def following(state: State, x: Any, y: int) -> State:
    """The state of the next round."""
    return State(
        state.beliefs, state.standing, state.experts, state.seen, state.lean, state.d,
        longer(state.length, x, state.t), y, state.t + 1,
    )  # fmt: skip


def share(view: Array) -> None:
    """Probabilities from scores, for each expert."""
    K = view.shape[0]
    if K == 2:
        p, last = chances(four(view[1], SAY, 0)), chance(view[1, SAY, M])
        put(view[1], P, 0, p)
        put(view[0], P, 0, 1.0 - p)
        view[0, P, M], view[1, P, M] = 1.0 - last, last
        return
    for j in range(N):
        top, whole = crowd(view, SAY, j)
        for c in range(K):
            view[c, P, j] = decay(view[c, SAY, j] - top) / whole


def crowd(view: Array, line: int, j: int) -> tuple[float, float]:
    """The largest score of an expert, and the sum of exp(score - largest) over the classes."""
    top, whole = view[0, line, j], 0.0
    for c in range(1, view.shape[0]):
        top = max(top, view[c, line, j])
    for c in range(view.shape[0]):
        whole += decay(view[c, line, j] - top)
    return top, whole


def lag(c: int, last: int, K: int) -> float:
    """The last round as a feature: was it of this class?"""
    if last == c:
        return 1.0
    return -1.0 if K == 2 and last == 0 else 0.0


def judge(experts: Array, view: Array, y: int, h: float, t: int) -> None:
    """Weigh the experts by the probability that they gave to what happened."""
    best, p = 0.0, view[y, P]
    put(experts, TOTAL, 0, four(experts, TOTAL, 0) - h * logs(four(view[y], P, 0)))
    experts[TOTAL, M] -= h * log_one(p[M])
    for j in range(N):
        experts[GAIN, j] = p[j]
    if h != 1.0:
        for j in range(N):
            best = max(best, p[j])
        for j in range(N):  # so that no power leaves the range of floats
            experts[GAIN, j] = (p[j] / best) ** h
    weigh(experts, t)


def mingle(experts: Array, view: Array, y: int, last: int, h: float) -> None:
    """The blend follows the gradient of its own log loss."""
    K, rate = view.shape[0], min(RATE * h, 1.0)
    for c in range(first(K), K):
        slope = rate * ((1.0 if c == y else 0.0) - view[c, P, M])
        for j in range(M):
            experts[BLEND, j] += slope * view[c, SAY, j]
        experts[BLEND, M] += slope * lag(c, last, K)


def oppose(view: Array, y: int) -> None:
    """The margin of each class against the others together: positive where it says what happened."""
    K = view.shape[0]
    for j in range(M):
        top, whole = crowd(view, SCORE, j) if K > 2 else (0.0, 1.0)
        for c in range(first(K), K):
            ahead = view[c, SCORE, j]
            if K > 2:
                ahead -= top + log_one(max(whole - decay(ahead - top), 1e-12 * whole))
            view[c, MARGIN, j] = ahead if c == y else -ahead
