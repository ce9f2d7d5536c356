"""Kernels of Boolean features: all products of distinct features, those of one degree, and sets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.stream import Array
from ...core.vectors import index, size, value
from .algebra import bounded_array, kernel
from .arithmetic import bounded
from .examples import sets


@kernel
class AllSubsets(NamedTuple):
    """prod_i (1 + c x_i z_i): the products of every set of features, 2^d of them, in O(d) (T-ANOVA).

    The empty product is the constant 1, a bias. With c = 1 the perceptron with this kernel learns monotone DNF
    (A-PERC-ANOVA). Notes call it the ANOVA kernel; the literature keeps that name for one degree
    (E-ANOVA-NAME).

    >>> AllSubsets()([1, 1, 0], [1, 1, 1])  # 1, a, b, ab
    4.0
    """

    c: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        total = 1.0
        for k in range(size(x)):
            total = bounded(total * bounded(1.0 + self.c * value(x, k) * z[index(x, k)]))
        return total

    def self_of(self, x: Any) -> float:
        total = 1.0
        for k in range(size(x)):
            total = bounded(total * bounded(1.0 + self.c * value(x, k) * value(x, k)))
        return total

    def _gram(self, X: Any, Z: Any) -> Array:
        X, Z = as_dense(X), as_dense(Z)
        K = np.ones((len(X), len(Z)))
        with np.errstate(over="ignore"):
            for i in range(X.shape[1]):
                K = bounded_array(K * bounded_array(1.0 + self.c * np.outer(X[:, i], Z[:, i])))
        return K


@kernel
class Anova(NamedTuple):
    """The products of exactly `degree` different features: sum over |S| = degree of prod_{i in S} x_i z_i.

    O(d degree) by k_s += x_i z_i k_(s-1), feature by feature; no cancellation where x_i z_i >= 0.

    >>> Anova(2)([1, 1, 1], [1, 2, 3])  # 2 + 3 + 6
    11.0
    """

    degree: int = 2

    def of(self, x: Any, z: Any) -> float:
        k = np.zeros(self.degree + 1)
        k[0] = 1.0
        for j in range(size(x)):
            climb(k, value(x, j) * z[index(x, j)])
        return float(k[self.degree])

    def self_of(self, x: Any) -> float:
        k = np.zeros(self.degree + 1)
        k[0] = 1.0
        for j in range(size(x)):
            climb(k, value(x, j) * value(x, j))
        return float(k[self.degree])

    def _gram(self, X: Any, Z: Any) -> Array:
        X, Z = as_dense(X), as_dense(Z)
        K = [np.ones((len(X), len(Z)))]
        K += [np.zeros((len(X), len(Z))) for _ in range(self.degree)]
        with np.errstate(over="ignore"):
            for i in range(X.shape[1]):
                p = bounded_array(np.outer(X[:, i], Z[:, i]))
                for s in range(self.degree, 0, -1):
                    K[s] = bounded_array(K[s] + p * K[s - 1])
        return K[self.degree]


def climb(k: Any, p: float) -> None:
    """One more feature, whose product is p."""
    for i in range(k.shape[0] - 1):
        s = k.shape[0] - 1 - i
        k[s] = bounded(k[s] + bounded(p) * k[s - 1])


@kernel
class CommonSubsets(NamedTuple):
    """base^|A ∩ B|, the sets given as 0/1 vectors (`indicators` makes them); base 2 counts the common subsets.

    Any base >= 1 will do: it is the all-subsets kernel with c = base - 1 on 0/1 vectors. Up to 0.6 it was called
    Intersection, a name that the literature has for c |A ∩ B|.

    >>> a, b = indicators([{0, 1, 3}, 0b1110], 4)
    >>> CommonSubsets()(a, b)  # {1, 3} has 4 subsets
    4.0
    """

    base: float = 2.0

    def of(self, x: Any, z: Any) -> float:
        total = 1.0
        for k in range(size(x)):
            if value(x, k) != 0.0 and z[index(x, k)] != 0.0:
                total = bounded(total * self.base)
        return total

    def self_of(self, x: Any) -> float:
        total = 1.0
        for k in range(size(x)):
            if value(x, k) != 0.0:
                total = bounded(total * self.base)
        return total

    def _gram(self, X: Any, Z: Any) -> Array:
        common = (as_dense(X) != 0.0).astype(float) @ (as_dense(Z) != 0.0).astype(float).T
        with np.errstate(over="ignore"):
            return bounded_array(self.base**common)

    def _suits(self, X: Any, what: str) -> None:
        sets(X, what)


Intersection = (
    CommonSubsets  # its name up to 0.6, which saved files have; `kernels.Intersection` is mu(A ∩ B)
)


def indicators(sets: Iterable[Any], n: int) -> Array:
    """Sets of numbers below n, or whole numbers read as bits, as 0/1 vectors.

    >>> indicators([{0, 2}, 0b011], 3).tolist()
    [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    found = []
    for one in sets:
        row = np.zeros(n)
        members = (
            [i for i in range(one.bit_length()) if one >> i & 1]
            if isinstance(one, int)
            else list(one)
        )
        for i in members:
            if not 0 <= i < n:
                raise BadInput(f"a set holds {i!r}; its members are 0, …, {n - 1}")
            row[i] = 1.0
        found.append(row)
    return np.array(found).reshape(len(found), n)
