"""Worked rows of the learners that complete a matrix."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from littlestone.core.numeric import uniform
from littlestone.testing import Row


def hashed() -> list[float]:
    p, q = 2 * uniform(0, 0, 0) - 1, 2 * uniform(0, 1, 0) - 1
    g = -1 / (1 + exp(-p * q))
    return [p * q, (0.9 * p + g * q) * (0.9 * q + g * p) + 2 * g]


def places(T: int, n: int, seed: int) -> tuple[Any, Any]:
    """Places in a table of n rows and columns: a chessboard, of which a fifth is turned over."""
    rng = np.random.default_rng(seed)
    x = rng.integers(n, size=(T, 2)).astype(float)
    flipped = np.where(rng.random(T) < 0.2, -1, 1)
    return x, np.where((x[:, 0] + x[:, 1]) % 2 == 0, 1, -1) * flipped


ROWS = [
    # X-MEG-TRACE: eta = sqrt(4 ln 4 / 8), bound sqrt(2 * 4 ln 4 * 4).
    Row(
        key="meg-imcsi",
        parameters={"rows": 2, "columns": 2, "margin": 1.0},
        x=[(0, 0), (0, 1), (1, 0), (1, 1)],
        y=[1, -1, -1, 1],
        predictions=None,
        decisions=[0, 0.324796, 0.317110, -0.262393],
        loss=2.452149,
        theorem="T-MEG",
        bound=6.660437,
        width=2,
        sample=places,
    ),
    # Row 0: nothing known, then +1, then undecided, where all rows together (+1 of 3) decide.
    Row(
        key="row-majority",
        parameters={"rows": 3, "columns": 3},
        x=[(0, 0), (0, 1), (1, 0), (0, 2)],
        y=[1, -1, 1, -1],
        predictions=[1, 1, 1, 1],
        decisions=[0, 1, 0, 1e-9 / 3],
        loss=2,
        theorem=None,
        bound=0,
        state={"sums": [-1, 1, 0], "votes": [3, 1, 0]},
        width=3,
        sample=places,
    ),
    # p = 2u(0, 0, 0) - 1 and q = 2u(0, 1, 0) - 1 are the hashes of their places; one step for y = -1, with
    # g = -1 / (1 + exp(-pq)): p' = .9p + g q, q' = .9q + g p, biases g each; then the score is p' q' + 2 g.
    Row(
        key="matrix-factorisation",
        parameters={"rows": 3, "columns": 3, "rank": 1, "eta": 1.0, "penalty": 0.1},
        x=[(0, 0), (0, 0)],
        y=[-1, 1],
        predictions=None,
        decisions=hashed(),
        loss=1 + (hashed()[0] > 0),
        theorem=None,
        bound=0,
        width=3,
        sample=places,
    ),
]
