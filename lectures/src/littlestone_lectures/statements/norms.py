"""Which norms a learner pays for, and how many numbers a simple matrix has."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

Signs = Any  # T x N, entries -1 and +1


def signs(N: int) -> Iterator[Signs]:
    """Rows of signs, at random and the rows of Sylvester's matrix: the label is the first entry."""
    rng = np.random.default_rng(N)
    for _ in range(40):
        yield rng.choice((-1.0, 1.0), (4 * N, N))
    H = np.ones((1, 1))
    while len(H) < N:
        H = np.block([[H, H], [H, -H]])
    if len(H) == N:
        yield H


def perceptron(X: Signs) -> tuple[float, float]:
    """Mistakes of the perceptron, which pays |x|^2 |u|^2 = N."""
    w, wrong = np.zeros(X.shape[1]), 0
    for x in X:
        if x[0] * float(w @ x) <= 0.0:
            w, wrong = w + x[0] * x, wrong + 1
    return float(wrong), float(X.shape[1])


def winnow(X: Signs) -> tuple[float, float]:
    """Mistakes of Winnow-EG, which pays (max |x_i|)^2 times 2 ln N, at the rate of margin 1: eta = 1."""
    N = X.shape[1]
    z, wrong = np.zeros(N), 0
    for x in X:
        w = np.exp(z - z.max())
        if x[0] * float(w @ x) <= 0.0:
            z, wrong = z + x[0] * x, wrong + 1
    return float(wrong), 2.0 * math.log(N)


def shapes(d: int) -> Iterator[tuple[int, int, int]]:
    yield from ((d, m, n) for m in range(1, 6) for n in range(1, 6))


def parameters(shape: tuple[int, int, int]) -> tuple[float, float]:
    """Entries of the two factors of an m x n matrix of rank d."""
    d, m, n = shape
    return float(np.zeros((m, d)).size + np.zeros((n, d)).size), float(d * (m + n))


def in_words(X: Signs) -> str:
    return f"{len(X)} rows of {X.shape[1]} signs"


STATEMENTS = [
    Statement("T-NORMS", "labels x_1, x in {-1, 1}^N: the perceptron errs at most N times", perceptron, signs,
              (1, 2, 3, 4, 6, 8, 12, 16), attained=True, how="rows of signs, and of Sylvester's matrix", show=in_words),
    Statement("T-NORMS", "the same: Winnow-EG errs at most 2 ln N times", winnow, signs, (2, 3, 4, 6, 8, 12, 16, 32),
              how="rows of signs, and of Sylvester's matrix", show=in_words),
    Statement("T-PARAMS", "a matrix of rank d has d (m + n) parameters", parameters, shapes, (1, 2, 3), equal=True,
              how="every shape up to 5 x 5", show=str),
]  # fmt: skip
