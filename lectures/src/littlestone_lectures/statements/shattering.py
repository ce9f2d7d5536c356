"""How rich a class is: dimensions of random sign matrices, and of named classes on random points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement
from littlestone.theory import (
    intervals,
    littlestone_dimension,
    rectangles,
    sauer,
    thresholds,
    vc_dimension,
)


def matrices(m: int) -> Iterator[Any]:
    """Classes on m points: few hypotheses or many, of which each says +1 rarely or often."""
    rng = np.random.default_rng(m)
    for _ in range(40):
        size, share = int(rng.integers(1, 2 ** (m + 1))), rng.uniform(0.2, 0.8)
        yield np.unique(np.where(rng.random((size, m)) < share, 1, -1), axis=0)


def by_size(H: Any) -> tuple[float, float]:
    return 2.0 ** vc_dimension(H), float(len(H))


def patterns(H: Any) -> tuple[float, float]:
    return float(len(H)), float(sauer(H.shape[1], int(vc_dimension(H))))


def mistakes(H: Any) -> tuple[float, float]:
    return 2.0 ** littlestone_dimension(H), float(len(H))


NAMED: tuple[tuple[Callable[[Any], Any], int, int], ...] = (
    (thresholds, 1, 1),
    (intervals, 1, 2),
    (rectangles, 2, 4),
)  # the class, the dimension of its points, its VC dimension


def points(m: int) -> Iterator[tuple[int, Any]]:
    rng = np.random.default_rng(m)
    for which, (_, dimension, _) in enumerate(NAMED):
        for _ in range(10):
            yield which, rng.integers(-2, 3, (m, dimension)).astype(float)


def value(i: Any) -> tuple[float, float]:
    made, _, expected = NAMED[i[0]]
    return float(vc_dimension(made(i[1]))), float(expected)


def shown(H: Any) -> str:
    return f"{len(H)} hypotheses on {H.shape[1]} points"


HOW = "40 sign matrices at random for each number of points"
STATEMENTS = (
    Statement(
        "T-VC-SIZE", "2^VC(H) <= |H|",
        by_size, matrices, (1, 2, 3, 4, 5), attained=True, how=HOW, show=shown, short=3,
    ),
    Statement(
        "T-SAUER", "a class of VC dimension d shows at most C(m, 0) + … + C(m, d) patterns on m points",
        patterns, matrices, (1, 2, 3, 4, 5), attained=True, how=HOW, show=shown, short=3,
    ),
    Statement(
        "T-LITTLESTONE", "2^Ldim(H) <= |H|",
        mistakes, matrices, (1, 2, 3, 4, 5), attained=True, how=HOW, show=shown, short=3,
    ),
    Statement(
        "T-VC-VALUES", "VC dimension at most 1 of thresholds, 2 of intervals, 4 of rectangles",
        value, points, (1, 2, 4, 6), attained=True, how="points at random on a small grid",
        show=lambda i: f"{NAMED[i[0]][0].__name__} on {len(i[1])} points",
    ),
)  # fmt: skip
