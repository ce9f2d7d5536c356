"""A function of two examples that is no kernel is refuted by a few of them: `refute` finds such examples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.stream import Array
from .algebra import is_kernel
from .examples import matrix
from .gram import examples
from .names import kernel_named


class Refutation(NamedTuple):
    """`sum_ij c_i c_j K(x_i, x_j) = value < 0` for these examples; or K is not symmetric for two of them."""

    rows: tuple[int, ...]
    coefficients: Array
    value: float  # the sum; where K is not symmetric, K(x_i, x_j) - K(x_j, x_i)
    symmetric: bool = True

    def __str__(self) -> str:
        if not self.symmetric:
            i, j = self.rows
            return f"not symmetric: K of examples {i} and {j} differs by {self.value:.6g} when they change places"
        c = ", ".join(f"{v:.4g}" for v in self.coefficients)
        return f"not positive semidefinite: examples {list(self.rows)} with coefficients ({c}) give {self.value:.6g}"


def refute(kernel: Any, X: Any, tolerance: float = 1e-9) -> Refutation | None:
    """Examples of X, as few as are found, that refute a kernel; None where X refutes nothing (which is no proof).

    kernel  a kernel, its name, a function of two vectors, or "precomputed" (then X is the matrix)

    The eigenvector of the least eigenvalue refutes, if that is below 0; then examples are left out as long as the rest
    refutes as well.

    >>> A = np.array([[-1.0, 2.0], [2.0, 4.0]])
    >>> print(refute(lambda x, z: x @ A @ z, [[0, 1], [1, 1], [1, 0]]))
    not positive semidefinite: examples [2] with coefficients (1) give -1
    >>> refute("gaussian", [[0.0], [1.0]]) is None
    True

    Ledger: A-REFUTE; A2.11, T2.12, T2.19.
    """
    K = matrix_of(kernel, X)
    top = float(np.abs(K).max(initial=0.0))
    if top == 0.0:
        return None
    skew = K - K.T
    if np.abs(skew).max() > tolerance * top:
        i, j = (int(v) for v in np.unravel_index(int(np.argmax(skew)), K.shape))
        return Refutation((i, j), np.ones(2), float(skew[i, j]), False)
    K = (K + K.T) / 2.0
    rows = np.arange(len(K))
    if least(K)[0] >= -tolerance * top * len(K):
        return None
    order = np.argsort(np.abs(least(K)[1]))  # the least important first
    for drop in order:
        rest = rows[rows != drop]
        if len(rest) and least(K[np.ix_(rest, rest)])[0] < -tolerance * top * len(K):
            rows = rest
    value, c = least(K[np.ix_(rows, rows)])
    big = c[np.argmax(np.abs(c))]
    return Refutation(tuple(int(r) for r in rows), c / big, float(value / big**2))


def least(K: Array) -> tuple[float, Array]:
    """The least eigenvalue and its vector, of length 1."""
    s, Q = np.linalg.eigh(K)
    return float(s[0]), Q[:, 0]


def matrix_of(kernel: Any, X: Any) -> Array:
    """K(x, z) for all pairs of examples."""
    if isinstance(kernel, str) and kernel == "precomputed":
        K: Array = np.asarray(matrix(X, "X"), float)
        if K.shape[0] != K.shape[1]:
            raise BadInput(
                f"refute: a precomputed kernel is a square matrix, not of shape {K.shape}"
            )
        return K
    if isinstance(kernel, str):
        kernel = kernel_named(kernel)
    if is_kernel(kernel):
        rows = examples(kernel, X, "X")
        kernel._suits(rows, "X")
        return np.asarray(kernel._gram(rows, rows))
    if not callable(kernel):
        raise BadInput(
            f"refute: a kernel is a name, a kernel or a function of two vectors, not {kernel!r:.60}"
        )
    rows = matrix(X, "X")
    rows = as_dense(rows)
    return np.array([[float(kernel(x, z)) for z in rows] for x in rows]).reshape(
        len(rows), len(rows)
    )
