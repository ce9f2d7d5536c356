"""What experts say of the classes of an example, and how they are weighed by what happens."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...core.numeric import decay, log_one
from ...core.scratch import Scratch
from ...core.stream import Array
from ...engine.lanes import four, lanes, logs, put, total
from .feature_scaling import Scaler, Z, count_entries, feature_of_entry
from .memories import BLEND, GAIN, SCORE, TOTAL, M, N, chance, chances, weigh

RATE = 0.02  # of the blend
# Inputs of the blend by Newton's method: the memories, the last outcome, a constant, the gambler, the careful score.
INPUTS = M + 4
# Behind the covariance of their weights: a line for notes, and the careful score of the last example with its weight,
# for which BLEND has no room.
NOTES, CAREFUL, SCORED, WEIGHT = INPUTS, INPUTS + 1, 0, 1
Doubt = Annotated[Array, Scratch(np.s_[CAREFUL:, : SCORED + 1])]
CAREFULLY = 4.0  # squared deviations from 0 at which half of a weight is believed
FREE = (
    0.3  # variance of a weight of the blend of which nothing is known; 0.1 and 1 do about as well
)
WANDER = 1e-5  # what it grows by in a round, up to that
BETS, EXPERTS = N, N + 1  # after the memories and the blend comes a gambler
SURE = 15.0  # no score is believed beyond it: a probability of 3e-7
LEAST = 1e-15  # no probability of the gambler is smaller

# What else is known of an example, for each class: the margins of the memories against the other classes; what their
# scores and the blend of these are worth; the probabilities that follow.
MARGIN, SAY, P, LINES = 4, 5, 6, 7


def first(K: int) -> int:
    """With two classes one of them has weights, and the other the score 0."""
    return 1 if K <= 2 else 0


def share(view: Array) -> None:
    """Probabilities from scores, for each expert."""
    K = view.shape[0]
    if K == 2:
        p, last = chances(four(view[1], SAY, 0)), chance(view[1, SAY, M])
        put(view[1], P, 0, p)
        put(view[0], P, 0, 1.0 - p)
        view[0, P, M], view[1, P, M] = 1.0 - last, last
        if view.shape[2] > BETS:
            last = chance(view[1, SAY, BETS])
            view[0, P, BETS], view[1, P, BETS] = max(1.0 - last, LEAST), max(last, LEAST)
    else:
        share_among(view)


def share_among(view: Array) -> None:
    """`share`, for classes that all have scores."""
    for j in range(view.shape[2]):
        top, whole = crowd(view, SAY, j)
        for c in range(view.shape[0]):
            view[c, P, j] = max(decay(view[c, SAY, j] - top) / whole, LEAST)


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


def believed(score: float) -> float:
    """A score, as far as it is believed."""
    return min(max(score, -SURE), SURE)


def judge(experts: Array, view: Array, y: int, h: float, t: int) -> None:
    """Weigh the experts by the probability that they gave to what happened."""
    p, m = view[y, P], view.shape[2]
    first, last = four(view[y], P, 0), four(view[y], P, m - 4)  # which overlap
    lost, more = (
        four(experts, TOTAL, 0) - h * logs(first),
        four(experts, TOTAL, m - 4) - h * logs(last),
    )
    put(experts, TOTAL, 0, lost)
    put(experts, TOTAL, m - 4, more)
    put(experts, GAIN, 0, first)
    for j in range(M, m):
        experts[GAIN, j] = p[j]
    if h != 1.0:
        important(experts, p, h)
    weigh(experts, t)


def important(experts: Array, p: Array, h: float) -> None:
    """What a round of importance h says of experts, who gave the probabilities p to what happened."""
    best, m = 0.0, len(p)
    for j in range(m):
        best = max(best, p[j])
    for j in range(m):  # so that no power leaves the range of floats
        experts[GAIN, j] = (p[j] / best) ** h


def unsure() -> Array:
    """The covariance of the weights of the blend when nothing is known, and what lies behind it."""
    doubt = np.zeros((INPUTS + 2, 2 * M))
    for j in range(INPUTS):
        doubt[j, j] = FREE
    return doubt


def mingle(experts: Array, view: Array, y: int, last: int, h: float) -> None:
    """The blend follows the gradient of its own log loss."""
    K, rate = view.shape[0], min(RATE * h, 1.0)
    for c in range(first(K), K):
        slope = rate * ((1.0 if c == y else 0.0) - view[c, P, M])
        for j in range(M):
            experts[BLEND, j] += slope * view[c, SAY, j]
        experts[BLEND, M] += slope * lag(c, last, K)


def careful(b: Array, scaler: Scaler, x: Any, prior: float) -> float:
    """The score of the memory that forgets nothing, less what chance may have put into weights.

    Each weight counts as far as it is sure not to be 0: by t / (t + 4), t its square over its variance. Where a few
    features count and hundreds do not, most of the error is in the hundreds.
    """
    s, z, n = b[0, 0], scaler.last_row[Z], count_entries(scaler, x)
    four_sums = lanes(0.0, 0.0, 0.0, 0.0)
    for k in range(0, n - 3, 4):  # four divisions at a time
        e, f = feature_of_entry(scaler, x, k) + 1, feature_of_entry(scaler, x, k + 1) + 1
        g, h = feature_of_entry(scaler, x, k + 2) + 1, feature_of_entry(scaler, x, k + 3) + 1
        w, info = (
            lanes(b[e, 0], b[f, 0], b[g, 0], b[h, 0]),
            lanes(b[e, M], b[f, M], b[g, M], b[h, M]),
        )
        t = w * w * (prior + info)
        four_sums = four_sums + four(scaler.last_row, Z, k) * w * (t / (t + CAREFULLY))
    for k in range(n - n % 4, n):
        i = feature_of_entry(scaler, x, k) + 1
        t = b[i, 0] * b[i, 0] * (prior + b[i, M])
        s += z[k] * b[i, 0] * (t / (t + CAREFULLY))
    return s + total(four_sums)  # type: ignore[no-any-return]


def mingle_surely(experts: Array, doubt: Array, view: Array, y: int, last: int, h: float) -> None:
    """The blend of two classes learns by Newton's method: a Gaussian belief about its weights, with all covariances.

    The scores of the memories are nearly alike, and on sparse examples of which few are of one class all of them are
    too shy: by its gradient the blend needs thousands of rounds to find the factor.
    """
    own, bets = view[1], 0.0
    if view.shape[2] > BETS:
        bets = believed(own[SAY, BETS])
    says, more = (
        four(own, SAY, 0),
        lanes(lag(1, last, 2), 1.0, bets, doubt[CAREFUL, SCORED]),
    )
    for j in range(INPUTS):
        doubt[NOTES, j] = total(four(doubt, j, 0) * says + four(doubt, j, M) * more)
    lean, rest = four(doubt, NOTES, 0), four(doubt, NOTES, M)
    sharp = h * own[P, M] * (1.0 - own[P, M])
    part = 1.0 / (1.0 + sharp * max(total(lean * says + rest * more), 0.0))
    slope = h * part * ((1.0 if y == 1 else 0.0) - own[P, M])
    for j in range(INPUTS):
        q = doubt[NOTES, j]
        if j == INPUTS - 1:
            doubt[CAREFUL, WEIGHT] += slope * q
        elif j < experts.shape[1]:  # without a gambler there is no weight for it
            experts[BLEND, j] += slope * q
        put(doubt, j, 0, four(doubt, j, 0) - sharp * part * q * lean)
        put(doubt, j, M, four(doubt, j, M) - sharp * part * q * rest)
        doubt[j, j] += WANDER if doubt[j, j] < FREE else 0.0


def oppose(view: Array, y: int) -> None:
    """The margin of each class against the others together: positive where it says what happened."""
    K = view.shape[0]
    if K == 2:
        put(view[1], MARGIN, 0, (1.0 if y == 1 else -1.0) * four(view[1], SCORE, 0))
    else:
        oppose_others(view, y)


def oppose_others(view: Array, y: int) -> None:
    """`oppose`, for classes that all have scores."""
    K = view.shape[0]
    for j in range(M):
        top, whole = crowd(view, SCORE, j)
        for c in range(first(K), K):
            ahead = view[c, SCORE, j]
            ahead -= top + log_one(max(whole - decay(ahead - top), 1e-12 * whole))
            view[c, MARGIN, j] = ahead if c == y else -ahead
