"""Kernels of the distance: they are 1 at x = z and fall to 0 as x and z move apart."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.numeric import decay
from ..core.stream import Array
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


def squares(X: Any) -> Any:
    """|x|^2 of every row."""
    if hasattr(X, "toarray"):
        return np.asarray(X.multiply(X).sum(axis=1)).reshape(-1)
    return np.einsum("ij,ij->i", X, X)


def distances(X: Any, Z: Any, metric: Any) -> Any:
    from scipy.spatial.distance import cdist

    X, Z = (M.toarray() if hasattr(M, "toarray") else M for M in (X, Z))
    return cdist(X, Z, metric)
