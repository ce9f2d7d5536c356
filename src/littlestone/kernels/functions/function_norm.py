"""The norm of a function in the space of the min kernel: the root of the integral of its squared slope."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import BadInput

WINDOWS = 13  # [0, 1], [1, 2], [2, 4], … up to 4096
POINTS = 16  # of Gauss's rule, on each interval of length 1/2


def function_norm(slope: Callable[[Any], Any]) -> float:
    """sqrt of the integral of slope(x)^2 over x >= 0; infinite where the windows do not shrink.

    slope  the derivative of a function with f(0) = 0, a NumPy function of an array

    Windows are doubled. What is beyond the last one is estimated by going on at the rate at which the last ones shrink;
    where they do not, the integral is taken to be infinite. The norm is that of `RKHSFunction("min", …)`, which is
    exact for functions that are straight between points.

    >>> round(
    ...     function_norm(lambda x: np.cos(x) / (x + 1) - np.sin(x) / (x + 1) ** 2), 4
    ... )  # sin x / (x + 1)
    0.6829
    >>> function_norm(np.cos)  # sin x
    inf

    Ledger: A-RKHS; A2.2, T2.2, W11.
    """
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    parts = []
    for n in range(WINDOWS):
        low, high = (0.0, 1.0) if n == 0 else (2.0 ** (n - 1), 2.0**n)
        ends = np.arange(low, high, 0.5)
        at = ends[:, None] + 0.25 * (nodes[None] + 1.0)
        values = np.asarray(slope(at), float)
        if values.shape != at.shape or not np.isfinite(values).all():
            raise BadInput(
                f"function_norm: slope must give a finite number for each x; it did not between {low:g} and {high:g}"
            )
        parts.append(float(0.25 * (values**2 @ weights).sum()))
    last = parts[-1]
    rate = (parts[-1] / parts[-4]) ** (1.0 / 3.0) if parts[-4] > 0.0 else 0.0
    if last > 0.0 and rate > 0.95:
        return math.inf
    return math.sqrt(sum(parts) + last * rate / (1.0 - rate))
