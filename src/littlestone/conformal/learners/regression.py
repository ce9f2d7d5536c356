"""What is left of earlier errors when they are known: a regression of the next error on them, which fades.

One array holds it, so that one round from Python hands over few of them: F rows of A, F of its Cholesky factor, then b,
the slopes and scratch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.stream import Array

MEMORY = 5000.0  # half-life of what is known of the regression, in rounds
FADE = 0.5 ** (1.0 / MEMORY)
CUT = 3.0  # errors count as at most three times the usual error: one outlier does not move the line
RIDGE = 10.0  # ten rounds of usual errors say that nothing is left


def regression(F: int) -> Array:
    """Normal equations of F features: nothing is known."""
    return np.zeros((2 * F + 3, F))


def slope(r: Any, i: int) -> float:
    """The slope of feature i."""
    return r[2 * r.shape[1] + 1, i]  # type: ignore[no-any-return]


def cut_to_units(v: float, unit: float) -> float:
    """v in units, at most `CUT` of them."""
    return min(max(v, -CUT * unit), CUT * unit) / unit


def regressed(r: Any, features: Any, first: int, error: float, unit: float) -> None:
    """One more error, and the features (from `first` on) that were known before it; in units of the usual error."""
    F, y = r.shape[1], cut_to_units(error, unit)
    b, z = 2 * F, 2 * F + 2
    for i in range(F):
        r[z, i] = cut_to_units(features[first + i], unit)
    for i in range(F):
        r[b, i] = FADE * r[b, i] + r[z, i] * y
        for j in range(i + 1):
            r[i, j] = FADE * r[i, j] + r[z, i] * r[z, j]
    solve(r)


def solve(r: Any) -> None:
    """Solve (A + ridge) slopes = b by Cholesky's method; the lower half of A is read."""
    F = r.shape[1]
    b, s, z = 2 * F, 2 * F + 1, 2 * F + 2
    for i in range(F):
        for j in range(i + 1):
            rest = r[i, j] + (RIDGE if i == j else 0.0)
            for k in range(j):
                rest -= r[F + i, k] * r[F + j, k]
            r[F + i, j] = math.sqrt(max(rest, RIDGE * 1e-3)) if i == j else rest / r[F + j, j]
    for i in range(F):
        rest = r[b, i]
        for k in range(i):
            rest -= r[F + i, k] * r[z, k]
        r[z, i] = rest / r[F + i, i]
    for i in range(F - 1, -1, -1):
        rest = r[z, i]
        for k in range(i + 1, F):
            rest -= r[F + k, i] * r[s, k]
        r[s, i] = rest / r[F + i, i]
