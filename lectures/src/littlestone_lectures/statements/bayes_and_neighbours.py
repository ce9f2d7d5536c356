"""Best rules, least squares, bias and variance, and nearest neighbours: lecture 1 on supervised learning."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

from .instances import Sample, designs, samples, seen, tables


def normal(i: tuple[Any, Any, float]) -> tuple[float, float]:
    """The gradient at NumPy's solution, with a column of ones; and 0."""
    X = np.column_stack([i[0], np.ones(len(i[0]))])
    w = np.linalg.lstsq(X, i[1])[0]
    return float(np.abs(X.T @ (X @ w - i[1])).max()), 0.0


def dual(i: tuple[Any, Any, float]) -> tuple[float, float]:
    """A coefficient of ridge by n equations and by m equations."""
    X, y, lam = i
    primal = np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T @ y)
    return float(primal[0]), float((X.T @ np.linalg.solve(X @ X.T + lam * np.eye(len(y)), y))[0])


def nested(i: Sample) -> tuple[float, float]:
    """Squared training errors of polynomials in the first column: the largest rise with the degree, and 0."""
    x = i[0][:, 0] / 4.0
    fits = [np.polynomial.Polynomial.fit(x, i[1], r) for r in range(min(5, len(np.unique(x))))]
    return float(max(np.diff([((f(x) - i[1]) ** 2).sum() for f in fits]), default=0.0)), 0.0


def best_square(world: Any) -> tuple[float, float]:
    """What moving the conditional mean by 1/7 at the first x adds to the risk, and p(x) / 49."""
    best = world.best("square")
    moved = [best.predictions[0] + Fraction(1, 7), *best.predictions[1:]]
    return float(world.risk(moved, "square") - best.error), float(sum(world.p[0]) / 49)


def best_of_all(loss: str) -> Any:
    def sides(world: Any) -> tuple[float, float]:
        """The risk of the best rule, and the least risk of all rules."""
        rules = product(world.values, repeat=len(world.p))
        return float(world.best(loss).error), float(min(world.risk(r, loss) for r in rules))

    return sides


def noises(m: int) -> Iterator[tuple[int, Any, Fraction]]:
    for top in (1, 2, 5):
        for share in (Fraction(1), Fraction(4, 5), Fraction(0)):
            yield m, [(top, Fraction(1, top + 1)), (-1, Fraction(top, top + 1))], share


def parts(i: tuple[int, Any, Fraction]) -> tuple[float, float]:
    from littlestone.theory.finite_worlds import bias_variance

    m, noise, share = i
    found = bias_variance(2, noise, m, lambda y: share * Fraction(sum(y)) / m)
    return float(found.total), float(found.noise + found.bias2 + found.variance)


def shares(n: int) -> Iterator[tuple[Any, Any, Fraction]]:
    """A random number in [0, 1] with n values and their chances, and a threshold."""
    for seed in range(30):
        rng = np.random.default_rng([n, seed])
        theta = [Fraction(int(v), 12) for v in rng.integers(0, 13, n)]
        yield theta, [Fraction(1, n)] * n, Fraction(int(rng.integers(0, 12)), 12)
    yield [Fraction(1)] * n, [Fraction(1, n)] * n, Fraction(1, 2)


def reverse_markov(i: tuple[Any, Any, Fraction]) -> tuple[float, float]:
    theta, p, a = i
    mean = sum(t * q for t, q in zip(theta, p, strict=True))
    return float((mean - a) / (1 - a)), float(
        sum(q for t, q in zip(theta, p, strict=True) if t >= a)
    )


def chances(classes: int) -> Iterator[list[Fraction]]:
    """The chances of the classes at a point: all multiples of 1/6, and some at random."""
    for k in product(range(7), repeat=classes):
        if sum(k) == 6:
            yield [Fraction(v, 6) for v in k]
    rng = np.random.default_rng(classes)
    for _ in range(20):
        parts = rng.integers(1, 30, classes)
        yield [Fraction(int(v), int(parts.sum())) for v in parts]


def one_neighbour(p: list[Fraction]) -> tuple[float, float]:
    from littlestone.theory.neighbour_limits import neighbour_bound, neighbour_error

    return float(neighbour_error(p)), float(neighbour_bound(1 - max(p), len(p)))


def more_neighbours(p: list[Fraction]) -> tuple[float, float]:
    """Two classes: five neighbours against three."""
    from littlestone.theory.neighbour_limits import neighbour_error

    return float(neighbour_error(p, 5)), float(neighbour_error(p, 3))


def tied(k: int) -> tuple[float, float]:
    """Numbers of classes, 2 to 4, for which some vote of k is tied: by the rule, and by going through all votes."""
    from littlestone.supervised.neighbours import can_tie

    every = [
        any(sorted(v)[-1] == sorted(v)[-2] for v in product(range(k + 1), repeat=c) if sum(v) == k)
        for c in (2, 3, 4)
    ]
    return float(sum(can_tie(k, c) for c in (2, 3, 4))), float(sum(every))


def separated(m: int) -> Iterator[Sample]:
    """Labels that have a region of their own, in 1, 2 and 3 dimensions."""
    for seed in range(8):
        rng = np.random.default_rng([m, seed])
        X = (
            rng.normal(size=(m, 1 + seed % 3))
            if seed % 4
            else rng.integers(0, 9, (m, 2)).astype(float)
        )
        yield X, np.where((X**2).sum(axis=1) > 1.0, 1, -1)


def condensed(i: Sample) -> tuple[float, float]:
    """Points out of 2,000 where the nearest row of all and the nearest of those kept have different labels; and 0."""
    from sklearn.neighbors import KNeighborsClassifier

    from littlestone.supervised.neighbours import condense

    X, y = i
    at = np.random.default_rng(0).normal(size=(2000, X.shape[1])) * 2.0 + X.mean(axis=0)
    kept = condense(X, y).model().predict(at)
    return float((kept != KNeighborsClassifier(1).fit(X, y).predict(at)).sum()), 0.0


def line(k: int) -> Iterator[int]:
    yield k


HOW = "12 samples of a size, half of them with ties"
TABLES = "20 tables of fractions a size"
STATEMENTS = (
    Statement("T-NORMAL", "the solution with a bias has the gradient 0", normal, designs, (3, 8, 20), equal=True,
              how=HOW, show=seen, short=2),
    Statement("T-NORMAL", "ridge by n equations is ridge by m equations", dual, designs, (3, 8, 20), equal=True,
              how=HOW, show=seen, short=2),
    Statement("T-NORMAL", "training errors of polynomials never rise with the degree", nested, samples, (4, 8, 16),
              how=HOW, show=seen, short=2),
    Statement("T-BAYES", "off the conditional mean by h at x, the risk rises by p(x) h^2", best_square, tables,
              (1, 2, 4), equal=True, how=TABLES, show=lambda w: f"{len(w.p)} values of x", short=2),
    Statement("T-BAYES", "no rule errs less often than the most frequent value", best_of_all("zero-one"), tables,
              (1, 2, 4), equal=True, how=TABLES, show=lambda w: f"{len(w.p)} values of x", short=2),
    Statement("T-BAYES", "no rule has less absolute loss than the median", best_of_all("absolute"), tables,
              (1, 2, 4), equal=True, how=TABLES, show=lambda w: f"{len(w.p)} values of x", short=2),
    Statement("T-BIAS-VARIANCE", "the expected square error is noise + bias^2 + variance", parts, noises, (1, 2, 3, 4),
              equal=True, how="three laws of noise, three learners, all outcomes"),
    Statement("T-REVERSE-MARKOV", "P(theta >= a) >= (E theta - a) / (1 - a) for theta in [0, 1]", reverse_markov,
              shares, (1, 2, 4), attained=True, how="31 laws a size, multiples of 1/12",
              show=lambda i: f"{len(i[0])} values, a = {i[2]}"),
    Statement("T-NEIGHBOUR", "one neighbour errs at most e (2 - C e / (C - 1))", one_neighbour, chances, (2, 3, 4),
              attained=True, how="all multiples of 1/6 and 20 more", show=lambda p: " ".join(map(str, p))),
    Statement("T-NEIGHBOUR", "five neighbours err no more often than three, with two classes", more_neighbours, chances,
              (2,), attained=True, how="all multiples of 1/6 and 20 more", show=lambda p: " ".join(map(str, p))),
    Statement("T-TIES", "which votes of k can be tied", tied, line, tuple(range(1, 11)), equal=True, how="all votes"),
    Statement("T-CONDENSE", "without rows whose neighbours agree with them the nearest row has the same label",
              condensed, separated, (5, 12, 40), equal=True, how="8 samples a size, 2,000 points each", show=seen,
              short=2),
)  # fmt: skip
