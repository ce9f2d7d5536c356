"""Kernels of sets by how much they have in common: mu(A ∩ B), mu of what is in neither, and the sum of both."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.csr import as_dense
from ...core.stream import Array
from ...core.vectors import index, size, value
from .algebra import Kernel, Sum, kernel
from .examples import sets
from .maps import Mapped


@kernel
class Intersection(NamedTuple):
    """c |A ∩ B|, the sets given as 0/1 vectors (`indicators` makes them).

    mu(A ∩ B) for a measure that weighs each member by c; for weights of their own, `GeneralLinear(np.diag(weights))`.

    >>> Intersection()([1, 1, 0, 1], [0, 1, 1, 1])
    2.0
    """

    c: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        total = 0.0
        for k in range(size(x)):
            total += value(x, k) * z[index(x, k)]
        return self.c * total

    def self_of(self, x: Any) -> float:
        total = 0.0
        for k in range(size(x)):
            total += value(x, k) * value(x, k)
        return self.c * total

    def _gram(self, X: Any, Z: Any) -> Array:
        K: Array = self.c * (as_dense(X) @ as_dense(Z).T)
        return K

    def _suits(self, X: Any, what: str) -> None:
        sets(X, what)


def complement(x: Any) -> Any:
    """The members that are not in a set."""
    return 1.0 - np.asarray(x)


def union_complement(c: float = 1.0) -> Kernel:
    """c times the number of members that are in neither set: Intersection of the complements.

    >>> union_complement()([1, 1, 0, 0], [0, 1, 0, 0])
    2.0
    """
    return Mapped(complement, Intersection(c))


def agreement(c: float = 1.0) -> Kernel:
    """c times the number of members that are in both sets or in neither.

    >>> agreement()([1, 1, 0, 0], [0, 1, 0, 0])
    3.0
    """
    return Sum(Intersection(c), union_complement(c))
