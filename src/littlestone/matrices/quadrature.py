"""x' exp(A) x without exp(A): Gauss quadrature from a few steps of Lanczos (Golub & Meurant 2010).

    q_1 = x / |x|;  each step:  w = A q_k, made orthogonal to q_1, …, q_k;  beta_k = |w|;  q_k+1 = w / beta_k
    x' exp(A) x = |x|^2 (exp T)_11 + error,  0 <= error <= exp(top) |x|^2 (beta_1 … beta_k)^2 / (2k)!

where T is the tridiagonal matrix of the <q_k, A q_k> and the beta_k, and top the largest eigenvalue of A. So it knows
by itself when to stop.
"""

from __future__ import annotations

import math
from typing import Any

from .pairs_met import PLACES, STEPS, TRACE, State

SURE = math.log(1e-16)  # of the error of a score, where a bound on it is known
STILL = 1e-15  # change of the quadrature in eight steps, where it is not
FAR = 600.0  # ln of the largest score
EPS = 2.220446049250313e-16
DIAGONAL, BESIDE, CORNER = 0, 1, 2  # rows of the room H for the eigenvalues of T
ALPHA, BETA = 3, 4  # and T itself


def exp_corner(H: Any, n: int) -> float:
    """ln (exp T)_11 of the n x n tridiagonal matrix in H[ALPHA] and H[BETA], by implicit QL (Golub & Welsch 1969)."""
    d, e, z = H[DIAGONAL], H[BESIDE], H[CORNER]
    for r in range(n):
        d[r], e[r], z[r] = H[ALPHA, r], H[BETA, r], 0.0
    e[n - 1], z[0] = 0.0, 1.0
    for r in range(n):
        for _ in range(60):
            m = r
            while m < n - 1 and abs(e[m]) > EPS * (abs(d[m]) + abs(d[m + 1])):
                m += 1
            if m == r:
                break
            g = (d[r + 1] - d[r]) / (2.0 * e[r])
            g = d[m] - d[r] + e[r] / (g + math.copysign(math.sqrt(g * g + 1.0), g))
            s, c, p = 1.0, 1.0, 0.0
            i = m - 1
            while i >= r:
                f, b = s * e[i], c * e[i]
                h = math.sqrt(f * f + g * g)
                e[i + 1] = h
                if h == 0.0:
                    d[i + 1] -= p
                    e[m] = 0.0
                    break
                s, c = f / h, g / h
                g = d[i + 1] - p
                h = (d[i] - g) * s + 2.0 * c * b
                p = s * h
                d[i + 1] = g + p
                g = c * h - b
                f = z[i + 1]
                z[i + 1] = s * z[i] + c * f
                z[i] = c * z[i] - s * f
                i -= 1
            if i < r:
                d[r] -= p
                e[r] = g
                e[m] = 0.0
    top, total = d[0], 0.0
    for r in range(1, n):
        top = max(top, d[r])
    for r in range(n):
        total += z[r] * z[r] * math.exp(d[r] - top)
    return float(top + math.log(max(total, 1e-300)))


def quadrature(self: Any, state: State, a: int, b: int, eta: float, scale: float) -> float:
    """scale x' exp(A) x of the entry at the places a and b; -1: a row or column orthogonal to all that was met."""
    V, n, alone = state.V, int(state.N[PLACES]), 0.0
    for s in range(n):
        V[0, s] = 0.0
    if a >= 0:
        V[0, a] = 1.0
    else:
        alone += 0.5 * scale
    if b >= 0:
        V[0, b] = 1.0
    else:
        alone += 0.5 * scale
    return alone + lanczos(self, state, n, eta, scale)


def lanczos(self: Any, state: Any, n: int, eta: float, scale: float) -> float:
    """scale x' exp(A) x, where V[0] has the n coefficients of x.

    What is known of A is with the state: `write_products` makes inner products with the features of all places from
    coefficients, `write_image` the coefficients of A q from the inner products of q.
    """
    V, H, N = state.V, state.H, state.N
    K, k, first, error, before = H.shape[1] - 1, 0, 0.0, 0.0, 0.0
    while True:
        state.write_products(self, V[k], V[K + 1 + k], n)
        make_orthogonal(V, H, k, n)
        square = norm2_or_zero(V[k], V[K + 1 + k], n)
        done = square == 0.0
        if k == 0:
            N[STEPS] = 0.0
            if done:
                return 0.0
            first = square
            error = N[TRACE] + math.log(first)
        else:
            H[BETA, k - 1] = 0.0 if done else math.sqrt(square)
            error += math.log(max(square, 1e-300)) - math.log((2.0 * k - 1.0) * 2.0 * k)
            done = done or error <= SURE or k == K
            if done or (k >= 16 and k % 8 == 0):
                now = exp_corner(H, k)
                if done or now - before <= STILL:
                    N[STEPS] = k
                    return math.exp(min(now + math.log(scale * first), FAR))
                before = now if k > 8 else before
        by = 1.0 / math.sqrt(square)
        for s in range(n):
            V[k, s] *= by
            V[K + 1 + k, s] *= by
            V[k + 1, s] = 0.0
        state.write_image(V[K + 1 + k], V[k + 1], n, eta)
        k += 1


def norm2_or_zero(c: Any, f: Any, n: int) -> float:
    """|q|^2 by its coefficients and inner products; 0 where nothing but rounding is left.

    Then the space is invariant, and the quadrature exact.
    """
    square, size = 0.0, 0.0
    for s in range(n):
        v = c[s] * f[s]
        square += v
        size += abs(v)
    return 0.0 if square <= 1e-15 * size or square <= 1e-30 else square


def make_orthogonal(V: Any, H: Any, k: int, n: int) -> None:
    """Make q_k orthogonal to all vectors before it."""
    K = H.shape[1] - 1
    w, f = V[k], V[K + 1 + k]
    for u in range(k - 1, -1, -1):
        h = 0.0
        for s in range(n):
            h += V[u, s] * f[s]
        if u == k - 1:
            H[ALPHA, u] = h
        for s in range(n):
            w[s] -= h * V[u, s]
            f[s] -= h * V[K + 1 + u, s]
