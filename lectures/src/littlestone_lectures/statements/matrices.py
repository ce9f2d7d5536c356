"""Matrices: quasi-dimension, the matrix exponentiated gradient, and tasks laid end to end."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

from .matrix_norms import laplacian

# Quasi-dimension and the matrix exponentiated gradient. M and N are positive definite.


def definite_matrix(rng: Any, n: int, identity: bool = False) -> Any:
    if identity:
        return np.eye(n)
    B = rng.normal(size=(n, n))
    return B @ B.T + 0.2 * np.eye(n)


def root(M: Any) -> Any:
    w, E = np.linalg.eigh(M)
    return E @ np.diag(np.sqrt(np.maximum(w, 0))) @ E.T


def unit_rows(A: Any) -> Any:
    return A / np.linalg.norm(A, axis=1, keepdims=True)


def factored(d: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """M, N and factors with rows of length 1; gamma U = P Q'."""
    rng = np.random.default_rng(d)
    for j in range(60):
        m, n = int(rng.integers(2, 5)), int(rng.integers(2, 5))
        P, Q = unit_rows(rng.normal(size=(m, d))), unit_rows(rng.normal(size=(n, d)))
        yield definite_matrix(rng, m, j % 3 == 0), definite_matrix(rng, n, j % 3 == 0), P, Q


def radii(M: Any, N: Any) -> tuple[float, float]:
    return float(np.diag(np.linalg.inv(M)).max()), float(np.diag(np.linalg.inv(N)).max())


def dimension(M: Any, N: Any, P: Any, Q: Any) -> float:
    RM, RN = radii(M, N)
    return float(RM * np.trace(P.T @ M @ P) + RN * np.trace(Q.T @ N @ Q))


QUASI_ID = Statement(
    "T-QUASI-ID",
    "M = N = I: the quasi-dimension is m + n",
    lambda i: (dimension(np.eye(len(i[2])), np.eye(len(i[3])), i[2], i[3]), len(i[2]) + len(i[3])),
    factored,
    (1, 2, 3, 5),
    equal=True,
    how="factors with rows of length 1, at random",
    short=2,
)


def lifted(i: Any) -> tuple[Any, Any]:
    """Z with ZZ' the comparator, and the vectors x_ij."""
    M, N, P, Q = i
    RM, RN = radii(M, N)
    Z = np.vstack([math.sqrt(RM) * root(M) @ P, math.sqrt(RN) * root(N) @ Q])
    rows = root(np.linalg.inv(M)) / math.sqrt(2 * RM)
    columns = root(np.linalg.inv(N)) / math.sqrt(2 * RN)
    m, n = len(M), len(N)
    X = [[np.concatenate([rows[:, a], columns[:, b]]) for b in range(n)] for a in range(m)]
    return Z, X


def margin(i: Any) -> tuple[float, float]:
    Z, X = lifted(i)
    P, Q = i[2], i[3]
    worst = abs(float(np.trace(Z @ Z.T)) - dimension(*i))
    for a, b in product(range(len(P)), range(len(Q))):
        x = X[a][b]
        # the length that the rounding of gamma U = P Q' has is 1 in each half: <P_a, Q_b> + 1
        worst = max(worst, abs(float(x @ Z @ Z.T @ x) - 1 - float(P[a] @ Q[b])), float(x @ x) - 1.0)
    return worst, 0.0


MEG_MARGIN = Statement(
    "T-MEG-MARGIN",
    "tr(U~ X_ij) - 1 = gamma U_ij, tr U~ = the quasi-dimension, |x_ij| <= 1",
    margin,
    factored,
    (1, 2, 3, 5),
    equal=True,
    how="kernels and factors at random",
    short=2,
)


def logarithm(W: Any) -> Any:
    w, E = np.linalg.eigh(W)
    return E @ np.diag(np.log(np.maximum(w, 1e-300))) @ E.T


def exponential(S: Any) -> Any:
    w, E = np.linalg.eigh(S)
    return E @ np.diag(np.exp(w)) @ E.T


def updates(d: int) -> Iterator[tuple[Any, Any, Any, float, int]]:
    """A comparator, a symmetric exponent, a vector of length <= 1, a rate, a label."""
    rng = np.random.default_rng(d)
    for _ in range(300):
        B = rng.normal(size=(d, d))
        S = rng.normal(size=(d, d))
        x = rng.normal(size=d)
        x *= rng.random() / np.linalg.norm(x)
        yield (
            B @ B.T + 1e-6 * np.eye(d),
            (S + S.T) / 2,
            x,
            float(10 ** rng.uniform(-2, 0.3)),
            int(rng.choice((-1, 1))),
        )


def golden(i: Any) -> tuple[float, float]:
    """eta y tr(U X) - tr(W X)(e^(eta y) - 1), and the progress D(U, W) - D(U, W')."""
    U, S, x, eta, y = i
    X = np.outer(x, x)
    W, V = exponential(S), exponential(S + eta * y * X)
    gain = float(np.trace(U @ (eta * y * X))) + float(np.trace(W - V))
    return eta * y * float(x @ U @ x) - float(x @ W @ x) * (math.exp(eta * y) - 1), gain


MEG_PROG = Statement(
    "T-MEG-PROG",
    "D(U, W) - D(U, W') >= eta y tr(U X) - tr(W X)(e^(eta y) - 1) on an update (Golden-Thompson)",
    golden,
    updates,
    (1, 2, 3, 5),
    attained=True,
    how="matrices at random",
    short=2,
)


def clusters(k: int) -> Iterator[tuple[Any, Any, Any, Any, Any]]:
    """A kernel matrix M (a Laplacian made definite, or any), an expansion R, and unit rows P*."""
    rng = np.random.default_rng(k)
    for j in range(80):
        m = int(rng.integers(k, k + 5))
        r = np.concatenate([np.arange(k), rng.integers(0, k, m - k)])
        R = np.eye(k)[rng.permutation(r)]
        P = unit_rows(rng.normal(size=(k, int(rng.integers(1, 4)))))
        if j % 2:
            M = definite_matrix(rng, m)
        else:
            edges = [(int(rng.integers(a)), a) for a in range(1, m)]
            L = laplacian(edges, m)
            top = float(np.diag(np.linalg.pinv(L)).max()) if m > 1 else 1.0
            M = L + np.full((m, m), 1 / (max(top, 1e-9) * m * m))
        yield M, R, P, j % 2 == 0, k


def half(i: Any) -> tuple[float, float]:
    """One half of the quasi-dimension of R P*, against k tr(R'MR) R_M, and 2 tr(R'MR) R_M + 2k for Laplacians."""
    M, R, P, laplace, k = i
    top = float(np.diag(np.linalg.inv(M)).max())
    value = top * float(np.trace((R @ P).T @ M @ (R @ P)))
    spread = top * float(np.trace(R.T @ M @ R))
    return value, min(k * spread, 2 * spread + 2 * k) if laplace else k * spread


QUASI_A = Statement(
    "T-QUASI-A",
    "rows in k classes: R_M tr(P'MP) <= k tr(R'MR) R_M, and <= 2 tr(R'MR) R_M + 2k for Laplacians",
    half,
    clusters,
    (1, 2, 3, 4),
    attained=True,
    how="kernels, classes and factors at random",
    short=2,
)


def columns(k: int) -> Iterator[tuple[Any, Any, Any]]:
    rng = np.random.default_rng(k)
    for _ in range(60):
        m, n = int(rng.integers(1, 5)), int(rng.integers(k, k + 4))
        C = np.eye(k)[np.concatenate([np.arange(k), rng.integers(0, k, n - k)])]
        yield rng.choice((-1.0, 1.0), (m, k)), C, (definite_matrix(rng, m), definite_matrix(rng, n))


def by_columns(i: Any) -> tuple[float, float]:
    """The factors U*/sqrt(l) and C are feasible at gamma = 1/sqrt(l), and have the value that is claimed."""
    U, C, (M, N) = i
    gamma = 1 / math.sqrt(U.shape[1])
    P = gamma * U
    off = float(np.abs(P @ C.T - gamma * (U @ C.T)).max())
    off += float(np.abs(np.linalg.norm(P, axis=1) - 1).max()) + float(
        np.abs(np.linalg.norm(C, axis=1) - 1).max()
    )
    RM, RN = radii(M, N)
    claimed = gamma**2 * float(np.trace(U.T @ M @ U)) * RM + float(np.trace(C.T @ N @ C)) * RN
    return dimension(M, N, P, C) + off, claimed


QUASI_B = Statement(
    "T-QUASI-B",
    "columns in l classes, gamma = 1/sqrt(l): the quasi-dimension <= gamma^2 tr(U*'MU*) R_M + tr(C'NC) R_N",
    by_columns,
    columns,
    (1, 2, 3, 4),
    attained=True,
    how="kernels and classes at random",
    short=2,
)


def modes(T: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Tasks laid end to end, and the mode of each column."""
    rng = np.random.default_rng(T)
    for _ in range(60):
        s = int(rng.integers(1, min(T, 4) + 1))
        cuts = sorted(rng.choice(np.arange(1, T), s - 1, replace=False).tolist()) if s > 1 else []
        m = int(rng.integers(1, 5))
        yield tuple(cuts), tuple(int(v) for v in rng.integers(0, m, T))


def indicators(i: Any) -> tuple[float, float]:
    """The cuts of all mode indicators together, and 2 (k + s - 1)."""
    cuts, h = i
    k = sum(a != b for t, (a, b) in enumerate(pairwise(h), 1) if t not in cuts)
    total = sum(sum((a == j) != (b == j) for a, b in pairwise(h)) for j in set(h))
    return total, 2 * (k + len(cuts))


MT_RKHS = Statement(
    "T-MT-RKHS",
    "the m mode indicators, tasks laid end to end, have at most 2 (k + s - 1) cuts",
    indicators,
    modes,
    (2, 3, 5, 9, 20),
    attained=True,
    how="tasks and modes at random",
    short=3,
)


def rounds_of_tasks(T: int) -> Iterator[tuple[Any, Any, Any]]:
    """Tasks, examples and labels of T rounds: one hypothesis, which a task negates, or labels at random."""
    rng = np.random.default_rng(T)
    for j in range(4):
        tasks, x = rng.integers(0, 2, T), rng.normal(size=(T, 1))
        y = np.where(x[:, 0] > 0, 1, -1) * np.where(tasks == 0, 1, -1)
        yield tasks, x, rng.choice([-1, 1], T) if j % 2 else y


def mixed_complexities(i: Any) -> tuple[float, float]:
    """What play_tasks without a complexity loses beyond the best complexity, and its price."""
    from littlestone.matrices.multitask_kernel import play_tasks

    made = play_tasks(*i, kernel="gaussian:1", modes=2)
    each = [play_tasks(*i, kernel="gaussian:1", complexity=C) for C in made.complexities]
    least = min(one.loss for one in each)
    return made.loss - least, made.price


MT_RKHS_ANY = Statement(
    "T-MT-RKHS-ANY",
    "several tasks without a complexity: loss - that of the best of N complexities <= sqrt(T ln N / 2)",
    mixed_complexities,
    rounds_of_tasks,
    (4, 12),
    how="two tasks, labels of a hypothesis or at random",
    short=1,
    show=lambda i: f"T = {len(i[0])}",
)

STATEMENTS = (QUASI_ID, QUASI_A, QUASI_B, MEG_MARGIN, MEG_PROG, MT_RKHS, MT_RKHS_ANY)
