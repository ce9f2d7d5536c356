"""What can and cannot be learned from m rows: lecture 7 on supervised learning."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

from .instances import classes


def coins(m: int) -> Iterator[tuple[int, float, float]]:
    for p in (0.01, 0.1, 0.3, 0.5, 0.9):
        for eps in (0.05, 0.1, 0.3, 0.5):
            yield m, p, eps


def tail(i: tuple[int, float, float]) -> tuple[float, float]:
    from scipy.stats import binom

    m, p, eps = i
    k = math.floor(m * (p + eps) + 1e-9)  # strictly more than p + eps of m
    return float(binom.sf(k, m, p)), math.exp(-2.0 * m * eps**2)


def unseen(m: int) -> Iterator[tuple[int, Fraction]]:
    for eps in (Fraction(1, 10), Fraction(1, 3), Fraction(1, 2)):
        yield m, eps


def never_seen(i: tuple[int, Fraction]) -> tuple[float, float]:
    """Two points, the second of mass eps: the chance that no draw shows it, over all samples, and (1 - eps)^m."""
    m, eps = i
    total = Fraction(0)
    for sample in product((0, 1), repeat=m):
        if not any(sample):
            total += math.prod([eps if s else 1 - eps for s in sample])
    return float(total), float((1 - eps) ** m)


def larger_worlds(m: int) -> Iterator[tuple[int, int]]:
    for k in (1, 2, 3, 10):
        yield m, k


def expected_lunch(i: tuple[int, int]) -> tuple[float, float]:
    """1/2 - 1/(2k), and what remembering errs on km points with random labels."""
    m, k = i
    return 0.5 - 0.5 / k, 0.5 * (1.0 - 1.0 / (k * m)) ** m


def lengths(m: int) -> Iterator[Any]:
    """m independent vectors: those of an orthogonal basis, and others."""
    yield 2.0 * np.eye(m)
    for seed in range(6):
        yield np.random.default_rng([m, seed]).normal(size=(m, m + 1))


def large_margin(X: Any) -> tuple[float, float]:
    """The number of points, all of whose patterns are shown with margin 1, and max |w|^2 max |x|^2."""
    from ..svm_by_hand import without_bias

    most = 0.0
    for y in product((-1.0, 1.0), repeat=len(X) - 1):
        s = np.array([1.0, *y])
        if (s > 0).all():
            w = np.linalg.pinv(X) @ s
            most = max(most, float(w @ w))  # an upper limit of the least norm: margins of exactly 1
        else:
            most = max(most, float(without_bias(X @ X.T, s, tol=1e-12).sum()))
    return float(len(X)), most * float((X**2).sum(axis=1).max())


def hard_worlds(d: int) -> Iterator[tuple[int, Fraction, int]]:
    for eps in (Fraction(1, 8), Fraction(1, 20), Fraction(1, 100)):
        m = math.ceil((d - 1) / (8 * eps)) - 1
        for rows in {0, m // 2, m}:
            yield d, eps, rows


def lower(i: tuple[int, Fraction, int]) -> tuple[float, float]:
    """eps, and the expected error of any learner: half the mass of points that were not seen."""
    d, eps, m = i
    return float(eps), float(2 * eps * (1 - 4 * eps / (d - 1)) ** m)


def halves(m: int) -> Iterator[tuple[int, int]]:
    for k in range(1, m + 1):
        yield m, k


def all_in_the_second(i: tuple[int, int]) -> tuple[float, float]:
    """k errors among 2m rows: the chance that all of them are in the second half, and 2^-k."""
    m, k = i
    return math.comb(m, k) / math.comb(2 * m, k), 2.0**-k


def numbers(n: int) -> Iterator[float]:
    yield from (k / 8.0 for k in range(-8 * n, 8 * n + 1))


def drawn(m: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    for k, (H, D, y) in enumerate(classes(m)):
        rng = np.random.default_rng([m, k, 1])
        yield H, D, y, rng.integers(m, size=int(rng.integers(1, 2 * m + 1))).tolist()


def representative(i: tuple[Any, Any, Any, Any]) -> tuple[float, float]:
    """What the worst minimiser errs above the best hypothesis, and twice the largest deviation of the sample."""
    from littlestone.theory.finite_worlds import erm

    H, D, y, sample = i
    found = erm(H, D, y.tolist(), sample)
    off = y != H
    true = [sum(D[j] for j in np.flatnonzero(row)) for row in off]
    seen = [Fraction(int(row[sample].sum()), len(sample)) for row in off]
    return float(found.estimation), 2.0 * float(
        max(abs(a - b) for a, b in zip(true, seen, strict=True))
    )


def larger_class(i: tuple[Any, Any, Any, Any]) -> tuple[float, float]:
    """The approximation error of all hypotheses, and of all but the last."""
    from littlestone.theory.finite_worlds import erm

    H, D, y, sample = i
    few = erm(H[:-1], D, y.tolist(), sample).approximation
    return float(erm(H, D, y.tolist(), sample).approximation), float(few)


def counts(n: int) -> Iterator[tuple[int, int]]:
    for k in range(n + 1):
        yield n, k


def k_ones(i: tuple[int, int]) -> tuple[float, float]:
    from littlestone.theory.shattering import vc_dimension

    n, k = i
    rows = [s for s in product((-1, 1), repeat=n) if s.count(1) == k]
    return float(int(vc_dimension(np.array(rows)))), float(min(k, n - k))


def few_ones_or_zeros(i: tuple[int, int]) -> tuple[float, float]:
    from littlestone.theory.shattering import vc_dimension

    n, k = i
    rows = [s for s in product((-1, 1), repeat=n) if min(s.count(1), s.count(-1)) <= k]
    return float(int(vc_dimension(np.array(rows)))), float(min(2 * k + 1, n))


SIGNS = "12 sign matrices a size, with chances and labels"
STATEMENTS = (
    Statement("T-COIN-TAIL", "P(mean > p + eps) <= exp(-2 m eps^2)", tail, coins, (1, 2, 5, 20, 100),
              how="exact binomials", show=lambda i: f"m = {i[0]}, p = {i[1]}, eps = {i[2]}"),
    Statement("T-UNSEEN", "a point of mass eps is not seen with chance (1 - eps)^m", never_seen, unseen, (1, 2, 4, 8),
              equal=True, how="all samples"),
    Statement("T-UNSEEN", "1 - x <= exp(-x)", lambda x: (1.0 - x, math.exp(-x)), numbers, (1, 4), attained=True,
              how="multiples of 1/8"),
    Statement("T-NFL-LARGE", "on km points every learner errs 1/2 - 1/(2k) on average", expected_lunch, larger_worlds,
              (1, 2, 5, 20), attained=True, how="k = 1, 2, 3, 10"),
    Statement("T-LARGE-MARGIN", "points shattered with margin 1 by |w| <= L are at most L^2 max |x|^2", large_margin,
              lengths, (2, 3, 4, 5), attained=True, how="orthogonal and other independent vectors",
              show=lambda X: f"{len(X)} points", short=3),
    Statement("T-VC-LOWER", "m < (d - 1) / (8 eps) rows leave an expected error of eps", lower, hard_worlds,
              (2, 3, 9, 50), how="the distribution of the proof, exactly"),
    Statement("T-HALVES", "k errors are all in the second half with chance 2^-k at most", all_in_the_second, halves,
              (1, 2, 5, 20), attained=True, how="all k <= m"),
    Statement("T-REPRESENTATIVE", "a minimiser is at most twice the largest deviation above the best", representative,
              drawn, (2, 4, 8), attained=True, how=SIGNS, show=lambda i: f"{len(i[0])} hypotheses, {len(i[3])} rows"),
    Statement("T-REPRESENTATIVE", "a larger class has no larger approximation error", larger_class, drawn, (2, 4, 8),
              attained=True, how=SIGNS, show=lambda i: f"{len(i[0])} hypotheses"),
    Statement("T-EXACT-ONES", "exactly k ones on n points: VC dimension min(k, n - k)", k_ones, counts, (2, 4, 6),
              equal=True, how="all sets", show=lambda i: f"n = {i[0]}, k = {i[1]}"),
    Statement("T-EXACT-ONES", "at most k ones or k zeros: min(2k + 1, n)", few_ones_or_zeros, counts, (2, 4, 6),
              equal=True, how="all sets", show=lambda i: f"n = {i[0]}, k = {i[1]}"),
)  # fmt: skip
