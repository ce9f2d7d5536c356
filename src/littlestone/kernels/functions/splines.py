"""The kernel of cubic splines, whose functions have a square-integrable second derivative."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.csr import as_dense
from ...core.stream import Array
from ...core.vectors import index, size, value
from .algebra import bounded_array, kernel
from .arithmetic import bounded

FAR = 1e49  # sizes beyond it count as it, so that no cube overflows


@kernel
class Spline(NamedTuple):
    """1 + sum_i (x_i z_i + c m^2 |x_i - z_i| / 2 + c m^3 / 3), m the smaller of two sizes of the same sign, or 0.

    The last two are the integral of (x - t)_+ (z - t)_+ over t from 0 on. With a small ridge penalty the functions are
    smoothing splines: cubic between the rows, straight beyond them; with several features, a sum of one for each.

    >>> round(Spline()(2.0, 3.0), 9)  # 1 + 6 + 4 * 1/2 + 8/3
    11.666666667

    Ledger: A-SPLINE; A2.25.
    """

    c: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        total = 1.0
        for k in range(size(x)):
            v, w = value(x, k), z[index(x, k)]
            a, b = min(abs(v), FAR), min(abs(w), FAR)
            m = min(a, b) if (v > 0.0) == (w > 0.0) else 0.0
            total += bounded(v * w) + self.c * m * m * (abs(a - b) / 2.0 + m / 3.0)
        return bounded(total)

    def self_of(self, x: Any) -> float:
        total = 1.0
        for k in range(size(x)):
            v = min(abs(value(x, k)), FAR)
            total += bounded(value(x, k) * value(x, k)) + self.c * v * v * v / 3.0
        return bounded(total)

    def _gram(self, X: Any, Z: Any) -> Array:
        X, Z = as_dense(X), as_dense(Z)
        K = np.ones((len(X), len(Z)))
        with np.errstate(over="ignore"):
            for i in range(X.shape[1]):
                v, w = X[:, i][:, None], Z[:, i][None, :]
                a, b = np.minimum(np.abs(v), FAR), np.minimum(np.abs(w), FAR)
                m = np.where((v > 0) == (w > 0), np.minimum(a, b), 0.0)
                K += bounded_array(v * w) + self.c * m * m * (np.abs(a - b) / 2.0 + m / 3.0)
        return bounded_array(K)
