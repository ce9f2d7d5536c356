"""Kernels of what a map makes of the examples: composition, normalisation, conformal scaling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.numeric import decay
from ...core.stream import Array
from ...core.vectors import dot, norm2
from .algebra import ONE, bounded_array, kernel
from .arithmetic import bounded
from .examples import as_wide, finite
from .radial import squares


@kernel
class Mapped(NamedTuple):
    """K(phi(x), phi(z)) for a Python function phi of a vector; rules with it run plain.

    >>> from .linear import Linear
    >>> Mapped(lambda x: np.append(x, x[0] * x[1]), Linear())([1, 2], [3, 4])  # 3 + 8 + 2 * 12
    35.0
    """

    phi: Callable[[Any], Any]
    kernel: Any

    def of(self, x: Any, z: Any) -> float:
        return float(self.kernel.of(vector(self.phi(x)), vector(self.phi(z))))

    def self_of(self, x: Any) -> float:
        return float(self.kernel.self_of(vector(self.phi(x))))

    def _gram(self, X: Any, Z: Any) -> Array:
        return np.asarray(self.kernel._gram(images(self.phi, X), images(self.phi, Z)))

    def _suits(self, X: Any, what: str) -> None:
        if X.shape[0]:
            self.kernel._suits(finite(images(self.phi, X), f"phi({what})"), f"phi({what})")


@kernel
class LinearMap(NamedTuple):
    """K(A x, A z) for a matrix A. O(d) a row of A and evaluation.

    >>> from .radial import Laplace
    >>> round(LinearMap(np.array([[1.0, -1.0]]), Laplace())([3, 1], [2, 1]), 6)  # exp(-|2 - 1|)
    0.367879
    """

    A: Array
    kernel: Any

    def of(self, x: Any, z: Any) -> float:
        return self.kernel.of(image(self.A, x), image(self.A, z))  # type: ignore[no-any-return]

    def self_of(self, x: Any) -> float:
        return self.kernel.self_of(image(self.A, x))  # type: ignore[no-any-return]

    def _gram(self, X: Any, Z: Any) -> Array:
        return np.asarray(self.kernel._gram(X @ self.A.T, Z @ self.A.T))

    def _suits(self, X: Any, what: str) -> None:
        as_wide(self.A, X, what, "LinearMap")
        self.kernel._suits(X @ self.A.T, f"A {what}")


def image(A: Any, x: Any) -> Any:
    made = np.zeros(A.shape[0])
    for r in range(A.shape[0]):
        made[r] = dot(A[r], x)
    return made


def images(phi: Any, X: Any) -> Array:
    """What a Python function makes of every row."""
    made = [vector(phi(x)) for x in as_dense(X)]
    for v in made:
        if v.shape != made[0].shape:
            raise BadInput(
                f"phi of the Mapped kernel must make vectors of one length, not {made[0].shape} and {v.shape}"
            )
    return np.array(made)


def vector(v: Any) -> Array:
    return np.atleast_1d(np.asarray(v, dtype=np.float64))


@kernel
@ONE
class Normalised(NamedTuple):
    """K(x, z) / sqrt(K(x, x) K(z, z)): the cosine of the angle between the features; 0 where there are none.

    >>> from .linear import Linear
    >>> Normalised(Linear())([3, 4], [6, 8])
    1.0
    """

    kernel: Any

    def of(self, x: Any, z: Any) -> float:
        return ratio(self.kernel.of(x, z), self.kernel.self_of(x), self.kernel.self_of(z))

    def self_of(self, x: Any) -> float:
        return 1.0 if self.kernel.self_of(x) > 0.0 else 0.0

    def from_dot(self, p: float, xx: float, zz: float) -> float:
        k = self.kernel
        return ratio(k.from_dot(p, xx, zz), k.from_dot(xx, xx, xx), k.from_dot(zz, zz, zz))

    def _gram(self, X: Any, Z: Any) -> Array:
        both = [self.kernel._diagonal(M) for M in ((X,) if Z is X else (X, Z))]
        size = np.sqrt(both[0])[:, None] * np.sqrt(both[-1])[None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(size > 0.0, np.clip(self.kernel._gram(X, Z) / size, -1.0, 1.0), 0.0)


def ratio(k: float, xx: float, zz: float) -> float:
    size = math.sqrt(xx) * math.sqrt(zz)
    return min(max(k / size, -1.0), 1.0) if size > 0.0 else 0.0


class Bell(NamedTuple):
    """exp(-beta |x|^2), a factor for Conformal: with exp(2 beta <x, z>) it makes the Gaussian kernel."""

    beta: float = 1.0

    def factor(self, x: Any) -> float:
        return decay(-self.beta * norm2(x))

    def _factors(self, X: Any) -> Array:
        f: Array = np.exp(-self.beta * squares(X))
        return f


class Called(NamedTuple):
    """A Python function of a vector as a factor; rules with it run plain."""

    f: Callable[[Any], float]

    def factor(self, x: Any) -> float:
        return float(self.f(x))

    def _factors(self, X: Any) -> Array:
        return np.array([float(self.f(x)) for x in as_dense(X)])


@kernel
class Conformal(NamedTuple):
    """f(x) K(x, z) f(z), for a factor f: a Python function of a vector, or `Bell(beta)`.

    >>> from .linear import Linear
    >>> Conformal(lambda x: 1 / x[0], Linear())([2, 4], [5, 5])  # <(1, 2), (1, 1)>
    3.0
    """

    f: Any
    kernel: Any

    def of(self, x: Any, z: Any) -> float:
        return bounded(self.f.factor(x) * self.kernel.of(x, z) * self.f.factor(z))

    def self_of(self, x: Any) -> float:
        return bounded(self.f.factor(x) * self.kernel.self_of(x) * self.f.factor(x))

    def _gram(self, X: Any, Z: Any) -> Array:
        f, g = factors(self.f, X), factors(self.f, Z)
        return bounded_array(f[:, None] * self.kernel._gram(X, Z) * g[None, :])


def factors(f: Any, X: Any) -> Any:
    """The factor of every row."""
    return (f if isinstance(f, (Bell, Called)) else Called(f))._factors(X)


callers: list[Any] = [Mapped, Called]
for one in callers:
    one.opaque = True  # no compiled loop can call Python: rules with these are played plain
