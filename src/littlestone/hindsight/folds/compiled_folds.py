"""The loops of `folds/sequences.py` and the factorisation of `folds/linear.py`, compiled; imported when one runs.

D[k, i] is laid out with the experts side by side, and every loop over them is free of branches, so
that LLVM turns it into vector code. A minimum over floats is not vectorised as it stands (NaN and
the sign of zero forbid reordering), hence the eight lanes of `lowest`; and `start` holds rounds as
floats (exact up to 2^53), because a selection among numbers as wide as the compared ones costs
half as much as one that mixes floats and integers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from littlestone.core.stream import Array
from littlestone.engine.compiled_cache import kept

Rule = TypeVar("Rule", bound=Callable[..., Any])


def compiled(rule: Rule, **options: Any) -> Rule:
    """The rule compiled by Numba on its first call, cached on disk where that is possible."""
    return kept(rule, nogil=True, **options)


def compiled_fast(rule: Rule) -> Rule:
    """As `compiled`, but sums may be taken in any order, which is faster."""
    return compiled(rule, fastmath={"reassoc", "contract", "nsz"}, error_model="numpy")


@compiled
def lowest(D: Array, k: int) -> float:
    """The least number of row k, in eight lanes that do not wait for one another."""
    n = D.shape[1]
    whole = n - n % 8
    a = b = c = d = e = f = g = h = np.inf
    for i in range(0, whole, 8):
        a = D[k, i] if D[k, i] < a else a
        b = D[k, i + 1] if D[k, i + 1] < b else b
        c = D[k, i + 2] if D[k, i + 2] < c else c
        d = D[k, i + 3] if D[k, i + 3] < d else d
        e = D[k, i + 4] if D[k, i + 4] < e else e
        f = D[k, i + 5] if D[k, i + 5] < f else f
        g = D[k, i + 6] if D[k, i + 6] < g else g
        h = D[k, i + 7] if D[k, i + 7] < h else h
    for i in range(whole, n):
        a = D[k, i] if D[k, i] < a else a
    return min(min(min(a, e), min(b, f)), min(min(c, g), min(d, h)))


@compiled
def add_up(
    C: Array,
    E: Array,
    F: Array,
    ends: Array,
    loss: float,
    before: Array,
    costs: Array,
    after: Array,
    peaks: Array,
) -> None:
    """See `folds.totals.add_up`. A loop for each sum: with several in one LLVM would not know the arrays apart."""
    n, t, given = E.shape[1], 0, F.shape[0] > 0
    losses, regrets, squares, tops = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    so_far, r, lost = np.zeros((3, n)), np.zeros(n), 0.0
    for k in range(ends.shape[0]):
        cost = 0.0
        losses[:] = 0.0
        regrets[:] = 0.0
        squares[:] = 0.0
        tops[:] = 0.0
        while t < ends[k]:
            c = C[t]
            cost += c
            if given:
                for i in range(n):
                    r[i] = F[t, i]
            else:
                for i in range(n):
                    r[i] = c - E[t, i]
            for i in range(n):
                losses[i] += E[t, i]
            for i in range(n):
                regrets[i] += r[i]
            for i in range(n):
                squares[i] += r[i] * r[i]
            for i in range(n):
                s = r[i] * r[i]
                tops[i] = s if s > tops[i] else tops[i]
            t += 1
        for i in range(n):
            so_far[0, i] += losses[i]
            so_far[1, i] += regrets[i]
            so_far[2, i] += squares[i]
            after[0, k, i] = before[0, i] + so_far[0, i]
            after[1, k, i] = before[1, i] + so_far[1, i]
            after[2, k, i] = before[2, i] + so_far[2, i]
        lost += cost
        costs[k] = loss + lost
        top = 0.0
        for i in range(n):
            top = max(top, tops[i])
        peaks[k] = top


@compiled
def count_two(p: Array, truth: Any, h: Array, counts: Array, said: Array) -> None:
    """See `folds.reliability.counts_of_two`."""
    last = counts.shape[1] - 1
    for t in range(p.shape[0]):
        j = min(int(p[t] * (last + 1)), last)
        counts[truth[t], j] += h[t]
        said[j] += h[t] * p[t]


@compiled
def advance(ell: Array, D: Array, M: Array, marks: Array, seen: Array) -> None:
    """See `folds.sequences.advance`."""
    n, at = ell.shape[1], 0
    for t in range(ell.shape[0]):
        for k in range(D.shape[0] - 1, -1, -1):  # downwards: M[k - 1] is still the last round's
            enter = M[k - 1] if k > 0 else np.inf
            for i in range(n):
                d = D[k, i]
                D[k, i] = (enter if enter < d else d) + ell[t, i]
            M[k] = lowest(D, k)
        while at < marks.shape[0] and marks[at] == t:
            for k in range(M.shape[0]):
                seen[at, k] = M[k]
            at += 1


@compiled
def trace(
    ell: Array,
    D: Array,
    M: Array,
    start: Array,
    first: int,
    best: Array,
    since: Array,
    marks: Array,
    seen: Array,
) -> None:
    """See `folds.sequences.trace`."""
    n, at = ell.shape[1], 0
    for t in range(ell.shape[0]):
        now = float(first + t)
        for k in range(D.shape[0] - 1, -1, -1):
            enter = M[k - 1] if k > 0 else np.inf
            for i in range(n):
                d = D[k, i]
                s = start[k, i]
                start[k, i] = now if enter < d else s
                D[k, i] = (enter if enter < d else d) + ell[t, i]
            low = lowest(D, k)
            i = 0
            while i < n - 1 and D[k, i] != low:
                i += 1
            M[k] = low
            best[t, k] = i
            since[t, k] = int(start[k, i])
        while at < marks.shape[0] and marks[at] == t:
            for k in range(M.shape[0]):
                seen[at, k] = M[k]
            at += 1


@compiled_fast
def triangle(C: Array) -> Array:
    """The triangular factor of a matrix given as its columns, which are used up (Householder).

    LAPACK's, threaded, waits on its own threads: on a busy machine a small factorisation takes 100 times as long.
    """
    n, m = C.shape
    R = np.zeros((n, n))
    for j in range(min(n, m)):
        v = C[j, j:]
        top = 0.0
        for i in range(v.shape[0]):
            top = max(top, abs(v[i]))
        if top == 0.0:
            for k in range(j + 1, n):
                R[j, k] = C[k, j]
            continue
        s = 0.0
        for i in range(v.shape[0]):
            s += (v[i] / top) * (v[i] / top)
        s = top * np.sqrt(s)
        R[j, j] = -s if v[0] > 0.0 else s
        v[0] -= R[j, j]
        h = -R[j, j] * v[0]
        for k in range(j + 1, n):
            w, d = C[k, j:], 0.0
            for i in range(v.shape[0]):
                d += v[i] * w[i]
            d /= h
            for i in range(v.shape[0]):
                w[i] -= d * v[i]
            R[j, k] = w[0]
    return R
