"""Kernels make kernels: what every kernel answers, and sums, products, multiples, polynomials and exponentials.

A kernel is a NamedTuple, so that the same methods run plain and compiled:

    of(x, z)                 K(x, z), for a dense or sparse x and a dense z
    self_of(x)               K(x, x)
    by_dot(xx, zz)           is K(x, z) a function of <x, z>, |x|^2 = xx and |z|^2 = zz, accurate at such norms?
    from_dot(p, xx, zz)      that function, at <x, z> = p

Beside these, for Python alone, `_gram(X, Z)`: all pairs at once, with BLAS where it helps; `_diagonal(X)`: K(x, x) of
each row; and `_suits(X, what)`, which refuses examples that the kernel is not made for. In Python kernels add and
multiply: `k1 + k2`, `k1 * k2`, `2 * k`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.shared_methods import with_methods
from ...core.stream import Array
from .arithmetic import bounded, exponential

Kernel = tuple[Any, ...]  # every kernel is a NamedTuple
C = TypeVar("C", bound=type)
CLASSES: list[type] = []  # of all kernels


def is_kernel(v: object) -> bool:
    """Is it a kernel: not the factor of one, a matrix or a number?

    >>> from .linear import Linear
    >>> is_kernel(Linear()), is_kernel(2.0)
    (True, False)
    """
    return isinstance(v, tuple(CLASSES))


def plus(left: Any, right: Any) -> Sum:
    if not is_kernel(right):
        raise BadInput(f"only kernels can be added to a kernel, not {right!r}")
    return Sum(left, right)


def times(left: Any, right: Any) -> Product | Multiple:
    if is_kernel(right):
        return Product(left, right)
    try:
        c = float(right)
    except (TypeError, ValueError):
        raise BadInput(f"a kernel is multiplied with a kernel or a number, not {right!r}") from None
    if not 0.0 <= c < np.inf:
        raise BadInput(f"a multiple of a kernel is a kernel for c >= 0, not for c = {c:g}")
    return Multiple(c, left)


def as_parts(self: Any, X: Any, what: str) -> None:
    """Refuse examples that one of the kernels in `self` refuses."""
    for part in self:
        if is_kernel(part):
            part._suits(X, what)


def row_by_row(self: Any, X: Any) -> Array:
    rows = as_dense(X)
    return np.array([self.self_of(x) for x in rows], dtype=np.float64)


def never(self: Any, xx: float, zz: float) -> bool:
    return False


def unasked(self: Any, p: float, xx: float, zz: float) -> float:
    return p


def kernel(cls: C) -> C:
    """Give a kernel class `+`, `*`, and those of `by_dot`, `from_dot`, `_suits`, `_diagonal` that it does not define.

    A NamedTuple cannot inherit them. calls.py adds `k(x, z)` and `k.gram(X)`, for which every class has to be known.
    """
    more: Any = cls
    more.__add__, more.__mul__, more.__rmul__ = plus, times, times
    for name, answer in (("by_dot", never), ("from_dot", unasked), ("_suits", as_parts),
                         ("_diagonal", row_by_row)):  # fmt: skip
        if name not in vars(cls):
            setattr(cls, name, answer)
    CLASSES.append(cls)
    return cls


def if_inside(self: Any, xx: float, zz: float) -> bool:
    return self.kernel.by_dot(xx, zz)  # type: ignore[no-any-return]


def if_both(self: Any, xx: float, zz: float) -> bool:
    return self.left.by_dot(xx, zz) and self.right.by_dot(xx, zz)  # type: ignore[no-any-return]


ONE, TWO = with_methods(by_dot=if_inside), with_methods(by_dot=if_both)


@kernel
@TWO
class Sum(NamedTuple):
    """K1(x, z) + K2(x, z): the features of both, side by side."""

    left: Any
    right: Any

    def of(self, x: Any, z: Any) -> float:
        return bounded(self.left.of(x, z) + self.right.of(x, z))

    def self_of(self, x: Any) -> float:
        return bounded(self.left.self_of(x) + self.right.self_of(x))

    def from_dot(self, p: float, xx: float, zz: float) -> float:
        return bounded(self.left.from_dot(p, xx, zz) + self.right.from_dot(p, xx, zz))

    def _gram(self, X: Any, Z: Any) -> Array:
        return bounded_array(self.left._gram(X, Z) + self.right._gram(X, Z))

    def _diagonal(self, X: Any) -> Array:
        return bounded_array(self.left._diagonal(X) + self.right._diagonal(X))


@kernel
@TWO
class Product(NamedTuple):
    """K1(x, z) K2(x, z): the products of a feature of one and a feature of the other (E-SCHUR: entry by entry)."""

    left: Any
    right: Any

    def of(self, x: Any, z: Any) -> float:
        return bounded(self.left.of(x, z) * self.right.of(x, z))

    def self_of(self, x: Any) -> float:
        return bounded(self.left.self_of(x) * self.right.self_of(x))

    def from_dot(self, p: float, xx: float, zz: float) -> float:
        return bounded(self.left.from_dot(p, xx, zz) * self.right.from_dot(p, xx, zz))

    def _gram(self, X: Any, Z: Any) -> Array:
        return bounded_array(self.left._gram(X, Z) * self.right._gram(X, Z))

    def _diagonal(self, X: Any) -> Array:
        return bounded_array(self.left._diagonal(X) * self.right._diagonal(X))


@kernel
@ONE
class Multiple(NamedTuple):
    """c K(x, z), c >= 0."""

    c: float
    kernel: Any

    def of(self, x: Any, z: Any) -> float:
        return bounded(self.c * self.kernel.of(x, z))

    def self_of(self, x: Any) -> float:
        return bounded(self.c * self.kernel.self_of(x))

    def from_dot(self, p: float, xx: float, zz: float) -> float:
        return bounded(self.c * self.kernel.from_dot(p, xx, zz))

    def _gram(self, X: Any, Z: Any) -> Array:
        return bounded_array(self.c * self.kernel._gram(X, Z))

    def _diagonal(self, X: Any) -> Array:
        return bounded_array(self.c * self.kernel._diagonal(X))


def horner(c: Any, v: float) -> float:
    total = 0.0
    for i in range(len(c)):
        total = bounded(total * v + c[len(c) - 1 - i])
    return total


@kernel
@ONE
class Series(NamedTuple):
    """c_0 + c_1 K + c_2 K^2 + …, every c_i >= 0; a constant term is allowed (E-KPOLY)."""

    kernel: Any
    c: tuple[float, ...]

    def of(self, x: Any, z: Any) -> float:
        return horner(self.c, self.kernel.of(x, z))

    def self_of(self, x: Any) -> float:
        return horner(self.c, self.kernel.self_of(x))

    def from_dot(self, p: float, xx: float, zz: float) -> float:
        return horner(self.c, self.kernel.from_dot(p, xx, zz))

    def _gram(self, X: Any, Z: Any) -> Array:
        K: Array = self.kernel._gram(X, Z)
        total = np.zeros_like(K)
        for c in reversed(self.c):
            total = bounded_array(total * K + c)
        return total


@kernel
@ONE
class Exp(NamedTuple):
    """exp(K(x, z)): the series with c_i = 1/i!."""

    kernel: Any

    def of(self, x: Any, z: Any) -> float:
        return exponential(self.kernel.of(x, z))

    def self_of(self, x: Any) -> float:
        return exponential(self.kernel.self_of(x))

    def from_dot(self, p: float, xx: float, zz: float) -> float:
        return exponential(self.kernel.from_dot(p, xx, zz))

    def _gram(self, X: Any, Z: Any) -> Array:
        K: Array = np.exp(np.minimum(self.kernel._gram(X, Z), 345.0))
        return K


def bounded_array(K: Any) -> Array:
    cut: Array = np.clip(K, -1e150, 1e150)
    return cut
