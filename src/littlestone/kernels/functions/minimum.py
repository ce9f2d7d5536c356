"""The min kernel, whose functions are those with a square-integrable derivative."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.csr import as_dense
from ...core.stream import Array
from ...core.vectors import index, size, value
from .algebra import kernel


@kernel
class Min(NamedTuple):
    """c sum_i min(x_i, z_i) for numbers >= 0: the overlap of two histograms.

    Of numbers with opposite signs it is 0, of two negative ones the smaller size: (|x| + |z| - |x - z|) / 2, which
    is a kernel on the whole line. Its functions have f(0) = 0 and the norm of their derivative.

    >>> Min()(0.7, 1.9), Min()([-2, 3], [-5, -1])
    (0.7, 2.0)
    """

    c: float = 1.0

    def of(self, x: Any, z: Any) -> float:
        total = 0.0
        for k in range(size(x)):
            v, w = value(x, k), z[index(x, k)]
            if (v > 0.0) == (w > 0.0):
                total += min(abs(v), abs(w))
        return self.c * total

    def self_of(self, x: Any) -> float:
        total = 0.0
        for k in range(size(x)):
            total += abs(value(x, k))
        return self.c * total

    def _gram(self, X: Any, Z: Any) -> Array:
        X, Z = as_dense(X), as_dense(Z)
        K = np.zeros((len(X), len(Z)))
        for i in range(X.shape[1]):
            v, w = X[:, i][:, None], Z[:, i][None, :]
            K += np.where((v > 0) == (w > 0), np.minimum(np.abs(v), np.abs(w)), 0.0)
        return self.c * K
