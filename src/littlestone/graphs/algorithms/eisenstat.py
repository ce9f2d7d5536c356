"""Conjugate gradients with symmetric Gauss-Seidel sweeps, for four right-hand sides at once.

Where every vertex has many neighbours, a random walk mixes fast and some fifty steps are enough: less than an
approximate Cholesky factor takes. With A = I - N - N', N below the diagonal, the steps are those for (I - N)^-1 A
(I - N')^-1, which takes p to t + (I - N)^-1 (p - t), t = (I - N')^-1 p: one pass over the edges a step, as without
sweeps, for half as many steps as with the diagonal alone. Eisenstat (1981).
"""

from __future__ import annotations

from typing import Any

TOGETHER = 4
TRIED = 30  # after so many steps the number of further steps is estimated
MOST = 200  # where more steps are needed a factor is better


def in_step(
    begins: Any, middle: Any, index: Any, N: Any, X: Any, R: Any, P: Any, T: Any, S: Any, tolerance: float
) -> bool:  # fmt: skip
    """X with A x = b, as near as `tolerance` in the norm of these steps, if a few of them are enough; else False.

    Row i of N and N' together is N[begins[i]:begins[i + 1]], the entries below the diagonal first, up to middle[i]. R
    holds the four right-hand sides, n x 4, and is used up; P, T and S are scratch.
    """
    n = R.shape[0]
    forward(begins, middle, index, N, R)
    o0, o1, o2, o3 = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        r0, r1, r2, r3 = R[i, 0], R[i, 1], R[i, 2], R[i, 3]
        X[i, 0], X[i, 1], X[i, 2], X[i, 3] = 0.0, 0.0, 0.0, 0.0
        P[i, 0], P[i, 1], P[i, 2], P[i, 3] = r0, r1, r2, r3
        o0, o1, o2, o3 = o0 + r0 * r0, o1 + r1 * r1, o2 + r2 * r2, o3 + r3 * r3
    s0, s1, s2, s3 = o0, o1, o2, o3
    enough = tolerance * tolerance
    for steps in range(1, MOST + 1):
        for i in range(n):
            T[i, 0], T[i, 1], T[i, 2], T[i, 3] = P[i, 0], P[i, 1], P[i, 2], P[i, 3]
        backward(begins, middle, index, N, T)
        c0, c1, c2, c3 = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            t0, t1, t2, t3 = T[i, 0], T[i, 1], T[i, 2], T[i, 3]
            p0, p1, p2, p3 = P[i, 0], P[i, 1], P[i, 2], P[i, 3]
            a0, a1, a2, a3 = p0 - t0, p1 - t1, p2 - t2, p3 - t3
            for e in range(begins[i], middle[i]):
                j, w = index[e], N[e]
                a0 += w * S[j, 0]
                a1 += w * S[j, 1]
                a2 += w * S[j, 2]
                a3 += w * S[j, 3]
            S[i, 0], S[i, 1], S[i, 2], S[i, 3] = a0, a1, a2, a3
            c0, c1, c2, c3 = (
                c0 + p0 * (t0 + a0),
                c1 + p1 * (t1 + a1),
                c2 + p2 * (t2 + a2),
                c3 + p3 * (t3 + a3),
            )
        a0, a1, a2, a3 = part(o0, c0), part(o1, c1), part(o2, c2), part(o3, c3)
        n0, n1, n2, n3 = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            X[i, 0] += a0 * P[i, 0]
            X[i, 1] += a1 * P[i, 1]
            X[i, 2] += a2 * P[i, 2]
            X[i, 3] += a3 * P[i, 3]
            r0, r1 = R[i, 0] - a0 * (T[i, 0] + S[i, 0]), R[i, 1] - a1 * (T[i, 1] + S[i, 1])
            r2, r3 = R[i, 2] - a2 * (T[i, 2] + S[i, 2]), R[i, 3] - a3 * (T[i, 3] + S[i, 3])
            R[i, 0], R[i, 1], R[i, 2], R[i, 3] = r0, r1, r2, r3
            n0, n1, n2, n3 = n0 + r0 * r0, n1 + r1 * r1, n2 + r2 * r2, n3 + r3 * r3
        worst = max(max(part(n0, s0), part(n1, s1)), max(part(n2, s2), part(n3, s3)))
        if worst <= enough:
            backward(begins, middle, index, N, X)
            return True
        if steps == TRIED and worst ** (MOST / TRIED) > enough:
            return False
        b0, b1, b2, b3 = part(n0, o0), part(n1, o1), part(n2, o2), part(n3, o3)
        o0, o1, o2, o3 = n0, n1, n2, n3
        for i in range(n):
            P[i, 0] = R[i, 0] + b0 * P[i, 0]
            P[i, 1] = R[i, 1] + b1 * P[i, 1]
            P[i, 2] = R[i, 2] + b2 * P[i, 2]
            P[i, 3] = R[i, 3] + b3 * P[i, 3]
    return False


def alone(
    begins: Any, middle: Any, index: Any, N: Any, x: Any, r: Any, p: Any, t: Any, s: Any, tolerance: float
) -> bool:  # fmt: skip
    """`in_step` for one right-hand side: x, r, p, t and s have one number for each vertex."""
    n, old = r.shape[0], 0.0
    for i in range(n):
        a = r[i]
        for e in range(begins[i], middle[i]):
            a += N[e] * r[index[e]]
        r[i], p[i], x[i] = a, a, 0.0
        old += a * a
    size, enough = old, tolerance * tolerance
    for steps in range(1, MOST + 1):
        sweep_back(begins, middle, index, N, p, t)
        curve = 0.0
        for i in range(n):
            a = p[i] - t[i]
            for e in range(begins[i], middle[i]):
                a += N[e] * s[index[e]]
            s[i] = a
            curve += p[i] * (t[i] + a)
        step, now = part(old, curve), 0.0
        for i in range(n):
            x[i] += step * p[i]
            r[i] -= step * (t[i] + s[i])
            now += r[i] * r[i]
        if now <= enough * size:
            sweep_back(begins, middle, index, N, x, x)
            return True
        if steps == TRIED and part(now, size) ** (MOST / TRIED) > enough:
            return False
        ratio, old = part(now, old), now
        for i in range(n):
            p[i] = r[i] + ratio * p[i]
    return False


def sweep_back(begins: Any, middle: Any, index: Any, N: Any, v: Any, out: Any) -> None:
    """(I - N')^-1 v."""
    for i in range(v.shape[0] - 1, -1, -1):
        a = v[i]
        for e in range(middle[i], begins[i + 1]):
            a += N[e] * out[index[e]]
        out[i] = a


def forward(begins: Any, middle: Any, index: Any, N: Any, V: Any) -> None:
    """V becomes (I - N)^-1 V."""
    for i in range(V.shape[0]):
        a0, a1, a2, a3 = V[i, 0], V[i, 1], V[i, 2], V[i, 3]
        for e in range(begins[i], middle[i]):
            j, w = index[e], N[e]
            a0 += w * V[j, 0]
            a1 += w * V[j, 1]
            a2 += w * V[j, 2]
            a3 += w * V[j, 3]
        V[i, 0], V[i, 1], V[i, 2], V[i, 3] = a0, a1, a2, a3


def backward(begins: Any, middle: Any, index: Any, N: Any, V: Any) -> None:
    """V becomes (I - N')^-1 V."""
    for i in range(V.shape[0] - 1, -1, -1):
        a0, a1, a2, a3 = V[i, 0], V[i, 1], V[i, 2], V[i, 3]
        for e in range(middle[i], begins[i + 1]):
            j, w = index[e], N[e]
            a0 += w * V[j, 0]
            a1 += w * V[j, 1]
            a2 += w * V[j, 2]
            a3 += w * V[j, 3]
        V[i, 0], V[i, 1], V[i, 2], V[i, 3] = a0, a1, a2, a3


def part(a: float, b: float) -> float:
    return a / b if b > 0.0 else 0.0
