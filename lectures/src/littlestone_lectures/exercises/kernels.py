"""Is it a kernel? The eigenvalue that refutes it; explicit features of the min kernel; lecture 2."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.kernels.functions.refutation import Refutation, least, matrix_of, refute


class KernelCheck(NamedTuple):
    """The least eigenvalue of the matrix of these points, and what refutes the kernel, if something does."""

    eigenvalue: float
    refutation: Refutation | None

    @property
    def holds(self) -> bool:
        return self.refutation is None

    def __str__(self) -> str:
        if self.refutation is None:
            return f"no refutation: the least eigenvalue on these points is {self.eigenvalue:.6g}"
        return f"no kernel: {self.refutation}; the least eigenvalue is {self.eigenvalue:.6g}"


def is_kernel(kernel: Any, points: Any, tolerance: float = 1e-9) -> KernelCheck:
    """Is it positive semidefinite on these points? If not, points and coefficients with a negative sum (T-GRAM).

    kernel  a kernel, its name, a function of two vectors, or "precomputed" (then `points` is the matrix)

    >>> print(is_kernel("precomputed", [[1.0, 2.0], [2.0, 1.0]]))
    no kernel: not positive semidefinite: examples [0, 1] with coefficients (1, -1) give -2; the least eigenvalue is -1
    >>> is_kernel("linear", [[1.0], [2.0]]).holds
    True
    """
    K = matrix_of(kernel, points)
    value = least((K + K.T) / 2.0)[0]
    found = refute(kernel, points, tolerance)
    return KernelCheck(
        0.0 if abs(value) < tolerance * max(1.0, float(np.abs(K).max())) else value, found
    )


def min_kernel_features(x: Any, terms: int = 100) -> Array:
    """Explicit features of min(x, t) on [0, 1]: sqrt(2) sin((k - 1/2) pi x) / ((k - 1/2) pi), k = 1, 2, …

    A row for each x. The sum of the first K products is within 2 / (pi^2 (K - 1/2)) of min(x, t) (A2.17).

    >>> F = min_kernel_features([0.3, 0.8], terms=2000)
    >>> round(float(F[0] @ F[1]), 4)
    0.3
    """
    values = np.atleast_1d(np.asarray(x, float))
    bad = np.flatnonzero(~((values >= 0.0) & (values <= 1.0)))
    if len(bad):
        raise BadInput(f"x, entry {bad[0]}: {values[bad[0]]:g} is not in [0, 1]")
    if terms < 1:
        raise BadInput(f"terms {terms}: it must be at least 1")
    rate = (np.arange(1, terms + 1) - 0.5) * np.pi
    features: Array = np.sqrt(2.0) * np.sin(values[:, None] * rate) / rate
    return features
