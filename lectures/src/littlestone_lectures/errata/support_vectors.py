"""Errata of the lecture on support vector machines: the dual, errors along C, the bias, and duality itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np

from littlestone.falsify.erratum import Erratum

from ..statements.instances import machines, samples


def lagrangian(i: Any, last: float) -> tuple[float, float]:
    """The primal objective, and -alpha' A alpha / 2 plus the last term."""
    norm2 = float(i.w @ i.w)
    return norm2 / 2.0 + i.C * i.slack, last - norm2 / 2.0


SVM_EXPANSION = Erratum(
    "E-SVM-EXPANSION",
    "in the Lagrangian at the optimum the last term, sum alpha_i, is 0: it is -alpha' A alpha / 2",
    lambda i: lagrangian(i, 0.0),
    "sum alpha_i stays: it is sum alpha_i - alpha' A alpha / 2",
    lambda i: lagrangian(i, float(i.alphas.sum())),
    "solved SVMs, C = .1 and 1",
    machines,
    (3, 4, 8),
    equal=True,
    show=lambda i: f"{len(i.y)} rows, C = {i.C}",
)


def predictions(n: int) -> Iterator[tuple[int, float]]:
    for v in range(-2 * n, 2 * n + 1):
        for y in (1, -1):
            yield y, v / 2.0


ZERO_ONE = Erratum(
    "E-ZERO-ONE",
    "V(y, f) = [y = sign(f)] is at most the hinge loss",
    lambda i: (float(i[0] == (1 if i[1] >= 0 else -1)), max(0.0, 1.0 - i[0] * i[1])),
    "V(y, f) = [y != sign(f)] is",
    lambda i: (float(i[0] != (1 if i[1] >= 0 else -1)), max(0.0, 1.0 - i[0] * i[1])),
    "y = 1, -1, f in halves",
    predictions,
    (1, 2, 3),
    show=lambda i: f"y = {i[0]}, f = {i[1]}",
)

GRID = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)


@cache
def path(m: int, seed: int) -> Any:
    from ..svm_by_hand import path_of_c

    X, y = overlapping(m, seed)
    return path_of_c(X @ X.T, y, GRID, 1e-8)


def overlapping(m: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng([m, seed])
    y = np.repeat([-1.0, 1.0], m)
    return rng.normal(size=(2 * m, 2)) + (y[:, None] > 0), y


def steps_of_c(m: int) -> Iterator[tuple[int, int, int]]:
    for seed in range(6):
        for k in range(len(GRID) - 1):
            yield m, seed, k


SVM_ERRORS = Erratum(
    "E-SVM-ERRORS",
    "the training error never grows with C: as the number of rows on the wrong side",
    lambda i: (float(path(*i[:2]).errors[i[2] + 1]), float(path(*i[:2]).errors[i[2]])),
    "as the sum of the slacks",
    lambda i: (float(path(*i[:2]).slacks[i[2] + 1]), float(path(*i[:2]).slacks[i[2]])),
    "2 m rows of two normal classes, C = .01, .03, …, 3",
    steps_of_c,
    (2, 3, 4, 5, 6, 8),
    show=lambda i: f"{2 * i[0]} rows (seed {i[1]}), C from {GRID[i[2]]} to {GRID[i[2] + 1]}",
    short=4,
)

FINE = tuple(np.linspace(0.2, 0.6, 17))


@cache
def fine_path(m: int, seed: int) -> Any:
    from ..svm_by_hand import path_of_c

    X, y = overlapping(m, seed)
    return path_of_c(X @ X.T, y, FINE, 1e-12)


def bends(m: int) -> Iterator[tuple[int, int, int]]:
    for seed in range(3):
        for k in range(1, len(FINE) - 1):
            yield m, seed, k


def second_difference(i: tuple[int, int, int]) -> float:
    a = fine_path(*i[:2]).alphas
    return float(np.abs(a[i[2] + 1] - 2.0 * a[i[2]] + a[i[2] - 1]).max())


def straight(i: tuple[int, int, int]) -> tuple[float, float]:
    """The second difference where the rows at 0 and at C stay the same over three C; and 0."""
    a = fine_path(*i[:2]).alphas
    rows = [i[2] - 1, i[2], i[2] + 1]
    kinds = [(tuple(a[r] < 1e-9), tuple(a[r] > FINE[r] - 1e-9)) for r in rows]
    return (second_difference(i) if len(set(kinds)) == 1 else 0.0), 0.0


SVM_PATH = Erratum(
    "E-SVM-PATH",
    "alpha is a quadratic function of C between bends: its second differences are not 0",
    lambda i: (1e-7, second_difference(i)),
    "it is linear there: they are 0 where no row changes its kind",
    straight,
    "2 m rows of two normal classes, 17 C between .2 and .6",
    bends,
    (2, 3, 4),
    right_equal=True,
    show=lambda i: f"{2 * i[0]} rows (seed {i[1]}), around C = {FINE[i[2]]:.3f}",
)


def small_c(m: int) -> Iterator[tuple[Any, Any, float]]:
    """Points of a line, labels, and C; both labels occur."""
    for x in combinations((-1.0, 1.0, 2.0, 3.5), m):
        for y in product((-1.0, 1.0), repeat=m):
            if len(set(y)) == 2:
                for C in (1.0, 0.1):
                    yield np.array(x), np.array(y), C


def free(i: Any) -> tuple[float, float]:
    """One, and the number of free support vectors."""
    from ..svm_by_hand import dual_steps

    x, y, C = i
    a = dual_steps(np.outer(x, x), y, C, 1e-12).alphas
    return 1.0, float(((a > 1e-9) & (a < C - 1e-9)).sum())


def best_bias(i: Any) -> tuple[float, float]:
    """The least primal objective over b for the w of the dual, and the dual objective."""
    from ..svm_by_hand import dual_steps

    x, y, C = i
    found = dual_steps(np.outer(x, x), y, C, 1e-12)
    w = float((found.alphas * y) @ x)
    slack = [np.maximum(1.0 - y * (w * x + b), 0.0).sum() for b in y - w * x]  # a kink is best
    return w * w / 2.0 + C * float(min(slack)), float(found.objectives[-1])


SVM_BIAS = Erratum(
    "E-SVM-BIAS",
    "b = y_j - w.x_j for some j with 0 < alpha_j < C: there is one",
    free,
    "there need not be one; b minimises the slack for the w that was found, perhaps over an interval",
    best_bias,
    "2, 3 and 4 points of a line, all labelings, C = 1 and .1",
    small_c,
    (2, 3, 4),
    right_equal=True,
    show=lambda i: f"x = {i[0].tolist()}, y = {i[1].astype(int).tolist()}, C = {i[2]}",
)


def working_sets(m: int) -> Iterator[tuple[Any, Any, tuple[int, int]]]:
    for X, y in samples(m):
        for pair in combinations(range(m), 2):
            yield X, y, pair


def gain(i: Any) -> float:
    """What the dual objective gains from alpha = 0 by moving two variables, under the equation, C = 1."""
    X, y, (a, b) = i
    if y[a] == y[b]:
        return 0.0
    curve = float(((X[a] - X[b]) ** 2).sum())
    step = min(1.0, 2.0 / curve) if curve > 0.0 else 1.0
    return 2.0 * step - step**2 * curve / 2.0


SVM_STALL = Erratum(
    "E-SVM-STALL",
    "at alpha = 0 every row violates the conditions, so any two of them raise the objective",
    lambda i: (1e-6, gain(i)),
    "two rows of different classes do: a pair that violates them",
    lambda i: (1e-6, gain(i) if i[1][i[2][0]] != i[1][i[2][1]] else 1.0),
    "12 samples of a size, every pair of rows, C = 1",
    working_sets,
    (2, 3, 5),
    show=lambda i: (
        f"{len(i[1])} rows, the working set {i[2]}, labels {i[1][list(i[2])].astype(int).tolist()}"
    ),
)


def programs(n: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """min sum_k q_k z_k^2 / 2 + c_k z_k over z >= 0, as pairs (q, c)."""
    yield from product(product((1, 0), (0, 1, -1)), repeat=n)


def violated(i: Any) -> tuple[float, float]:
    """What the conditions of optimality leave at the best point there is with |z| <= 1000; and 0."""
    from littlestone.supervised.kkt import kkt

    z = [max(-c / q, 0.0) if q else (1000.0 if c < 0 else 0.0) for q, c in i]
    gradient = [q * v + c for (q, c), v in zip(i, z, strict=True)]
    alpha = [g if v == 0.0 else 0.0 for g, v in zip(gradient, z, strict=True)]
    return kkt(gradient, z, -np.eye(len(i)), np.zeros(len(i)), alpha).worst, 0.0


DUALITY = Erratum(
    "E-DUALITY",
    "a feasible convex program with linear constraints has a point that meets the conditions of optimality",
    violated,
    "it has, if its minimum is finite and attained",
    lambda i: violated(i) if all(q > 0 or c >= 0 for q, c in i) else (0.0, 0.0),
    "sums of q z^2 / 2 + c z, q in {0, 1}, c in {-1, 0, 1}, over z >= 0",
    programs,
    (1, 2, 3),
    equal=True,
    show=lambda i: " + ".join(f"({q} z^2/2 + {c} z)" for q, c in i) + " over z >= 0",
)

ERRATA = (SVM_EXPANSION, ZERO_ONE, SVM_ERRORS, SVM_PATH, SVM_BIAS, SVM_STALL, DUALITY)
