"""The least eigenvalue of a Laplacian beside 0, by locally optimal steps with an approximate Cholesky factor.

    each step:  the best vectors within the span of V, its residuals after the factor W, and the last steps P
                (Rayleigh-Ritz), two vectors at once, since the second and third eigenvalue are often close

Knyazev (2001): LOBPCG. A step takes one application of the factor to both vectors, one product with L, and two passes
over the numbers of S = (V, W, P) and of L S: each row of S has the six numbers of one vertex. Near the end only quick
changes are left, which `chebyshev` takes off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.stream import Array
from .chebyshev import GAIN, smoothed
from .compiling import compiled_if_long
from .graph import Graph
from .grounded import Grounded

STEPS = 200


def locally_optimal(
    graph: Graph, mass: Array, V: Array, system: Grounded, ground: int, tolerance: float
) -> tuple[float, Array] | None:
    """The least eigenvalue of L u = value mass u beside 0, and its u, from two vectors, the columns of V.

    None where it stalls. `system` solves with L without the vertex `ground`.
    """
    from scipy.linalg import eigh

    n, work = graph.n, len(graph.index)
    S, LS, Z, total = np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 2)), float(mass.sum())
    W = np.ascontiguousarray(V - (mass @ V) / total)  # what is multiplied by L
    A, B, T, values = np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((6, 4)), np.zeros(2)
    S[:, :2] = W
    times, grams, turn = (
        compiled_if_long(product, work),
        compiled_if_long(gram, work),
        compiled_if_long(turn_basis, work),
    )
    lifted = compiled_if_long(direction, work)
    begins, index, weight, degree = graph.begins, graph.index, graph.weight, graph.degree
    times(begins, index, weight, degree, W, LS, 0)
    used, near = 2, GAIN * tolerance
    for _ in range(STEPS):
        grams(S, LS, mass, A, B)
        try:
            found, vectors = eigh(A[:used, :used], B[:used, :used], subset_by_index=(0, 1))
        except np.linalg.LinAlgError:  # the last step is nearly zero: leave it out
            if used <= 4:
                return None
            used = 4
            continue
        T[:] = 0.0
        T[:used, :2] = vectors
        T[2:used, 2:] = vectors[2:]  # the step is what was added to V
        if used > 2:  # its length becomes 1
            step = T[:, 2:]
            step /= np.maximum(np.sqrt(np.einsum("ak,ab,bk->k", step, B, step)), 1e-300)
        values[:] = found
        left = turn(S, LS, mass, T, values, Z, ground)
        if np.sqrt(left) <= tolerance * values[0]:
            return float(values[0]), S[:, 0].copy()
        if np.sqrt(left) <= near * values[0]:
            value, u, rest = smoothed(graph, mass, float(values[0]), S[:, 0].copy())
            if rest <= tolerance * value:
                return value, u
            near *= 0.2
        lifted(*system.factor, mass, total, Z, W, S, ground)
        times(begins, index, weight, degree, W, LS, 2)
        used = 4 if used == 2 else 6
    return None


def gram(S: Any, LS: Any, mass: Any, A: Any, B: Any) -> None:
    """A = S' L S and B = S' diag(mass) S."""
    A[:] = 0.0
    B[:] = 0.0
    for i in range(S.shape[0]):
        m = mass[i]
        for a in range(6):
            s = S[i, a]
            for b in range(a + 1):
                A[a, b] += s * LS[i, b]
                B[a, b] += s * (m * S[i, b])
    for a in range(6):
        for b in range(a):
            A[b, a], B[b, a] = A[a, b], B[a, b]


def turn_basis(S: Any, LS: Any, mass: Any, T: Any, values: Any, Z: Any, ground: int) -> float:
    """V = S T, of its first two columns, and P = S T, of the others; the same for L S. The residuals of V go to Z, the
    vertex `ground` last. How large that of the first is, squared, in the norm of 1 / mass."""
    n, left = S.shape[0], 0.0
    for i in range(n):
        v0, v1, p0, p1, q0, q1, d0, d1 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for a in range(6):
            s, r = S[i, a], LS[i, a]
            v0 += s * T[a, 0]
            v1 += s * T[a, 1]
            p0 += s * T[a, 2]
            p1 += s * T[a, 3]
            q0 += r * T[a, 0]
            q1 += r * T[a, 1]
            d0 += r * T[a, 2]
            d1 += r * T[a, 3]
        S[i, 0], S[i, 1], S[i, 4], S[i, 5] = v0, v1, p0, p1
        LS[i, 0], LS[i, 1], LS[i, 4], LS[i, 5] = q0, q1, d0, d1
        k = i if i < ground else (n - 1 if i == ground else i - 1)
        r0 = q0 - values[0] * mass[i] * v0
        Z[k, 0], Z[k, 1] = r0, q1 - values[1] * mass[i] * v1
        left += r0 * r0 / mass[i]
    return left


def direction(
    order: Any, begin: Any, row: Any, share: Any, pivot: Any, mass: Any, total: float, Z: Any, W: Any,
    S: Any, ground: int,
) -> None:  # fmt: skip
    """W = Z after the factor, at right angles to the constant, each of length 1."""
    n = S.shape[0]
    both_factored(order, begin, row, share, pivot, Z)
    a0, a1 = 0.0, 0.0
    for i in range(n):
        k = i if i < ground else (n - 1 if i == ground else i - 1)
        a0 += mass[i] * Z[k, 0]
        a1 += mass[i] * Z[k, 1]
    a0, a1, s0, s1 = a0 / total, a1 / total, 0.0, 0.0
    for i in range(n):
        k = i if i < ground else (n - 1 if i == ground else i - 1)
        z0, z1 = Z[k, 0] - a0, Z[k, 1] - a1
        W[i, 0], W[i, 1] = z0, z1
        s0 += mass[i] * z0 * z0
        s1 += mass[i] * z1 * z1
    s0, s1 = 1.0 / max(s0, 1e-300) ** 0.5, 1.0 / max(s1, 1e-300) ** 0.5
    for i in range(n):
        W[i, 0] *= s0
        W[i, 1] *= s1
        S[i, 2], S[i, 3] = W[i, 0], W[i, 1]


def product(
    begins: Any, index: Any, weight: Any, degree: Any, W: Any, LS: Any, column: int
) -> None:
    """L W, into the two columns of LS from `column` on."""
    for i in range(W.shape[0]):
        a, b = degree[i] * W[i, 0], degree[i] * W[i, 1]
        for e in range(begins[i], begins[i + 1]):
            a -= weight[e] * W[index[e], 0]
            b -= weight[e] * W[index[e], 1]
        LS[i, column], LS[i, column + 1] = a, b


def both_factored(order: Any, begin: Any, row: Any, share: Any, pivot: Any, Y: Any) -> None:
    """`apply_factor` of approximate_cholesky, for two right-hand sides, the columns of Y, at once."""
    n = order.shape[0]
    for k in range(n):
        v = order[k]
        y0, y1, last = Y[v, 0], Y[v, 1], begin[k + 1] - 1
        for j in range(begin[k], last):
            r, f = row[j], share[j]
            Y[r, 0] += f * y0
            Y[r, 1] += f * y1
            y0 *= 1.0 - f
            y1 *= 1.0 - f
        if last >= begin[k]:
            Y[row[last], 0] += y0
            Y[row[last], 1] += y1
        Y[v, 0], Y[v, 1] = y0, y1
    Y[n, 0] = Y[n, 1] = 0.0
    for k in range(n - 1, -1, -1):
        v = order[k]
        last, scale = begin[k + 1] - 1, 1.0 / pivot[v] if pivot[v] > 0.0 else 1.0
        y0, y1 = Y[v, 0] * scale, Y[v, 1] * scale
        if last >= begin[k]:
            y0 += Y[row[last], 0]
            y1 += Y[row[last], 1]
        for j in range(last - 1, begin[k] - 1, -1):
            r, f = row[j], share[j]
            y0 = (1.0 - f) * y0 + f * Y[r, 0]
            y1 = (1.0 - f) * y1 + f * Y[r, 1]
        Y[v, 0], Y[v, 1] = y0, y1
