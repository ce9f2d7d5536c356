"""Polynomials of the inner product, and the infinite one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.stream import Array
from ...core.vectors import dot, norm2
from .algebra import bounded_array, kernel
from .arithmetic import bounded, exponential
from .linear import products


@kernel
class Polynomial(NamedTuple):
    """(<x, z> + constant)^degree: all monomials up to the degree (of exactly the degree where the constant is 0).

    >>> Polynomial(2)([1, 2], [3, 4])
    144.0
    """

    degree: int = 3
    constant: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        return power(dot(z, x) + self.constant, self.degree)

    def self_of(self, x: Any) -> float:
        return power(norm2(x) + self.constant, self.degree)

    def by_dot(self, xx: float, zz: float) -> bool:
        return True

    def from_dot(self, p: float, xx: float, zz: float) -> float:
        return power(p + self.constant, self.degree)

    def _gram(self, X: Any, Z: Any) -> Array:
        with np.errstate(over="ignore"):
            return bounded_array((products(X, Z) + self.constant) ** self.degree)


def power(v: float, degree: int) -> float:
    total = 1.0
    for _ in range(degree):
        total = bounded(total * bounded(v))
    return total


@kernel
class Exponential(NamedTuple):
    """exp(a <x, z>), a >= 0: all monomials of any degree; in one dimension sqrt(a^i / i!) x^i, i = 0, 1, …
    (E-EXP-KERNEL).

    >>> round(Exponential(1.7)(0.8, 1.3), 12)
    5.859123388543
    """

    a: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        return exponential(self.a * dot(z, x))

    def self_of(self, x: Any) -> float:
        return exponential(self.a * norm2(x))

    def by_dot(self, xx: float, zz: float) -> bool:
        return True

    def from_dot(self, p: float, xx: float, zz: float) -> float:
        return exponential(self.a * p)

    def _gram(self, X: Any, Z: Any) -> Array:
        K: Array = np.exp(np.minimum(self.a * products(X, Z), 345.0))
        return K
