"""Norms, convexity and kernels: lecture 2 on supervised learning."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

from .instances import matrices

POWERS = (1.0, 1.5, 2.0, 3.0, math.inf)


def pairs(n: int) -> Iterator[tuple[Any, Any, float]]:
    """Two vectors and a power; a vector and itself among them."""
    rng = np.random.default_rng(n)
    for p in POWERS:
        for _ in range(8):
            x = rng.normal(size=n)
            yield x, rng.normal(size=n), p
        yield x, 2.0 * x, p


def triangle(i: tuple[Any, Any, float]) -> tuple[float, float]:
    x, y, p = i
    return float(np.linalg.norm(x + y, p)), float(np.linalg.norm(x, p) + np.linalg.norm(y, p))


CONVEX: tuple[Callable[[Any], float], ...] = (
    lambda x: float(x[0] ** 2),
    lambda x: math.exp(-x[0]),
    lambda x: x[0] * math.log(x[0]) + (1.0 - x[0]) * math.log(1.0 - x[0]),
    lambda x: float(x @ x),
)


def chords(n: int) -> Iterator[tuple[int, Any, Any, float]]:
    """A function, two points with coordinates in (0, 1), and a share."""
    rng = np.random.default_rng(n)
    for k in range(len(CONVEX)):
        for _ in range(10):
            yield k, rng.uniform(0.01, 0.99, n), rng.uniform(0.01, 0.99, n), float(rng.random())


def jensen(i: tuple[int, Any, Any, float]) -> tuple[float, float]:
    """How much the function lies above the chord; and 0."""
    k, x, y, t = i
    f = CONVEX[k]
    return f(t * x + (1.0 - t) * y) - t * f(x) - (1.0 - t) * f(y), 0.0


def least(K: Any) -> float:
    """The size of a negative eigenvalue, for the largest one; else 0."""
    s = np.linalg.eigvalsh(K)
    return max(float(-s[0] / max(abs(s[-1]), 1e-300)), 0.0)


def closed(i: tuple[Any, Any]) -> tuple[float, float]:
    """The most negative eigenvalue of anything that is made of two kernel matrices by the rules; and 0."""
    A, B = i
    d = np.linspace(-1.0, 2.0, len(A))
    made = (
        A + 2.0 * B,
        A * B,
        A * A * B + 3.0 * B + 1.0,
        np.exp(A / np.abs(A).max()),
        np.outer(d, d) * A,
    )
    return max(least(K) for K in made), 0.0


def rebuilt(i: tuple[Any, Any]) -> tuple[float, float]:
    """The largest difference of a matrix and the inner products of the features that it was factored into; and 0."""
    s, Q = np.linalg.eigh(i[0])
    G = Q * np.sqrt(np.maximum(s, 0.0))
    return float(np.abs(G @ G.T - i[0]).max()), 0.0


def distinct(m: int) -> Iterator[Any]:
    rng = np.random.default_rng(m)
    for n in (1, 2, 3):
        yield rng.permutation(4 * m)[:m, None] * 0.5 + rng.uniform(0, 0.1, (m, n))


def gaussian_rank(X: Any) -> tuple[float, float]:
    from littlestone.kernels import gram

    return float(len(X)), float(np.linalg.matrix_rank(gram("gaussian:2", X)))


def subsets(n: int) -> Iterator[tuple[Any, Any]]:
    rng = np.random.default_rng(n)
    for _ in range(10):
        yield rng.normal(size=n), rng.normal(size=n)


def all_subsets(i: tuple[Any, Any]) -> tuple[float, float]:
    from littlestone.kernels import AllSubsets

    p = i[0] * i[1]
    sums = sum(
        math.prod(p[list(s)]) for r in range(len(p) + 1) for s in combinations(range(len(p)), r)
    )
    return float(AllSubsets().of(*i)), float(sums)


def clustered(m: int) -> Iterator[tuple[Any, int]]:
    rng = np.random.default_rng(m)
    for k in (1, 2, 3):
        for _ in range(4):
            X = rng.normal(size=(m, 2))
            yield X @ X.T, k


def best_clusters(i: tuple[Any, int]) -> tuple[float, float]:
    """The trace less the k largest eigenvalues, and the least sum of squared distances of all clusterings."""
    K, k = i
    top = np.linalg.eigvalsh(K)[::-1][:k].sum()
    best = math.inf
    for labels in product(range(k), repeat=len(K)):
        rows = [np.flatnonzero(np.array(labels) == c) for c in set(labels)]
        best = min(best, float(np.trace(K) - sum(K[np.ix_(r, r)].sum() / len(r) for r in rows)))
    return float(np.trace(K) - top), best


TWO = "20 pairs of positive semidefinite matrices a size, some singular"
STATEMENTS = (
    Statement("T-TRIANGLE", "|x + y|_p <= |x|_p + |y|_p for p >= 1", triangle, pairs, (1, 2, 5), attained=True,
              how="vectors at random, p = 1, 1.5, 2, 3, infinity", show=lambda i: f"p = {i[2]}, {len(i[0])} numbers"),
    Statement("T-CONVEX", "x^2, e^-x, x ln x + (1 - x) ln(1 - x) and |x|^2 lie below their chords", jensen, chords,
              (1, 2, 4), how="chords at random", show=lambda i: f"function {i[0]}"),
    Statement("T-SCHUR", "sums, entrywise products, polynomials, exponentials and f K f of kernel matrices are ones",
              closed, matrices, (2, 4, 8), how=TWO, show=lambda i: f"{len(i[0])} x {len(i[0])}"),
    Statement("T-GRAM", "a positive semidefinite matrix is one of inner products", rebuilt, matrices, (2, 4, 8),
              equal=True, how=TWO, show=lambda i: f"{len(i[0])} x {len(i[0])}"),
    Statement("T-GAUSSIAN-RANK", "the Gaussian kernel matrix of m distinct points has rank m", gaussian_rank, distinct,
              (2, 5, 10), attained=True, how="points of a line, a plane and space",
              show=lambda X: f"{len(X)} points, {X.shape[1]} dimensions"),
    Statement("T-ALL-SUBSETS", "prod (1 + x_i z_i) is the sum over all sets of features", all_subsets, subsets,
              (1, 3, 6), equal=True, how="10 pairs of vectors a size", show=lambda i: f"{len(i[0])} features"),
    Statement("T-KMEANS", "trace K less its k largest eigenvalues is at most the least sum of squared distances",
              best_clusters, clustered, (3, 5, 6), attained=True, how="all clusterings",
              show=lambda i: f"{len(i[0])} points, k = {i[1]}", short=2),
)  # fmt: skip
