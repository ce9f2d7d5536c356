"""The linear predictor with the fewest mistakes, where it has one weight or two: found exactly, by turning a line."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.core.stream import Array
from littlestone.hindsight.search.best_linear import Best, prepare_examples
from littlestone.hindsight.search.design import Design

MOST = 500_000  # rounds
NEAR = 1e-12  # directions closer than that are compared exactly
HOW = "every line was tried"


def fewest_mistakes(
    X: Any, y: Any, h: Any = None, *, intercept: bool = False, width: int = 0, zero: int = 1
) -> Best | None:
    """The u with the least sum_t h_t [label(u . x_t) != y_t]; y holds -1 and +1, a score of 0 is labelled `zero`.

        u turns once around: labels change only where u is at a right angle to an example
        so it is enough to try those directions, one between each two of them, and u = 0

    O(T log T), by sorting the angles. None where u has three weights or more, where the rounds are too many, or where
    two examples point in directions that floating point can hardly tell apart.

    >>> found = fewest_mistakes([[1.0], [2.0], [3.0]], [1.0, -1.0, 1.0], intercept=True)
    >>> found.loss, found.gap
    (1.0, 0.0)
    """
    D, lost = prepare_examples(X, y, "hinge", h, intercept, width)
    if D.d > 2 or not 0 < D.T <= MOST:
        return None
    P = plane(D)
    scale = 2.0 ** -np.frexp(np.abs(P).max(axis=0, initial=0.0))[1].astype(float)
    P = P * scale  # exactly: by powers of two, so that angles differ
    some = (P != 0.0).any(axis=1)
    base = float(lost.h[~some] @ (lost.y[~some] != (1.0 if zero else -1.0)))  # whatever u is
    every = directions(P[some])
    if every is None:
        return None
    u, value = fewest(every, P[some], lost.y[some], lost.h[some], zero)
    weights = (u * scale)[: D.d]
    if np.abs(weights).max(initial=0.0) > 0.0:
        weights = weights / np.abs(weights).max()
    z = D.scores(weights)
    measured = float(lost.h @ (np.where(z == 0.0, 2.0 * zero - 1.0, np.sign(z)) != lost.y))
    if abs(measured - value - base) > 1e-9 * float(lost.h.sum()):
        return None  # its scores are too close to 0 to be computed
    return Best(weights, measured, 0.0, HOW)


def plane(D: Design) -> Array:
    """The examples as points of the plane: a second coordinate of 0 where there is one weight."""
    P = np.column_stack([D.scores(e) for e in np.eye(D.d)]) if D.d else np.zeros((D.T, 0))
    return np.hstack((P, np.zeros((D.T, 2 - D.d))))


def directions(P: Array) -> Array | None:
    """The angles, in [0, pi), of the lines through 0 and each example, exactly alike on one line; None: unsure."""
    Q, back = np.unique(P * sides(P)[:, None], axis=0, return_inverse=True)
    back = back.reshape(-1)  # NumPy 2.0 makes a column of it
    angle = np.arctan2(Q[:, 1], Q[:, 0])
    order = np.argsort(angle, kind="stable")
    close = np.diff(angle[order]) < NEAR
    if len(order) and angle[order[-1]] > np.pi - NEAR:
        return None  # next to the line of angle 0
    for i in np.flatnonzero(close):
        a, b = Q[order[i]], Q[order[i + 1]]
        if cross(a, b) != 0:
            return None
        angle[order[i + 1]] = angle[order[i]]
    return np.asarray(angle[back.ravel()])


def sides(P: Array) -> Array:
    """On which side of 0 each example is on its line."""
    return np.where((P[:, 1] < 0.0) | ((P[:, 1] == 0.0) & (P[:, 0] < 0.0)), -1.0, 1.0)


def cross(a: Array, b: Array) -> Fraction:
    """a x b, exactly: 0 where both are on one line through 0."""
    f = [Fraction(float(v)) for v in (*a, *b)]
    return f[0] * f[3] - f[1] * f[2]


def fewest(angle: Array, P: Array, y: Array, h: Array, zero: int) -> tuple[Array, float]:
    """The direction with the fewest mistakes, and their number, among all directions and u = 0.

    With u at the angle a, an example at the angle b (of its line, in [0, pi)) and the side s has the sign of
    s cos(a - b): it changes where a passes b + pi/2 and b + 3 pi/2.
    """
    side = sides(P)
    lines, at = np.unique(angle, return_inverse=True)
    k = len(lines)
    label = 1.0 if zero else -1.0
    best, value = np.zeros(2), float(h @ (y != label))
    if not k:
        return best, value
    # per line: what examples cost where s cos > 0 on side +1, where it is < 0, and where it is 0
    ahead = np.bincount(at, h * (y != side), k)
    behind = np.bincount(at, h * (y == side), k)
    tied = np.bincount(at, h * (y != label), k)
    # u in the arc between the right angles to line j - 1 and line j, turned from line to line
    for turn in (1.0, -1.0):
        plus, minus = (ahead, behind) if turn > 0 else (behind, ahead)
        # u at lines[j] + pi/2 - a little: lines above j are ahead of it (cos > 0), those below are behind
        done = np.concatenate(([0.0], np.cumsum(minus)))  # lines that u has turned past
        left = np.concatenate((np.cumsum(plus[::-1])[::-1], [0.0]))
        arcs = done + left  # arc j: past lines 0 … j - 1
        ties = done[:-1] + tied + left[1:]  # at a right angle to line j
        edges = np.concatenate(([lines[-1] - np.pi], lines, [lines[0] + np.pi]))
        middles = 0.5 * (edges[:-1] + edges[1:]) + 0.5 * np.pi
        j = int(np.argmin(arcs))
        if arcs[j] < value:
            best, value = turn * np.array([np.cos(middles[j]), np.sin(middles[j])]), float(arcs[j])
        j = int(np.argmin(ties))
        if ties[j] < value:
            i = int(np.argmax(at == j))
            one = P[i] * side[i]
            best, value = turn * np.array([-one[1], one[0]]), float(ties[j])
    return best, value
