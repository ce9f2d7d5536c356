"""Recursions over pairs of strings, compiled; imported when a Gram matrix of strings is made.

32 pairs are computed side by side, a lane each: within a pair every cell of a table waits for the one before it, and
lanes do not wait for one another. The inner loops run over lanes and have no branches, so LLVM turns them into vector
code: a pair of 100 letters and subsequences of 3 took 10 us with 32 lanes, and 60 us with 8, too few for its loops.
Strings that are shorter than their neighbours are filled up with numbers below 0, which match nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from littlestone.core.stream import Array
from littlestone.engine.compiled_cache import kept

from .string_recursions import softly_matched

Rule = TypeVar("Rule", bound=Callable[..., Any])
LANES = 32
GEOMETRIC, NUMBERED, EVERY, DISTANCES, WINDOWS = range(5)  # the recursions, for `pairs`


def compiled(rule: Rule) -> Rule:
    """The rule compiled by Numba on its first call, cached on disk where that is possible."""
    return kept(rule, nogil=True, error_model="numpy", fastmath={"contract"})


@compiled
def add_matches(letter: Array, t: Array, old: Array, total: Array) -> None:
    """Add to the total what `old` holds where the letters are the same."""
    for j in range(t.shape[0]):
        for k in range(total.shape[0]):
            total[k] += old[j, k] if letter[k] == t[j, k] else 0.0


@compiled
def geometric(letter: Array, t: Array, old: Array, new: Array, u: Array, a: float) -> None:
    """One row of new(i, j) = sum over i' <= i, j' <= j of a^(i-i' + j-j') S(i', j'), S = old at the matches."""
    u.fill(0.0)
    for j in range(t.shape[0]):
        for k in range(u.shape[0]):
            e = (old[j, k] if letter[k] == t[j, k] else 0.0) + a * u[k]
            u[k] = e
            new[j + 1, k] = e + a * new[j + 1, k]


@compiled
def numbered(
    letter: Array, t: Array, old: Array, new: Array, far: Array, u: Array, g: float
) -> None:
    """The same, with 1 for a step of one and g for any longer step; `far` sums the rows above."""
    u.fill(0.0)
    for j in range(t.shape[0]):
        for k in range(u.shape[0]):
            e = old[j, k] if letter[k] == t[j, k] else 0.0
            row = e + u[k]
            u[k] += g * e
            new[j + 1, k] = row + far[j + 1, k]
            far[j + 1, k] += g * row


@compiled
def subsequences(
    s: Array, t: Array, weights: Array, a: float, steps: int, V: Array, F: Array, total: Array
) -> None:
    """The sum over q of weights[q] times the weighted pairs of equal subsequences of q letters."""
    p = weights.shape[0] - 1
    parts, u = np.zeros((p + 1, total.shape[0])), np.zeros(total.shape[0])
    V.fill(0.0)
    F.fill(0.0)
    parts[0].fill(1.0)
    V[0].fill(1.0)
    for i in range(s.shape[0]):
        for q in range(p, 0, -1):  # downwards: a length looks at the row above of the next shorter
            if weights[q] != 0.0:
                add_matches(s[i], t, V[q - 1], parts[q])
            if q < p and steps == GEOMETRIC:
                geometric(s[i], t, V[q - 1], V[q], u, a)
            elif q < p:
                numbered(s[i], t, V[q - 1], V[q], F[q], u, a)
    total.fill(0.0)
    for q in range(p + 1):
        for k in range(total.shape[0]):
            total[k] += weights[q] * parts[q, k]


@compiled
def every(s: Array, t: Array, a: float, V: Array, total: Array) -> None:
    """All pairs of equal subsequences, the empty one included; a for each letter."""
    u = np.zeros(total.shape[0])
    V.fill(1.0)
    for i in range(s.shape[0]):
        old, new = V[i % 2], V[(i + 1) % 2]
        u.fill(0.0)
        for j in range(t.shape[0]):
            for k in range(u.shape[0]):
                u[k] += a * old[j, k] if s[i, k] == t[j, k] else 0.0
                new[j + 1, k] = old[j + 1, k] + u[k]
    for k in range(total.shape[0]):
        total[k] = V[s.shape[0] % 2, t.shape[0], k]


@compiled
def distances(s: Array, t: Array, c: Array, D: Array, total: Array) -> None:
    """The sum of c[d] over the pairs of substrings of p letters, d the number of places where they differ."""
    p = c.shape[0] - 1
    D.fill(0.0)
    total.fill(0.0)
    for i in range(s.shape[0]):
        for j in range(t.shape[0] - 1, -1, -1):  # downwards: D[j] still is of the row above
            for k in range(total.shape[0]):
                D[j + 1, k] = D[j, k] + (1.0 if s[i, k] != t[j, k] else 0.0)
            if i >= p and j >= p:
                for k in range(total.shape[0]):
                    D[j + 1, k] -= 1.0 if s[i - p, k] != t[j - p, k] else 0.0
            if i >= p - 1 and j >= p - 1:
                for k in range(total.shape[0]):
                    if s[i, k] >= 0.0 and t[j, k] >= 0.0:  # the strings have not ended
                        total[k] += c[int(D[j + 1, k])]


@compiled
def window(s: Array, t: Array, p: int, powers: Array, old: Array, new: Array) -> float:
    """Pairs of equal subsequences that start with s[0] and t[0], which match, in windows as wide as the tables."""
    n, m, total = min(new.shape[0], s.shape[0]), min(new.shape[0], t.shape[0]), 0.0
    if n < p or m < p:
        return 0.0
    if p == 1:
        return 1.0
    V, W = old, new
    V.fill(1.0)
    for q in range(2, p + 1):  # V: subsequences of q - 1 letters that end at i and j or before
        W.fill(0.0)
        for i in range(1, n):
            row = 0.0
            for j in range(1, m):
                S = V[i - 1, j - 1] if s[i] == t[j] else 0.0
                if q == p and S != 0.0:
                    total += S * powers[i + j + 2 - 2 * p]  # the letters skipped
                row += S
                W[i, j] = W[i - 1, j] + row
        V, W = W, V
    return total


@compiled
def pairs(
    X: Array, n: Any, Z: Array, m: Any, lead: int, own: bool,
    steps: int, weights: Array, a: float, wide: int, K: Array,
) -> None:  # fmt: skip
    """K[i, j] of the strings X[i] and Z[j], of lengths n and m.

    The first `lead` strings of Z are those of X: of that square one half is computed. `own`: only K[i, 0], of X[i]
    and itself.
    """
    p, longest, rows = weights.shape[0] - 1, 0, 0
    for j in range(m.shape[0]):
        longest = max(longest, m[j])
    for i in range(n.shape[0]):
        rows = max(rows, n[i])
    left, right = np.zeros(LANES, dtype=np.int64), np.zeros(LANES, dtype=np.int64)
    s, t, total = np.zeros((rows, LANES)), np.zeros((longest, LANES)), np.zeros(LANES)
    V = np.zeros((max(p, 2), longest + 1, LANES))
    F = np.zeros((p if steps == NUMBERED else 1, longest + 1, LANES))
    powers, old, new = np.ones(2 * wide + 1), np.ones((wide, wide)), np.ones((wide, wide))
    for b in range(2 * wide):
        powers[b + 1] = a * powers[b]
    waiting = 0
    for i in range(n.shape[0]):
        first = i if own or i < lead else 0
        last = i + 1 if own else m.shape[0]
        for j in range(first, last):
            if steps == WINDOWS:
                value = 0.0
                for b in range(n[i]):
                    for c in range(m[j]):
                        if X[i, b] == Z[j, c]:
                            value += window(X[i, b : n[i]], Z[j, c : m[j]], p, powers, old, new)
                K[i, 0 if own else j] = value
                if not own and j < lead:
                    K[j, i] = value
                continue
            left[waiting], right[waiting] = i, j
            waiting += 1
            if waiting < LANES and not (i + 1 == n.shape[0] and j + 1 == last):
                continue
            high, broad = 0, 0
            for k in range(waiting):
                high, broad = max(high, n[left[k]]), max(broad, m[right[k]])
            s.fill(-1.0)
            t.fill(-2.0)
            for k in range(waiting):
                for b in range(n[left[k]]):
                    s[b, k] = X[left[k], b]
                for b in range(m[right[k]]):
                    t[b, k] = Z[right[k], b]
            if steps == EVERY:
                every(s[:high], t[:broad], a, V, total)
            elif steps == DISTANCES:
                distances(s[:high], t[:broad], weights, V[0], total)
            else:
                subsequences(s[:high], t[:broad], weights, a, steps, V, F, total)
            for k in range(waiting):
                K[left[k], 0 if own else right[k]] = total[k]
                if not own and right[k] < lead:
                    K[right[k], left[k]] = total[k]
            waiting = 0


@compiled
def common(
    gram: Any, start: Any, count: Any, other: Any, begin: Any, times: Any,
    lead: int, weight: float, size: int, K: Array,
) -> None:  # fmt: skip
    """Add to K the weighted inner products of counts: string i has gram[b] count[b] times, b from start[i] on."""
    full = np.zeros(size)
    for i in range(start.shape[0] - 1):
        for b in range(start[i], start[i + 1]):
            full[gram[b]] = weight * count[b]
        for j in range(i if i < lead else 0, begin.shape[0] - 1):
            value = 0.0
            for b in range(begin[j], begin[j + 1]):
                value += full[other[b]] * times[b]
            K[i, j] += value
            if i < j < lead:
                K[j, i] += value
        for b in range(start[i], start[i + 1]):
            full[gram[b]] = 0.0


soft_one = compiled(softly_matched)


@compiled
def soft_pairs(
    X: Any, n: Any, Z: Any, m: Any, A: Array, w: Array, p: int, lead: int, own: bool, K: Array
) -> None:  # fmt: skip
    """K[i, j] of subsequences that match softly; `lead` and `own` as in `pairs`."""
    V = np.zeros((p + 1, Z.shape[1] + 1))
    for i in range(n.shape[0]):
        for j in range(i if own or i < lead else 0, i + 1 if own else m.shape[0]):
            value = soft_one(X[i, : n[i]], Z[j, : m[j]], A, w, p, V[:, : m[j] + 1])
            K[i, 0 if own else j] = value
            if not own and j < lead:
                K[j, i] = value
