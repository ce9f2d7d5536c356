"""Worked rows of the learners that complete a matrix."""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from littlestone.core.numeric import uniform
from littlestone.matrices.path_tree import leaf_resistance
from littlestone.testing import Row


def hashed() -> list[float]:
    p, q = 2 * uniform(0, 0, 0) - 1, 2 * uniform(0, 1, 0) - 1
    g = -1 / (1 + exp(-p * q))
    return [p * q, (0.9 * p + g * q) * (0.9 * q + g * p) + 2 * g]


def in_tasks(T: int, n: int, seed: int) -> tuple[Any, Any]:
    """Two tasks, the second of which turns the labels of the first over, and a fifth of labels turned over."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.arange(T) % 2, rng.integers(3, size=(T, n - 1)).astype(float)])
    flipped = np.where(rng.random(T) < 0.2, -1, 1)
    return x, np.where((x[:, 1] > 0) ^ (x[:, 0] == 1), 1, -1) * flipped


def second_score() -> float:
    """The same instance again, a position later: <x_1, x_2> = 1/2 + (R - 1) / 2R, of 256 positions in time."""
    R = 2.0 * float(leaf_resistance(256))
    return (0.5 + 0.5 * (R - 1.0) / R) ** 2 * (exp(1.0) - 1.0)


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
    # Two tasks of 128 positions: N = 256, D = C = 512; 512/512 (1 + <x_1, x_2>^2 (e^eta - 1)) - 1. The second round is
    # right by more than the margin, so there is one update: bound (512 ln 512 + 2) / 2.
    Row(
        key="multitask-rkhs",
        parameters={
            "kernel": "delta",
            "tasks": 2,
            "modes": 1,
            "length": 128,
            "complexity": 512.0,
            "eta": 1.0,
        },
        x=[(0, 7), (0, 7)],
        y=[1, 1],
        predictions=None,
        decisions=[0, second_score()],
        loss=0.5,
        theorem="T-MT-RKHS-ONLINE",
        bound=256 * log(512) + 1,
        width=3,
        sample=in_tasks,
    ),
]
