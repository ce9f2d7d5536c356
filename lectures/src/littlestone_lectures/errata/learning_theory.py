"""Errata of the lecture on learning theory: realisability, growth functions, sample sizes, error decompositions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.falsify.erratum import Erratum

from ..statements.instances import classes


def worlds(m: int) -> Iterator[tuple[Any, Any, Any]]:
    yield np.ones((1, m), int), [Fraction(1, m)] * m, -np.ones(m, int)
    yield from classes(m)


def after_all_points(i: Any) -> tuple[float, float]:
    """The error of empirical risk minimisation once every point has been seen; and 0."""
    from littlestone.theory.finite_worlds import erm

    H, D, y = i
    return float(erm(H, D, y.tolist(), list(range(len(D)))).error), 0.0


REALISABLE = Erratum(
    "E-REALISABLE",
    "whatever the labels are, empirical risk minimisation errs at most epsilon from some m on",
    after_all_points,
    "if some hypothesis of the class has no error",
    lambda i: after_all_points(i) if (i[0] == i[2]).all(axis=1).any() else (0.0, 0.0),
    "a constant class and 12 sign matrices, every point seen",
    worlds,
    (1, 2, 4, 8),
    show=lambda i: f"{len(i[0])} hypotheses on {len(i[1])} points, labels {i[2].tolist()}",
)


def rings(m: int) -> Iterator[Any]:
    """m points of the plane: in a half-plane, and all around."""
    for width in (2.0, 2.0 * math.pi):
        angle = (np.arange(m) + 0.3) * width / m + 0.07 * np.arange(m) ** 2  # no two are opposite
        yield np.column_stack([np.cos(angle), np.sin(angle)])


def patterns(X: Any, zero: bool) -> tuple[float, float]:
    """Patterns of half-planes through 0, with or without that of w = 0, and Cover's count."""
    from littlestone.theory import cover_count, halfspaces

    H = halfspaces(X, through_zero=True)
    extra = not zero and not (H == -1).all(axis=1).any()  # all + only by w = 0
    return float(len(H) - extra), float(cover_count(len(X), 2))


COVER_ZERO = Erratum(
    "E-COVER-ZERO",
    "with sign(0) = +1 half-spaces through 0 show as many patterns as Cover counts",
    lambda X: patterns(X, True),
    "without w = 0: it says +1 everywhere, a pattern more where no half-space holds all points",
    lambda X: patterns(X, False),
    "m points of a circle, in a half-plane and all around",
    rings,
    (1, 2, 3, 4, 5),
    equal=True,
    show=lambda X: (
        f"{len(X)} points at {np.degrees(np.arctan2(X[:, 1], X[:, 0])).round().astype(int).tolist()} degrees"
    ),
)


def demands(n: int) -> Iterator[tuple[float, float]]:
    for delta in (0.5, 0.1, 0.01):
        yield 2.0**-n, delta


def rows_claimed(i: tuple[float, float]) -> float:
    """(VC + ln(1/delta)) / (32 epsilon) for VC dimension 1."""
    return (1.0 + math.log(1.0 / i[1])) / (32.0 * i[0])


FUNDAMENTAL = Erratum(
    "E-FUNDAMENTAL",
    "a class of VC dimension 1 needs (1 + ln(1/delta)) / (32 epsilon) rows, {0, 1} everywhere included",
    lambda i: (rows_claimed(i), 1.0),  # one row tells the two constants apart
    "if two hypotheses agree at one point and differ at another: there, at mass epsilon, ln(delta) / ln(1 - epsilon)",
    lambda i: (rows_claimed(i), math.ceil(math.log(i[1]) / math.log(1.0 - i[0]))),
    "epsilon = 2^-n, delta = .5, .1, .01",
    demands,
    tuple(range(1, 16)),
    show=lambda i: f"epsilon = {i[0]}, delta = {i[1]}",
)


def second_samples(m: int) -> Iterator[tuple[Fraction, Fraction, int]]:
    for eps in (Fraction(1), Fraction(1, 2), Fraction(1, 10)):
        for error in (Fraction(11, 10) * eps, Fraction(1, 2), Fraction(9, 10)):
            if eps <= error <= 1:
                yield error, eps, m


def both_samples(i: tuple[Fraction, Fraction, int]) -> tuple[float, float]:
    from littlestone.theory.finite_worlds import two_samples

    left, right = two_samples(*i)
    return float(left), float(right)


TWO_SAMPLES = Erratum(
    "E-TWO-SAMPLES",
    "P(no error on S) <= 2 P(no error on S, eps/2 or more on T) for every m",
    both_samples,
    "for m >= 1/eps",
    lambda i: both_samples(i) if i[2] * i[1] >= 1 else (0.0, 0.0),
    "one hypothesis of error eps or more, exact binomials",
    second_samples,
    (1, 2, 3, 5, 10, 20),
    show=lambda i: f"error {i[0]}, eps = {i[1]}, m = {i[2]}",
)


def sums(m: int) -> Iterator[tuple[int, int]]:
    for d in range(1, 13):
        yield m, d


def sauer_sides(i: tuple[int, int]) -> tuple[float, float]:
    from littlestone.theory import sauer

    return float(sauer(*i)), (math.e * i[0] / i[1]) ** i[1]


SAUER = Erratum(
    "E-SAUER",
    "C(m, 0) + … + C(m, d) <= (e m / d)^d for all m and d >= 1",
    sauer_sides,
    "for m >= d",
    lambda i: sauer_sides(i) if i[0] >= i[1] else (0.0, 1.0),
    "m = 1 to 20, d = 1 to 12",
    sums,
    tuple(range(1, 21)),
    show=lambda i: f"m = {i[0]}, d = {i[1]}",
)


def past_the_dimension(n: int) -> Iterator[tuple[int, int]]:
    for m in range(n + 1, 3 * n + 1):
        yield n, m


def share(i: tuple[int, int]) -> float:
    from littlestone.theory import cover_count

    return cover_count(i[1], i[0]) / 2.0 ** i[1]


VC_DROP = Erratum(
    "E-VC-DROP",
    "beyond the VC dimension n linear functions show at most half of all patterns: the curve drops there",
    lambda i: (share(i), 0.5),
    "beyond 2 n, where it is exactly half",
    lambda i: (share(i) if i[1] >= 2 * i[0] else 0.0, 0.5),
    "n = 1 to 20, m = n + 1 to 3 n, Cover's count",
    past_the_dimension,
    tuple(range(1, 21)),
    show=lambda i: f"n = {i[0]}, m = {i[1]}",
)


def growing(m: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    for k, (H, D, y) in enumerate(classes(m)):
        rng = np.random.default_rng([m, k, 2])
        yield H, D, y, rng.integers(m, size=m).tolist()


def parts(i: Any) -> tuple[Any, Any]:
    """Empirical risk minimisation over all hypotheses but the last, and over all."""
    from littlestone.theory.finite_worlds import erm

    H, D, y, sample = i
    return erm(H[:-1], D, y.tolist(), sample), erm(H, D, y.tolist(), sample)


DECOMPOSITION = Erratum(
    "E-DECOMPOSITION",
    "a larger class has a larger estimation error",
    lambda i: (float(parts(i)[0].estimation), float(parts(i)[1].estimation)),
    "and no larger approximation error; the estimation error may fall",
    lambda i: (float(parts(i)[1].approximation), float(parts(i)[0].approximation)),
    "12 sign matrices a size with chances, labels and a sample, the last hypothesis left out and not",
    growing,
    (2, 3, 4, 8),
    show=lambda i: f"{len(i[0])} hypotheses on {len(i[1])} points, the sample {i[3]}",
)

ERRATA = (REALISABLE, COVER_ZERO, FUNDAMENTAL, TWO_SAMPLES, SAUER, VC_DROP, DECOMPOSITION)
