"""Conjugate gradients with the diagonal alone, for four right-hand sides in step.

Where every vertex has many neighbours, a random walk mixes fast and a hundred steps are enough: less than an
approximate Cholesky factor takes. One pass over the edges serves four right-hand sides, which lie side by side.
"""

from __future__ import annotations

from typing import Any

TOGETHER = 4
TRIED = 20  # steps after which it is seen how many more there will be
MOST = 250  # steps beyond which a factor is better


def in_step(
    begins: Any, index: Any, weight: Any, diagonal: Any, X: Any, R: Any, D: Any, Q: Any, tolerance: float,
) -> bool:  # fmt: skip
    """X with |A x - b| <= tolerance |b| in each column, if a few steps are enough; else False.

    A has this diagonal, and -weight beside it. R holds the four right-hand sides, n x 4, and is used up; D and Q are
    scratch.
    """
    n = R.shape[0]
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    o0, o1, o2, o3 = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        c = 1.0 / diagonal[i]
        r0, r1, r2, r3 = R[i, 0], R[i, 1], R[i, 2], R[i, 3]
        X[i, 0], X[i, 1], X[i, 2], X[i, 3] = 0.0, 0.0, 0.0, 0.0
        D[i, 0], D[i, 1], D[i, 2], D[i, 3] = c * r0, c * r1, c * r2, c * r3
        s0, s1, s2, s3 = s0 + r0 * r0, s1 + r1 * r1, s2 + r2 * r2, s3 + r3 * r3
        o0, o1, o2, o3 = o0 + c * r0 * r0, o1 + c * r1 * r1, o2 + c * r2 * r2, o3 + c * r3 * r3
    enough = tolerance * tolerance
    for steps in range(1, MOST + 1):
        c0, c1, c2, c3 = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            q0, q1, q2, q3 = 0.0, 0.0, 0.0, 0.0
            for e in range(begins[i], begins[i + 1]):
                v, w = index[e], weight[e]
                q0 += w * D[v, 0]
                q1 += w * D[v, 1]
                q2 += w * D[v, 2]
                q3 += w * D[v, 3]
            a = diagonal[i]
            d0, d1, d2, d3 = D[i, 0], D[i, 1], D[i, 2], D[i, 3]
            q0, q1, q2, q3 = a * d0 - q0, a * d1 - q1, a * d2 - q2, a * d3 - q3
            Q[i, 0], Q[i, 1], Q[i, 2], Q[i, 3] = q0, q1, q2, q3
            c0, c1, c2, c3 = c0 + q0 * d0, c1 + q1 * d1, c2 + q2 * d2, c3 + q3 * d3
        a0, a1, a2, a3 = part(o0, c0), part(o1, c1), part(o2, c2), part(o3, c3)
        l0, l1, l2, l3 = 0.0, 0.0, 0.0, 0.0
        n0, n1, n2, n3 = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            c = 1.0 / diagonal[i]
            X[i, 0] += a0 * D[i, 0]
            X[i, 1] += a1 * D[i, 1]
            X[i, 2] += a2 * D[i, 2]
            X[i, 3] += a3 * D[i, 3]
            r0, r1 = R[i, 0] - a0 * Q[i, 0], R[i, 1] - a1 * Q[i, 1]
            r2, r3 = R[i, 2] - a2 * Q[i, 2], R[i, 3] - a3 * Q[i, 3]
            R[i, 0], R[i, 1], R[i, 2], R[i, 3] = r0, r1, r2, r3
            l0, l1, l2, l3 = l0 + r0 * r0, l1 + r1 * r1, l2 + r2 * r2, l3 + r3 * r3
            n0, n1, n2, n3 = n0 + c * r0 * r0, n1 + c * r1 * r1, n2 + c * r2 * r2, n3 + c * r3 * r3
        worst = max(max(part(l0, s0), part(l1, s1)), max(part(l2, s2), part(l3, s3)))
        if worst <= enough:
            return True
        if steps == TRIED and worst ** (MOST / TRIED) > enough:
            return False
        b0, b1, b2, b3 = part(n0, o0), part(n1, o1), part(n2, o2), part(n3, o3)
        o0, o1, o2, o3 = n0, n1, n2, n3
        for i in range(n):
            c = 1.0 / diagonal[i]
            D[i, 0] = c * R[i, 0] + b0 * D[i, 0]
            D[i, 1] = c * R[i, 1] + b1 * D[i, 1]
            D[i, 2] = c * R[i, 2] + b2 * D[i, 2]
            D[i, 3] = c * R[i, 3] + b3 * D[i, 3]
    return False


def part(a: float, b: float) -> float:
    return a / b if b > 0.0 else 0.0
