"""The Cholesky factor R of a matrix A = R'R that grows by one example a round: upper triangular, kept by rotations.

    A += z z'            add_outer: a plane rotation for each row
    A^-1 z               solve: a triangular system forwards, and one backwards

O(d^2) each. An inverse that is updated by the formula of Sherman and Morrison costs the same, and loses its digits
where examples are long and alike: K - K z z' K / (1 + z' K z) is then a difference of numbers that are nearly equal,
and in the end z' K z is below 0. A factor loses none: what is computed belongs to a matrix that is off by rounding
alone (Golub & Van Loan, Matrix Computations, 6.5.4). Inner loops go over slices: they are then compiled to four numbers
at a time. A feature that has not been met has zeros in its row and column, and none of the z either.

One example (3, 4) and A = I at first, of which the determinant becomes 1 + 3^2 + 4^2:

>>> import numpy as np
>>> R = np.eye(2)
>>> round(math.exp(add_outer(R, np.array([3.0, 4.0]))), 9)
26.0
>>> (R.T @ R).round(9).tolist()
[[10.0, 12.0], [12.0, 17.0]]
>>> z = np.array([10.0, 12.0])
>>> float(round(solve(R, z), 9))
10.0
>>> z.round(9).tolist()
[1.0, 0.0]
"""

from __future__ import annotations

import math
from typing import Any

from ...core.stream import Array
from ...core.vectors import index, size, value


def read_met(R: Array, x: Any, z: Array) -> None:
    """z = x, without the features that have not been met."""
    for i in range(z.shape[0]):
        z[i] = 0.0
    for m in range(size(x)):
        i = index(x, m)
        if R[i, i] > 0.0:
            z[i] = value(x, m)


def add_outer(R: Array, z: Array) -> float:
    """A += z z'; how much ln det A grew. z is used up."""
    n, grown = z.shape[0], 0.0
    for k in range(n):
        if z[k] != 0.0:
            long, ratio = math.hypot(R[k, k], z[k]), abs(z[k] / R[k, k])
            grown += math.log1p(ratio * ratio) if ratio < 1e100 else 2.0 * math.log(ratio)
            c, s = R[k, k] / long, z[k] / long
            R[k, k] = long
            row, rest = R[k, k + 1 :], z[k + 1 :]
            for i in range(row.shape[0]):
                t, v = row[i], rest[i]
                row[i] = c * t + s * v
                rest[i] = c * v - s * t
    return grown


def solve(R: Array, z: Array) -> float:
    """z becomes A^-1 z; z' A^-1 z as it was before."""
    n, square = z.shape[0], 0.0
    for k in range(n):
        if R[k, k] > 0.0:
            z[k] /= R[k, k]
            first = z[k]
            square += first * first
            row, rest = R[k, k + 1 :], z[k + 1 :]
            for i in range(row.shape[0]):
                rest[i] -= row[i] * first
    for m in range(n):
        k = n - 1 - m
        if R[k, k] > 0.0:
            row, rest, known = R[k, k + 1 :], z[k + 1 :], 0.0
            for i in range(row.shape[0]):
                known += row[i] * rest[i]
            z[k] = (z[k] - known) / R[k, k]
    return square
