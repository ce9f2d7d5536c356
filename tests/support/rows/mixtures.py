"""Worked rows of the mixtures of unlike learners."""

from __future__ import annotations

from math import log

from littlestone.linear.online_kernel import OnlineKernel
from littlestone.linear.online_kernel_regression import OnlineKernelRegression
from littlestone.testing import Row
from littlestone.trees.mondrian_forest import MondrianForest

ROWS = [
    # One class is known: all parts are sure of it.
    Row(
        key="mixture",
        parameters={"kernel": OnlineKernel(frequencies=2), "forest": MondrianForest(trees=1)},
        x=[(1, 0)],
        y=[1],
        predictions=[1],
        decisions=None,
        loss=0,
        theorem="T-MIXTURE",
        bound=log(17),
        sparse_is_dense=False,
    ),
    # Before the first outcome 0, and then the only outcome there was. Of 1 and -1, which are as near to 0, 1 stays the
    # centre, and the interval is 1 +- 1: B = 2.
    Row(
        key="mixture-regression",
        parameters={"kernel": OnlineKernelRegression(frequencies=2)},
        x=[(1, 0), (0, 1)],
        y=[1.0, -1.0],
        predictions=[0, 1],
        decisions=[0, 1],
        loss=5,
        theorem="T-MIXTURE-REGRESSION",
        bound=(0.8 + 0.5 * log(384)) * 4,
        sparse_is_dense=False,
    ),
]
