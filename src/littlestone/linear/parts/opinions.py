"""What experts say of the classes of an example, and how they are weighed by what happens."""

from __future__ import annotations

from ...core.numeric import decay, log_one
from ...core.stream import Array
from ...engine.lanes import four, logs, put
from .memories import BLEND, GAIN, SCORE, TOTAL, M, N, chance, chances, weigh

RATE = 0.02  # of the blend
BETS, EXPERTS = N, N + 1  # after the memories and the blend comes a gambler
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
        return
    for j in range(view.shape[2]):
        top, whole = crowd(view, SAY, j)
        for c in range(K):
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


def judge(experts: Array, view: Array, y: int, h: float, t: int) -> None:
    """Weigh the experts by the probability that they gave to what happened."""
    best, p, m = 0.0, view[y, P], view.shape[2]
    put(experts, TOTAL, 0, four(experts, TOTAL, 0) - h * logs(four(view[y], P, 0)))
    for j in range(M, m):
        experts[TOTAL, j] -= h * log_one(p[j])
    for j in range(m):
        experts[GAIN, j] = p[j]
    if h != 1.0:
        for j in range(m):
            best = max(best, p[j])
        for j in range(m):  # so that no power leaves the range of floats
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
