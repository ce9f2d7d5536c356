"""Named classes on given points, as sign matrices: each pattern that the class can show is a row of -1 and 1.

The points are columns, in the order given; a pattern occurs once. UCL COMP0078, learning theory; for half-spaces
Cover (1965). Ledger: A-RESTRICTION, T-VC-VALUES.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput

Signs = NDArray[np.int8]
LIMIT = 20_000_000  # a sign matrix has at most so many entries
# at most so many linear programs are solved for half-spaces, in half a minute or so
MOST_PROGRAMS = 20_000


def points_of(owner: str, points: Any, line: bool = False) -> NDArray[np.float64]:
    """The points, a row each; numbers alone are points on a line."""
    try:
        X = np.asarray(points, np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{owner}: points are rows of numbers, not {points!r:.60}") from None
    X = X[:, None] if X.ndim == 1 else X
    if X.ndim != 2 or not X.size or (line and X.shape[1] != 1):
        raise BadInput(
            f"{owner}: points are {'numbers' if line else 'rows of numbers'}, one or more; these have shape {X.shape}"
        )
    bad = ~np.isfinite(X)
    if bad.any():
        i, j = (int(v) for v in np.argwhere(bad)[0])
        raise BadInput(
            f"{owner}: point {i + 1} has the coordinate {X[i, j]:g}; coordinates are finite"
        )
    return X


def affordable(owner: str, rows: int, points: int) -> None:
    if rows * points > LIMIT:
        raise BadInput(
            f"{owner}: {points:,} points would have {rows:,} patterns or more, and there is room for "
            f"{LIMIT // points:,}; give fewer points"
        )


def distinct(rows: Any) -> Signs:
    """The rows, each once, sorted, as -1 and 1."""
    on = np.asarray(rows, bool)
    _, first = np.unique(np.packbits(on, axis=1), axis=0, return_index=True)
    return np.where(on[first], 1, -1).astype(np.int8)


def thresholds(points: Any) -> Signs:
    """x is +1 if x >= z, for every z: as many patterns as there are different points, and one more.

    >>> thresholds([1.0, 2.0]).tolist()
    [[-1, -1], [-1, 1], [1, 1]]
    """
    x = points_of("thresholds", points, line=True)[:, 0]
    cuts = np.append(np.unique(x), np.inf)
    affordable("thresholds", len(cuts), len(x))
    return distinct(x[None, :] >= cuts[:, None])


def intervals(points: Any) -> Signs:
    """x is +1 if a <= x <= b, for every a and b: the empty interval, and one for each pair of points and each point.

    >>> len(intervals(range(3))), len(intervals(range(100)))
    (7, 5051)
    """
    x = points_of("intervals", points, line=True)[:, 0]
    return distinct(boxes_of(x[:, None], "intervals"))


def rectangles(points: Any) -> Signs:
    """x is +1 if it is inside a box with sides along the axes, for every such box, in any dimension.

    >>> len(
    ...     rectangles([[0, 1], [0, -1], [1, 0], [-1, 0]])
    ... )  # all 16 patterns: these four points are shattered
    16
    """
    return distinct(boxes_of(points_of("rectangles", points), "rectangles"))


def boxes_of(X: NDArray[np.float64], owner: str) -> NDArray[np.bool_]:
    """The patterns of boxes, made coordinate by coordinate: those so far, intersected with each interval."""
    inside = np.ones((1, len(X)), bool)
    for x in X.T:
        ends = np.unique(x)
        affordable(owner, len(ends) * (len(ends) + 1) // 2 * len(inside), len(x))
        a, b = np.triu_indices(len(ends))
        each = (x >= ends[a][:, None]) & (x <= ends[b][:, None])
        each = np.vstack([np.zeros((1, len(x)), bool), each])
        both = (inside[:, None, :] & each[None, :, :]).reshape(-1, len(x))
        inside = distinct(both) > 0
    return inside


def halfspaces(points: Any, through_zero: bool = False) -> Signs:
    """x is +1 if <w, x> + b >= 0, for every w and b; b = 0 with `through_zero`. The sign of 0 is +1.

    Patterns of the first points are extended by a point at a time, and a linear program says which of the two signs
    can be. There are at most 2 C(m-1, 0) + … + 2 C(m-1, n-1) patterns of m points in n dimensions (Cover), and
    a few more where a point lies on the border.

    >>> len(halfspaces([[0, 0], [1, 0], [0, 1]])), len(halfspaces([[0, 0], [1, 0], [0, 1], [1, 1]]))
    (8, 14)
    """
    X = points_of("halfspaces", points)
    scale = float(np.abs(X).max())
    X = X / scale if scale > 0.0 else X
    A = X if through_zero else np.column_stack([X, np.ones(len(X))])
    kept: list[list[int]] = [[]]
    solved = 0
    for i in range(len(A)):
        longer = []
        for signs in kept:
            for sign in (-1, 1):
                solved += 1
                if solved > MOST_PROGRAMS:
                    raise BadInput(
                        f"halfspaces: {len(A)} points in {X.shape[1]} dimensions have too many patterns: after {i} "
                        f"points there are {len(kept):,}; give fewer points"
                    )
                if possible(A[: i + 1], [*signs, sign]):
                    longer.append([*signs, sign])
        kept = longer
    return distinct(np.array(kept) > 0)


def possible(A: NDArray[np.float64], signs: list[int]) -> bool:
    """Is there a w with A w >= 0 where the sign is +1, and A w < 0 (after scaling: <= -1) where it is -1?"""
    from scipy.optimize import linprog

    y = np.array(signs, np.float64)
    if (y > 0).all():
        return True  # w = 0
    limits = np.where(y > 0, 0.0, -1.0)
    answer = linprog(
        np.zeros(A.shape[1]), A_ub=-y[:, None] * A, b_ub=limits, bounds=(None, None), method="highs"
    )
    return bool(answer.status == 0)
