"""Instances that statements about supervised learning share, so that a statement takes a few lines.

tables(n)            joint distributions of x and y, as fractions
samples(m)           labelled rows
designs(m)           rows, outcomes and a penalty
matrices(n)          pairs of positive semidefinite matrices, some of them singular
machines(m)          labelled rows with the SVM that solves them
weighted(m)          labelled rows with weights, and the signs of all stumps
classes(m)           sign matrices with a distribution of the points and labels
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

Sample = tuple[Any, Any]  # rows, and labels -1 and 1


def tables(n: int) -> Iterator[Any]:
    """p[x][y] for n values of x and the values 0, 1, 3 of y: a World with fractions, zeros among them."""
    from littlestone.theory.finite_worlds import World

    for seed in range(20):
        rng = np.random.default_rng([n, seed])
        parts = rng.integers(0, 5, (n, 3))
        parts[:, 0] += parts.sum(axis=1) == 0  # no x without mass
        total = int(parts.sum())
        yield World([[Fraction(int(v), total) for v in row] for row in parts], [0, 1, 3])


def samples(m: int) -> Iterator[Sample]:
    """Labelled rows of two columns: whole numbers with ties, and numbers without."""
    for seed in range(12):
        rng = np.random.default_rng([m, seed])
        X = rng.integers(0, 4, (m, 2)).astype(float) if seed % 2 else rng.normal(size=(m, 2))
        y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=m) > 0.0, 1.0, -1.0)
        y[:2] = -1.0, 1.0
        yield X, y


def designs(m: int) -> Iterator[tuple[Any, Any, float]]:
    """Rows, outcomes and a penalty."""
    for X, y in samples(m):
        for lam in (0.01, 1.0):
            yield X, y + X[:, 0], lam


def matrices(n: int) -> Iterator[tuple[Any, Any]]:
    """Two positive semidefinite n x n matrices, of any rank from 1 on."""
    for seed in range(20):
        rng = np.random.default_rng([n, seed])
        A, B = (rng.normal(size=(n, int(rng.integers(1, n + 1)))) for _ in range(2))
        yield A @ A.T, B @ B.T


class Machine(NamedTuple):
    """A soft-margin SVM with the linear kernel, solved."""

    X: Any
    y: Any
    C: float
    alphas: Any
    b: float

    @property
    def w(self) -> Any:
        return (self.alphas * self.y) @ self.X

    @property
    def margins(self) -> Any:
        return self.y * (self.X @ self.w + self.b)

    @property
    def slack(self) -> float:
        return float(np.maximum(1.0 - self.margins, 0.0).sum())


def machines(m: int) -> Iterator[Machine]:
    """SVMs of labelled rows, for a small and a large C; only those with a free support vector, which fixes b."""
    from ..svm_by_hand import dual_steps

    for X, y in samples(m):
        for C in (0.1, 1.0):
            found = dual_steps(X @ X.T, y, C, 1e-11)
            free = (found.alphas > 1e-7 * C) & (found.alphas < C * (1.0 - 1e-7))
            if free.any():
                w = (found.alphas * y) @ X
                yield Machine(X, y, C, found.alphas, float(np.mean((y - X @ w)[free])))


def weighted(m: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Rows, labels, weights that add up to 1, and the signs of every stump, a row a stump."""
    from littlestone.theory.weak_learning import stumps

    for k, (X, y) in enumerate(samples(m)):
        w = np.random.default_rng([m, k]).dirichlet(np.ones(m))
        yield X, y, w, stumps(X)


def classes(m: int) -> Iterator[tuple[Any, Any, Any]]:
    """A sign matrix of at most 8 hypotheses on m points, the chances of the points, and labels -1 and 1."""
    for seed in range(12):
        rng = np.random.default_rng([m, seed])
        H = np.where(rng.random((int(rng.integers(2, 9)), m)) < 0.5, 1, -1)
        parts = rng.integers(1, 6, m)
        D = [Fraction(int(v), int(parts.sum())) for v in parts]
        yield H, D, (H[0] if seed % 2 else np.where(rng.random(m) < 0.5, 1, -1))


def seen(i: Any) -> str:
    return f"{len(i[0])} rows"
