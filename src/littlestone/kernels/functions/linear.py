"""Linear kernels: inner products, plain and under a matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...core.csr import as_dense
from ...core.stream import Array
from ...core.vectors import dot, index, norm2, size, value
from .algebra import bounded_array, kernel
from .arithmetic import bounded
from .examples import as_wide


@kernel
class Linear(NamedTuple):
    """<x, z> + constant: the constant is a bias. The dual perceptron is the kernel perceptron with this (A-PERC-DUAL).

    >>> Linear()([1, 2], [3, 4])
    11.0
    """

    constant: float = 0.0

    def of(self, x: Any, z: Any) -> float:
        return bounded(dot(z, x) + self.constant)

    def self_of(self, x: Any) -> float:
        return bounded(norm2(x) + self.constant)

    def by_dot(self, xx: float, zz: float) -> bool:
        return True

    def from_dot(self, p: float, xx: float, zz: float) -> float:
        return bounded(p + self.constant)

    def _gram(self, X: Any, Z: Any) -> Array:
        return bounded_array(products(X, Z) + self.constant)


@kernel
class GeneralLinear(NamedTuple):
    """x' A z for a positive semidefinite A: with A = R R' the features are R' x. O(d^2) an evaluation.

    >>> import numpy as np
    >>> GeneralLinear(np.diag([1.0, 5.0]))([1, 2], [3, 4])  # x_1 z_1 + 5 x_2 z_2
    43.0
    """

    A: Array

    def of(self, x: Any, z: Any) -> float:
        total = 0.0
        for k in range(size(x)):
            total += value(x, k) * dot(self.A[index(x, k)], z)
        return bounded(total)

    def self_of(self, x: Any) -> float:
        total = 0.0
        for k in range(size(x)):
            total += value(x, k) * dot(self.A[index(x, k)], x)
        return bounded(total)

    def _gram(self, X: Any, Z: Any) -> Array:
        return bounded_array(products(X @ self.A, Z))

    def _suits(self, X: Any, what: str) -> None:
        as_wide(self.A, X, what, "GeneralLinear")


def products(X: Any, Z: Any) -> Any:
    """<x, z> for all pairs of rows."""
    P = X @ Z.T
    return as_dense(P)
