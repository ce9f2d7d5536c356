"""Units of features for learners that keep the Cholesky factor R of a matrix A = a diag(unit^2) + sum of z z'.

A feature has its unit, and its part of A, from its second value on. A matrix never forgets: a round that brings a new
feature, or one that is more than 8 units long, is not learned from.
"""

from __future__ import annotations

import math
from typing import Any

from ...core.stream import Array
from ...core.vectors import index, size, value
from .cholesky import add_outer, solve
from .units import LONG, Units, few, fit


def trusted(u: Units, x: Any, R: Array, a: float) -> bool:
    """May the round be learned from? A feature that becomes known gets a unit^2 in A."""
    fine = True
    for m in range(size(x)):
        v, i = abs(value(x, m)), index(x, m)
        if v > 0.0 and few(u, i):
            if fit(u, i, v) == 0.0:
                fine = False
            elif not few(u, i):
                R[i, i] = math.sqrt(a) / abs(u.q[i])
        if v * abs(u.q[i]) > LONG:
            fine = False
    return fine


def tighten(u: Units, x: Any, w: Array, R: Array, z: Array, a: float) -> float:
    """After the round: units that are too short grow, and their part of A with them; what that costs the bound."""
    cost = 0.0
    for m in range(size(x)):
        v, i = abs(value(x, m)), index(x, m)
        if v > 0.0 and not few(u, i) and (u.q[i] < 0.0 or v * u.q[i] > 1.0):
            ratio = fit(u, i, v)
            if ratio < 1.0:
                unit = 1.0 / abs(u.q[i])
                cost += pull(w, R, z, i, a * (1.0 - ratio * ratio) * unit * unit)
    return cost


def pull(w: Array, R: Array, z: Array, i: int, more: float) -> float:
    """Add more w_i^2 / 2 to what the weights minimise; |its gradient|^2 in the new metric.

    One weight of 3 with A = 2: minimise (w - 3)^2 + w^2 for more = 2, so w = 3/2; 6^2 / 4 = 9.

    >>> import numpy as np
    >>> w, R = np.array([3.0]), np.array([[math.sqrt(2.0)]])
    >>> round(pull(w, R, np.zeros(1), 0, 2.0), 9), w.round(9).tolist(), (R * R).round(9).tolist()
    (9.0, [1.5], [[4.0]])
    """
    for j in range(z.shape[0]):
        z[j] = 0.0
    z[i] = 1.0
    variance = solve(R, z)
    gradient = more * w[i]
    step = gradient / (1.0 + more * variance)
    for j in range(z.shape[0]):
        w[j] -= step * z[j]
        z[j] = 0.0
    z[i] = math.sqrt(more)
    add_outer(R, z)
    return float(step * gradient * variance)
