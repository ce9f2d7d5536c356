"""Small functions that kernels share; x is dense or sparse, z is dense."""

from __future__ import annotations

from typing import Any

from ...core.numeric import decay
from ...core.vectors import index, norm2, size, value


def bounded(v: float) -> float:
    """v, cut to ±1e150: a kernel that leaves the range of floats would turn a sum into NaN for ever."""
    return min(max(v, -1e150), 1e150)


def exponential(v: float) -> float:
    """exp(v), at most 1e150."""
    e = decay(-min(abs(v), 345.0)) if v > 0.0 else decay(v)
    return 1.0 / e if v > 0.0 else e


def distance2(x: Any, z: Any) -> float:
    """|x - z|^2, of differences: nothing cancels."""
    total = 0.0
    if size(x) == z.shape[0]:
        for k in range(size(x)):
            e = value(x, k) - z[index(x, k)]
            total += e * e
        return total
    total = norm2(z)  # of what x leaves out
    for k in range(size(x)):
        e, v = value(x, k), z[index(x, k)]
        total += e * (e - 2.0 * v)
    return max(total, 0.0)


def distance1(x: Any, z: Any) -> float:
    """The sum of |x_i - z_i|."""
    total = 0.0
    if size(x) < z.shape[0]:
        for i in range(z.shape[0]):
            total += abs(z[i])
        for k in range(size(x)):
            total -= abs(z[index(x, k)])
    for k in range(size(x)):
        total += abs(value(x, k) - z[index(x, k)])
    return max(total, 0.0)
