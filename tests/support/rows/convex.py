"""Worked rows of the learners that decide a point of a convex set."""

from __future__ import annotations

import numpy as np

from littlestone.testing import Row

ROWS = [
    # X-PGD: from 1 down the slope, against the best point -1: the bound is attained.
    Row(
        key="projected-gradient",
        parameters={"set": "box", "first": [1.0], "eta": 0.5},
        x=[[1]] * 4,
        y=[0] * 4,
        predictions=None,
        decisions=[[1], [0.5], [0], [-0.5]],
        loss=1,
        theorem="T-PGD",
        bound=5,
        width=1,
    ),
    # theta = -eta (sum of slopes), cut to [-1, 1]; the last slope moves the sum, not the point.
    Row(
        key="lazy-ftrl",
        parameters={"set": "box", "eta": 0.5},
        x=[[1], [1], [1], [-1]],
        y=[0] * 4,
        predictions=None,
        decisions=[[0], [-0.5], [-1], [-1]],
        loss=-0.5,
        theorem="T-FTRL-LAZY",
        bound=2,
        width=1,
    ),
    # eta = ln 2: every unit of slope halves a weight.
    Row(
        key="mirror-descent",
        parameters={"eta": np.log(2)},
        x=[(0, 1), (1, 0), (0, 1)],
        y=[0] * 3,
        predictions=None,
        decisions=[(1 / 2, 1 / 2), (2 / 3, 1 / 3), (1 / 2, 1 / 2)],
        loss=5 / 3,
        theorem="T-MD-ENTROPY",
        bound=1 + 3 * np.log(2) / 8,
        width=2,
    ),
    # X-FTL: the leader is at the wrong end in every round but the first.
    Row(
        key="follow-the-leader",
        parameters={"set": "box"},
        x=[[0.5], [-1], [1], [-1]],
        y=[0] * 4,
        predictions=None,
        decisions=[[0], [-1], [1], [-1]],
        loss=3,
        theorem="T-FTL-BTL",
        bound=6.5,
        width=1,
    ),
]
