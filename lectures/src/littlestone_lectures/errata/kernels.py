"""Errata of the lecture on kernels: norms, signs, series, products, and what a radial kernel needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from littlestone.falsify.erratum import Erratum

from ..statements.instances import designs, matrices


def vectors(n: int) -> Iterator[tuple[int, ...]]:
    yield from product((0, 1, -1, 2, -3), repeat=n)


def p_norm(x: tuple[int, ...], p: float = 1e12) -> float:
    """|x|_p for a huge p, without overflow."""
    top = max(abs(v) for v in x)
    return top * sum((abs(v) / top) ** p for v in x) ** (1.0 / p) if top else 0.0


LARGEST = Erratum(
    "E-LARGEST",
    "|x|_p tends to max_i x_i",
    lambda x: (p_norm(x), float(max(x))),
    "it tends to max_i |x_i|",
    lambda x: (p_norm(x), float(max(map(abs, x)))),
    "every x with entries 0, 1, -1, 2, -3; p = 10^12",
    vectors,
    (1, 2, 3),
    equal=True,
    show=lambda x: f"x = {x}",
)


def coefficient(i: Any, sign: float) -> tuple[float, float]:
    """The first dual coefficient of ridge, and sign V' / (2 lambda), V = (y - f)^2."""
    X, y, lam = i
    a = np.linalg.solve(X @ X.T + lam * np.eye(len(y)), y)
    slope = -2.0 * (y[0] - X[0] @ X.T @ a)
    return float(a[0]), float(sign * slope / (2.0 * lam))


REPRESENTER = Erratum(
    "E-REPRESENTER",
    "the minimiser of sum V + lambda |w|^2 has the coefficients V' / (2 lambda)",
    lambda i: coefficient(i, 1.0),
    "-V' / (2 lambda)",
    lambda i: coefficient(i, -1.0),
    "ridge on 12 samples of a size, two penalties",
    designs,
    (2, 4, 8),
    equal=True,
    show=lambda i: f"{len(i[1])} rows, lambda = {i[2]}",
)


def exponentials(n: int) -> Iterator[tuple[float, float, float]]:
    steps = (1.0, 0.5, 2.0)[: n + 1]
    yield from product(steps, repeat=3)


def series(i: tuple[float, float, float], printed: bool) -> tuple[float, float]:
    """The inner product of features of exp(a x t), and its value."""
    a, x, t = i
    total = 0.0
    for k in range(60):
        weight = a / 2.0 if printed and k == 2 else a**k / math.factorial(k)
        total += weight * (x * t) ** k
    return total, math.exp(a * x * t)


EXP_KERNEL = Erratum(
    "E-EXP-KERNEL",
    "exp(a x t) has the features 1, sqrt(a) x, sqrt(a/2) x^2, …, sqrt(a^i / i!) x^i",
    lambda i: series(i, True),
    "the third is sqrt(a^2/2) x^2",
    lambda i: series(i, False),
    "a, x, t in {1, 1/2, 2}, 60 features",
    exponentials,
    (1, 2),
    equal=True,
    show=lambda i: f"a = {i[0]}, x = {i[1]}, t = {i[2]}",
)


def beyond(R: int, terms: int) -> float:
    """What exp(x t) is above its first terms at x = t = R: the sum of the rest, which does not cancel."""
    v, total = float(R * R), 0.0
    for k in range(terms, terms + 400):
        total += math.exp(k * math.log(v) - math.lgamma(k + 1.0))
    return total


EXP_UNIFORM = Erratum(
    "E-EXP-UNIFORM",
    "21 terms of exp(x t) are within 10^-6 everywhere, since the series converges uniformly",
    lambda R: (beyond(R, 21), 1e-6),
    "on |x|, |t| <= R, 21 + 6 R^2 terms are: it converges uniformly on bounded sets",
    lambda R: (beyond(R, 21 + 6 * R * R), 1e-6),
    "x = t = R, R = 1 to 8",
    lambda R: iter((R,)),
    tuple(range(1, 9)),
    show=lambda R: f"R = {R}",
)


def least(M: Any) -> float:
    """The size of the most negative value of v'Mv for |v| = 1, relative to the entries; else 0."""
    return max(float(-np.linalg.eigvalsh((M + M.T) / 2.0)[0] / np.abs(M).max()), 0.0)


SCHUR = Erratum(
    "E-SCHUR",
    "for positive semidefinite A and B the matrix of A_ij B_jj has v'Mv >= 0",
    lambda i: (least(i[0] * np.diag(i[1])[None, :]), 0.0),
    "the matrix of A_ij B_ij has",
    lambda i: (least(i[0] * i[1]), 0.0),
    "20 pairs of positive semidefinite matrices a size",
    matrices,
    (1, 2, 3, 4),
    show=lambda i: (
        f"A = {i[0].round(3).tolist()}, diagonal of B = {np.diag(i[1]).round(3).tolist()}"
    ),
)

SHAPES: dict[str, Callable[[Any], Any]] = {
    "exp(-|x - t|)": lambda d: np.exp(-np.abs(d)),
    "cos(x - t)": np.cos,
    "exp(-(x - t)^2)": lambda d: np.exp(-(d**2)),
}


def shapes(m: int) -> Iterator[tuple[str, int]]:
    for name in SHAPES:
        yield name, m


def differences(i: tuple[str, int]) -> Any:
    x = np.arange(i[1], dtype=float)
    return SHAPES[i[0]](x[:, None] - x[None, :])


def as_it_is(i: tuple[str, int]) -> tuple[float, float]:
    """How much a value exceeds that at 0, or an eigenvalue is negative; and 0."""
    K = differences(i)
    return max(float(np.abs(K).max() - K[0, 0]), float(-np.linalg.eigvalsh(K)[0])), 0.0


RADIAL = Erratum(
    "E-RADIAL",
    "a kernel H(x - t) has H >= 0",
    lambda i: (float(-differences(i).min()), 0.0),
    "it has |H(d)| <= H(0); cos(x - t) is a kernel",
    as_it_is,
    "the points 0, …, m - 1 and three kernels of x - t",
    shapes,
    (1, 2, 3, 4, 6, 9),
    show=lambda i: f"{i[0]} on {i[1]} points",
)

ERRATA = (LARGEST, REPRESENTER, EXP_KERNEL, EXP_UNIFORM, SCHUR, RADIAL)
