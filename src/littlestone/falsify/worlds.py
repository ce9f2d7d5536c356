"""Draw small graphs and small classes of hypotheses, for learners that need one as a parameter.

Each is a tuple of tuples, edges or rows of 0 and 1, so that a case can be compared, kept in a file and printed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Rows = tuple[tuple[int, ...], ...]
MOST = 9  # vertices of a graph


def graph(rng: np.random.Generator) -> Rows:
    """The edges of a connected graph: a path, a star, a cycle, all pairs, or a random tree with some edges more.

    >>> graph(np.random.default_rng(1))
    ((0, 1), (1, 2), (2, 3), (3, 4), (0, 4))
    """
    n, how = int(rng.integers(2, MOST + 1)), int(rng.integers(5))
    if how == 0:
        return tuple((i, i + 1) for i in range(n - 1))
    if how == 1:
        return tuple((0, i) for i in range(1, n))
    if how == 2:
        return tuple((i, i + 1) for i in range(n - 1)) + (((0, n - 1),) if n > 2 else ())
    if how == 3:
        return tuple((i, j) for i in range(n) for j in range(i + 1, n))
    found = {(int(rng.integers(i)), i) for i in range(1, n)}
    for _ in range(int(rng.integers(n))):
        i, j = sorted(int(v) for v in rng.integers(0, n, 2))
        found |= {(i, j)} if i < j else set()
    return tuple(sorted(found))


def hypotheses(rng: np.random.Generator) -> Rows:
    """A sign matrix, a hypothesis a row: thresholds, single points, all labellings, or rows at random.

    >>> hypotheses(np.random.default_rng(5))
    ((1, 0, 0, 0, 1), (1, 0, 1, 1, 0))
    """
    m, how = int(rng.integers(1, 8)), int(rng.integers(4))
    if how == 0:
        return tuple(tuple(int(j >= m - i) for j in range(m)) for i in range(m + 1))
    if how == 1:
        return tuple(tuple(int(i == j) for j in range(m)) for i in range(m + 1))
    if how == 2:
        few = min(m, 4)
        return tuple(tuple(i >> j & 1 for j in range(few)) for i in range(2**few))
    rows = rng.integers(0, 2, (int(rng.integers(2, 13)), m))
    return tuple(sorted({tuple(int(v) for v in row) for row in rows}))


WORLDS: dict[str, Any] = {"graph": graph, "hypotheses": hypotheses}


def labels(learner: Any, rng: np.random.Generator, classes: int) -> Any:
    """A label for each place: what a hypothesis says, or labels that seldom change along the numbers of vertices."""
    if "hypotheses" in learner.parameters:
        signs = learner.hypotheses.signs
        return 2.0 * signs[int(rng.integers(len(signs)))] - 1.0
    n = learner.limits[0]
    u = rng.integers(0, classes, n).astype(float)
    if rng.random() < 0.7:  # labels that are constant in blocks
        moved = rng.random(n) < rng.choice([0.1, 0.3, 0.6])
        moved[0] = True
        u = u[np.maximum.accumulate(np.where(moved, np.arange(n), 0))]
    return u
