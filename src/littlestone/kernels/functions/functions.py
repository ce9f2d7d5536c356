"""Functions of a kernel: f = sum_i a_i K(x_i, .), their values, inner products and norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .gram import gram
from .names import kernel_named


class RKHSFunction:
    """f = sum_i a_i K(x_i, .): `f(X)` has its values, `f @ g` the inner product a' K(x, z) b, `f.norm` its length.

    The function K(x, .) reproduces: `f @ RKHSFunction(kernel, [x]) = f(x)`. Functions add, and multiply with numbers.

    >>> f = RKHSFunction("min", [[1.0], [2.0]], [1.0, -1.0])
    >>> f([[0.5], [1.5], [3.0]]).tolist()  # 0 to 1: slope 0, then slope -1 up to 2
    [0.0, -0.5, -1.0]
    >>> f.norm**2  # the integral of the squared slope
    1.0

    Ledger: A-RKHS; A2.2, A2.23, T2.11.
    """

    def __init__(self, kernel: Any, X: Any, a: Any = None) -> None:
        self.kernel: Any = kernel_named(kernel)
        self.X = X if hasattr(X, "shape") else list(X)
        many = self.X.shape[0] if hasattr(self.X, "shape") else len(self.X)
        self.a: Array = np.ones(many) if a is None else np.asarray(a, np.float64)
        if self.a.shape != (many,) or not np.isfinite(self.a).all():
            raise BadInput(
                f"RKHSFunction: a must have one finite number an example, {many}, not {a!r:.60}"
            )

    def __call__(self, X: Any) -> Array:
        """f of each example."""
        found: Array = gram(self.kernel, X, self.X) @ self.a
        return found

    def __matmul__(self, other: RKHSFunction) -> float:
        if self.kernel != other.kernel:
            raise BadInput("RKHSFunction: the two functions must have the same kernel")
        return float(self.a @ gram(self.kernel, self.X, other.X) @ other.a)

    @property
    def norm(self) -> float:
        """sqrt(a' K a)."""
        return float(np.sqrt(max(self @ self, 0.0)))

    def __add__(self, other: RKHSFunction) -> RKHSFunction:
        if self.kernel != other.kernel:
            raise BadInput("RKHSFunction: the two functions must have the same kernel")
        return RKHSFunction(self.kernel, [*self.X, *other.X], np.concatenate([self.a, other.a]))

    def __mul__(self, c: float) -> RKHSFunction:
        return RKHSFunction(self.kernel, self.X, float(c) * self.a)

    __rmul__ = __mul__

    def __sub__(self, other: RKHSFunction) -> RKHSFunction:
        return self + other * -1.0
