"""Recursions over two strings, for rules that run plain and compiled; compiled_strings.py has them for many pairs."""

from __future__ import annotations

from typing import Any

import numpy as np


def matched(s: Any, t: Any, p: int, g: float, a: float) -> Any:
    """For q = 0, …, p: the weighted pairs of equal subsequences of q letters of s and t.

    Between two letters a step of one weighs 1, and one of d + 1 weighs g a^(d - 1), in each string. S_q(i, j), the
    pairs that end with the letters i and j, is 0 unless these are the same, and then the sum over i' < i, j' < j of
    S_(q-1)(i', j') and the weights of both steps; V holds these sums, `far` those that come from rows above.
    """
    n, m = s.shape[0], t.shape[0]
    V, far, found = np.zeros((p + 1, m + 1)), np.zeros((p + 1, m + 1)), np.zeros(p + 1)
    found[0] = 1.0
    V[0, :] = 1.0
    for i in range(n):
        for k in range(p):
            q = p - k  # downwards: a length looks at the row above of the next shorter
            row = 0.0
            for j in range(m):
                S = V[q - 1, j] if s[i] == t[j] else 0.0
                found[q] += S
                u = S + row
                row = a * row + g * S
                if q < p:
                    V[q, j + 1] = u + far[q, j + 1]
                    far[q, j + 1] = a * far[q, j + 1] + g * u
    return found


def all_matched(s: Any, t: Any, a: float) -> float:
    """All pairs of equal subsequences of s and t, the empty one included; a for each letter."""
    n, m = s.shape[0], t.shape[0]
    K = np.ones((n + 1, m + 1))
    for i in range(n):
        row = 0.0
        for j in range(m):
            row += a * K[i, j] if s[i] == t[j] else 0.0
            K[i + 1, j + 1] = K[i, j + 1] + row
    return float(K[n, m])


def narrow_matched(s: Any, t: Any, p: int, wide: int, a: float) -> float:
    """Pairs of equal subsequences of p letters within `wide` letters of each string; a for every letter skipped."""
    total = 0.0
    for i in range(s.shape[0]):
        for j in range(t.shape[0]):
            if s[i] == t[j]:
                total += started(s[i : i + wide], t[j : j + wide], p, a)
    return total


def started(s: Any, t: Any, p: int, a: float) -> float:
    """The same of those that begin with the first letters, which match."""
    n, m, total = s.shape[0], t.shape[0], 0.0
    if p == 1:
        return 1.0
    V = np.ones((n, m))
    for q in range(2, p + 1):
        W = np.zeros((n, m))
        for i in range(1, n):
            row = 0.0
            for j in range(1, m):
                S = V[i - 1, j - 1] if s[i] == t[j] else 0.0
                if q == p:
                    total += S * a ** (i + j + 2 - 2 * p)
                row += S
                W[i, j] = W[i - 1, j] + row
        V = W
    return total


def softly_matched(s: Any, t: Any, A: Any, w: Any, p: int, V: Any) -> float:
    """Pairs of subsequences of p letters, s and t as places in the alphabet: A for a match, w for each letter spanned.

    V[q, j + 1], the room for sums, is of the subsequences of q letters that end at i and j or before, each with the
    weights of the letters up to these.
    """
    V[:] = 0.0
    V[0] = 1.0
    total = 0.0
    for i in range(s.shape[0]):
        for k in range(p):
            q = p - k  # downwards: a length looks at the row above of the next shorter
            row = 0.0
            for j in range(t.shape[0]):
                S = A[s[i], t[j]] * w[s[i]] * w[t[j]] * V[q - 1, j]
                if q == p:
                    total += S
                else:
                    row = S + w[t[j]] * row
                    V[q, j + 1] = row + w[s[i]] * V[q, j + 1]
    return total


def near_both(p: int, m: int, alphabet: int) -> Any:
    """c[d]: how many words of p letters differ in at most m places from both of two that differ in d places.

    Of the d places the word follows the first of the two in i, the second in j, and neither in the rest; of the
    other p - d it differs from both in e.
    """
    c = np.zeros(p + 1)
    for d in range(p + 1):
        for i in range(d + 1):
            for j in range(d + 1 - i):
                for e in range(p - d + 1):
                    if d - i + e <= m and d - j + e <= m:
                        ways = choose(d, i) * choose(d - i, j) * choose(p - d, e)
                        c[d] += ways * (alphabet - 2.0) ** (d - i - j) * (alphabet - 1.0) ** e
    return c


def choose(n: int, k: int) -> float:
    ways = 1.0
    for i in range(k):
        ways = ways * (n - i) / (i + 1)
    return ways


def near_matched(s: Any, t: Any, c: Any) -> float:
    """The sum of c[d] over the pairs of substrings of p letters that differ in d places."""
    p, total = c.shape[0] - 1, 0.0
    for i in range(s.shape[0] - p + 1):
        for j in range(t.shape[0] - p + 1):
            d = 0
            for k in range(p):
                d += 1 if s[i + k] != t[j + k] else 0
            total += c[d]
    return total
