"""The best fixed convex combination of the experts in hindsight, for square loss."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.hindsight.folds.linear import Blocks, pieces, rows_without_nan
from littlestone.hindsight.search.clock import Clock

EPS = float(np.finfo(float).eps)
SOLVE = 0.05  # units of work for a system of one equation; for n of them n^3 times as many


class Mixture:
    """Fold rounds into the mixture q of the experts with the least total square loss.

        r_t = x_t - y_t          the experts' errors: q . r_t is the mixture's, as sum_i q_i = 1
        G = sum_t r_t r_t'       so the loss of q is q' G q, with no cancellation: y is not in it

    O(n^2) a round and O(n^2) memory. Rounds in which an expert or the outcome is missing (NaN) are
    left out and counted in `skipped`: a mixture of the others would be another comparator.

    The experts are off by +1 and -3 in every one of two rounds: 3/4 and 1/4 cancel.

    >>> fold = Mixture(2)
    >>> fold.add(np.array([[101.0, 97.0], [51.0, 47.0]]), np.array([100.0, 50.0]))
    >>> q, loss, gap = fold.best()
    >>> q.round(12).tolist(), round(loss, 12), round(gap, 12)
    ([0.75, 0.25], 0.0, 0.0)
    """

    def __init__(self, n: int) -> None:
        if n < 1:
            raise BadInput(f"a mixture needs n >= 1 experts; got n={n}")
        self.n = n
        self.rounds = self.skipped = 0
        self._G = np.zeros((n, n))
        self._blocks = Blocks(1024, n)

    def add(self, x: Array, y: Array) -> None:
        """Fold in T rounds: x is T x n advice, y has T outcomes."""
        for some, outcomes in pieces(x, y, self.n):
            errors = rows_without_nan(some - outcomes[:, None])
            self.rounds += len(errors)
            self.skipped += len(some) - len(errors)
            for block in self._blocks.add(errors):
                self._G += block.T @ block

    def best(self) -> tuple[Array, float, float]:
        """The best mixture, its total loss, and how much at most another could lose less."""
        rest = self._blocks.rest()
        return least(self._G + rest.T @ rest)


def least(
    G: Array, clock: Clock | None = None, deadline: float = np.inf
) -> tuple[Array, float, float]:
    """Minimise f(q) = q' G q over the simplex: q, f(q), and a bound on f(q) - min f.

        S = {the best single expert}
        repeat:  experts with a slope (G q)_j below f(q) join S, the steepest first
                 q moves to the minimiser over the affine hull of S;
                 where that would make weights negative, it stops at the first zero, which leaves S
        until    gap = 2 (f(q) - min_j (G q)_j) <= 1e-10 f(q)

    f is convex, so f(q) - min f <= gap: the answer certifies itself, whatever rounding did on the
    way. The precision is relative to f; where errors cancel so well that f is below 1e-6 of what
    the mixed experts lose, it is absolute, around 1e-15 of those losses. With one expert joining at
    a time this is Wolfe's method, which ends, as no support is met twice; with many, few steps of
    O(|S|^3) reach the same. So twice as many join each time, until that leads back to a support
    already seen. Seconds at most for n = 1000; where a `clock` counts the work it
    stops at the `deadline`, and the gap says how far it came.

    Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11 (1976).
    """
    n = len(G)
    best = float(G.diagonal().min())
    unit = math.ldexp(1.0, math.frexp(best)[1])  # a power of two: the division rounds nothing
    G = G / unit
    q = np.zeros(n)
    q[np.argmin(G.diagonal())] = 1.0
    found = q, best, np.inf
    visited: set[bytes] = set()
    batch = 1
    while True:
        slope = G @ q
        f = max(float(q @ slope), 0.0)
        gap = max(2.0 * (f - float(slope.min())), 0.0)
        if gap * unit < found[2]:
            found = q, f * unit, gap * unit
        support = q > 0.0
        key = np.packbits(support).tobytes()
        steeper = np.flatnonzero(~support & (slope < f))
        stuck = key in visited
        spent = (stuck and batch == 1) or len(visited) > 3 * n + 100  # what is left is rounding
        spent = spent or (clock is not None and clock.now > deadline)
        if gap <= max(1e-10 * f, 16.0 * EPS) or not len(steeper) or spent:
            return found
        visited.add(key)
        batch = max(1, batch // 4) if stuck else min(n, 2 * batch)
        steepest = steeper[np.argsort(slope[steeper], kind="stable")[:batch]]
        q = descend(G, q, np.concatenate((np.flatnonzero(support), steepest)), clock)


def descend(G: Array, q: Array, S: NDArray[np.intp], clock: Clock | None) -> Array:
    """From q to the minimiser over the hull of S, or of what is left of S once weights hit zero."""
    while True:
        if clock is not None:
            clock.spend(SOLVE * float(len(S)) ** 3 + 10.0 * float(len(S)) ** 2)
        old, v = q[S], affine(G[np.ix_(S, S)])
        down = v <= 0.0
        barred = down & (old == 0.0)
        if barred.any():  # with the others that joined, these get no weight
            S = S[~barred]
            continue
        new = v
        if down.any():
            ratio = np.full(len(S), np.inf)
            ratio[down] = old[down] / (old[down] - v[down])
            new = np.maximum(old + ratio.min() * (v - old), 0.0)
            new[ratio.argmin()] = 0.0
        q = np.zeros(len(q))
        q[S] = new / new.sum()
        if not down.any():
            return q
        S = S[new > 0.0]


def affine(G: Array) -> Array:
    """The v of sum 1 (and any signs) that minimises v' G v, for G around 1.

    (G + 1 1') u = 1 is solved by v times a positive number, and its matrix is positive definite
    whenever v is unique. One rounding more on the diagonal makes it so for equal experts, too.
    """
    A = G + 1.0
    A.flat[:: len(A) + 1] *= 1.0 + 4.0 * EPS
    one = np.ones(len(A))
    try:
        u = np.linalg.solve(A, one)
    except np.linalg.LinAlgError:  # singular to the last bit all the same
        u = np.linalg.lstsq(A, one)[0]
    return np.asarray(u / u.sum(), dtype=np.float64)
