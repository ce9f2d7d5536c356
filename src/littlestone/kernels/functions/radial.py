"""Kernels of the distance: they are 1 at x = z and fall to 0 as x and z move apart."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.csr import as_dense, is_sparse
from ...core.numeric import decay
from ...core.stream import Array
from .algebra import kernel
from .arithmetic import distance1, distance2
from .linear import products


@kernel
class Gaussian(NamedTuple):
    """exp(-beta |x - z|^2).

    From inner products and stored norms it costs one inner product: |x - z|^2 = |x|^2 + |z|^2 - 2 <x, z>. That
    cancels where x and z are far from 0 and close to each other, so beyond beta (|x|^2 + |z|^2) = 1e6, where the
    error would pass 1e-9, differences are taken.

    >>> round(Gaussian(0.5)([1, 2], [1, 4]), 6)  # exp(-2)
    0.135335
    """

    beta: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        return decay(-self.beta * distance2(x, z))

    def self_of(self, x: Any) -> float:
        return 1.0

    def by_dot(self, xx: float, zz: float) -> bool:
        return self.beta * (xx + zz) <= 1e6

    def from_dot(self, p: float, xx: float, zz: float) -> float:
        return decay(min(self.beta * (2.0 * p - xx - zz), 0.0))

    def _gram(self, X: Any, Z: Any) -> Array:
        xx, zz = squares(X), squares(Z)
        if len(xx) == 0 or len(zz) == 0:
            return np.zeros((len(xx), len(zz)))
        if self.beta * (xx.max() + zz.max()) <= 1e6:
            D = xx[:, None] + zz[None, :] - 2.0 * products(X, Z)
        else:
            D = distances(X, Z, "sqeuclidean")
        K: Array = np.exp(-self.beta * np.maximum(D, 0.0))
        return K


@kernel
class Laplace(NamedTuple):
    """exp(-beta sum_i |x_i - z_i|). It is not differentiable at x = z, and a kernel all the same (E-RADIAL).

    >>> round(Laplace(0.5)([1, 2], [0, 4]), 6)  # exp(-1.5)
    0.22313
    """

    beta: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        return decay(-self.beta * distance1(x, z))

    def self_of(self, x: Any) -> float:
        return 1.0

    def _gram(self, X: Any, Z: Any) -> Array:
        K: Array = np.exp(-self.beta * distances(X, Z, "cityblock"))
        return K


@kernel
class Matern(NamedTuple):
    """A polynomial of the distance times exp(-s), s = sqrt(2 nu) |x - z| / length, with nu = order + 1/2.

    Its functions have `order` derivatives: 0 is exp(-|x - z| / length), 1 is (1 + s) exp(-s), and so on towards the
    Gaussian with beta = 1 / (2 length^2). scikit-learn's `gaussian_process.kernels.Matern(length, nu)`.

    >>> round(Matern(1)([0, 0], [1, 0]), 6)  # (1 + sqrt(3)) exp(-sqrt(3))
    0.483358

    Ledger: A-RADIAL; A2.20.
    """

    order: int = 1
    length: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        s = min((2.0 * self.order + 1.0) ** 0.5 * distance2(x, z) ** 0.5 / self.length, 700.0)
        term, total = 1.0, 1.0
        for k in range(self.order):
            term *= 2.0 * s * (self.order - k) / ((2.0 * self.order - k) * (k + 1.0))
            total += term
        return total * decay(-s)

    def self_of(self, x: Any) -> float:
        return 1.0

    def _gram(self, X: Any, Z: Any) -> Array:
        far = distances(X, Z, "euclidean") * ((2.0 * self.order + 1.0) ** 0.5 / self.length)
        s = np.minimum(far, 700.0)
        term, total = np.ones_like(s), np.ones_like(s)
        for k in range(self.order):
            term *= 2.0 * s * (self.order - k) / ((2.0 * self.order - k) * (k + 1.0))
            total += term
        K: Array = total * np.exp(-s)
        return K


@kernel
class Cauchy(NamedTuple):
    """1 / (1 + beta |x - z|^2): a mixture of Gaussians of all widths, with a long tail.

    It is the mean of exp(-t beta |x - z|^2) over t with density exp(-t); scikit-learn's RationalQuadratic with alpha 1.

    >>> Cauchy(0.5)([1, 2], [1, 4])
    0.3333333333333333

    Ledger: A-RADIAL; A2.20.
    """

    beta: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        return 1.0 / (1.0 + self.beta * distance2(x, z))

    def self_of(self, x: Any) -> float:
        return 1.0

    def _gram(self, X: Any, Z: Any) -> Array:
        K: Array = 1.0 / (1.0 + self.beta * distances(X, Z, "sqeuclidean"))
        return K


def squares(X: Any) -> Any:
    """|x|^2 of every row."""
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).reshape(-1)
    return np.einsum("ij,ij->i", X, X)


def distances(X: Any, Z: Any, metric: Any) -> Any:
    from scipy.spatial.distance import cdist

    X, Z = (as_dense(M) for M in (X, Z))
    return cdist(X, Z, metric)
