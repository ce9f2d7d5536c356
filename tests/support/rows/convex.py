"""Worked rows of the learners that decide a point of a convex set."""

from __future__ import annotations

import numpy as np

from littlestone.testing import Row

ROWS = [
    # X-PGD: from 1 down the slope, against the best point -1: the bound is attained.
    Row(
        "projected-gradient",
        {"set": "box", "first": [1.0], "eta": 0.5},
        [[1]] * 4,
        [0] * 4,
        None,
        [[1], [0.5], [0], [-0.5]],
        1,
        "T-PGD",
        5,
        width=1,
    ),
    # theta = -eta (sum of slopes), cut to [-1, 1]; the last slope moves the sum, not the point.
    Row(
        "lazy-ftrl",
        {"set": "box", "eta": 0.5},
        [[1], [1], [1], [-1]],
        [0] * 4,
        None,
        [[0], [-0.5], [-1], [-1]],
        -0.5,
        "T-FTRL-LAZY",
        2,
        width=1,
    ),
    # eta = ln 2: every unit of slope halves a weight.
    Row(
        "mirror-descent",
        {"eta": np.log(2)},
        [(0, 1), (1, 0), (0, 1)],
        [0] * 3,
        None,
        [(1 / 2, 1 / 2), (2 / 3, 1 / 3), (1 / 2, 1 / 2)],
        5 / 3,
        "T-MD-ENTROPY",
        1 + 3 * np.log(2) / 8,
        width=2,
    ),
    # X-FTL: the leader is at the wrong end in every round but the first.
    Row(
        "follow-the-leader",
        {"set": "box"},
        [[0.5], [-1], [1], [-1]],
        [0] * 4,
        None,
        [[0], [-1], [1], [-1]],
        3,
        "T-FTL-BTL",
        6.5,
        width=1,
    ),
]
