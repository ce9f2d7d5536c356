"""What is left of earlier errors when they are known: a regression of the next error on them, which fades."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.stream import Array

MEMORY = 5000.0  # half-life of what is known of the regression, in rounds
FADE = 0.5 ** (1.0 / MEMORY)
CUT = 3.0  # errors count as at most three times the usual error: one outlier does not move the line
RIDGE = 10.0  # ten rounds of usual errors say that nothing is left


class Regression(NamedTuple):
    """Normal equations of a few features."""

    A: Array  # F x F: sums of products of the features, which fade
    b: Array  # F: sums of their products with the error that came
    slopes: Array  # F: the solution
    L: Array  # F x F: scratch, the Cholesky factor
    z: Array  # F: scratch


def regression(F: int) -> Regression:
    return Regression(np.zeros((F, F)), np.zeros(F), np.zeros(F), np.zeros((F, F)), np.zeros(F))


def cut(v: float, unit: float) -> float:
    """v in units, at most `CUT` of them."""
    return min(max(v, -CUT * unit), CUT * unit) / unit


def regressed(r: Regression, features: Any, first: int, error: float, unit: float) -> None:
    """One more error, and the features (from `first` on) that were known before it; all in units of the usual error."""
    F, fade, y = r.b.shape[0], FADE, cut(error, unit)
    for i in range(F):
        r.z[i] = cut(features[first + i], unit)
    for i in range(F):
        r.b[i] = fade * r.b[i] + r.z[i] * y
        for j in range(i + 1):
            r.A[i, j] = fade * r.A[i, j] + r.z[i] * r.z[j]
    solve(r)


def solve(r: Regression) -> None:
    """Solve (A + ridge) slopes = b by Cholesky's method; the lower half of A is read."""
    F = r.b.shape[0]
    for i in range(F):
        for j in range(i + 1):
            rest = r.A[i, j] + (RIDGE if i == j else 0.0)
            for k in range(j):
                rest -= r.L[i, k] * r.L[j, k]
            r.L[i, j] = math.sqrt(max(rest, RIDGE * 1e-3)) if i == j else rest / r.L[j, j]
    for i in range(F):
        rest = r.b[i]
        for k in range(i):
            rest -= r.L[i, k] * r.z[k]
        r.z[i] = rest / r.L[i, i]
    for i in range(F - 1, -1, -1):
        rest = r.z[i]
        for k in range(i + 1, F):
            rest -= r.L[k, i] * r.slopes[k]
        r.slopes[i] = rest / r.L[i, i]
