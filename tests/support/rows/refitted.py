"""Worked rows of the learners that fit models anew."""

from __future__ import annotations

from math import log

from littlestone.testing import Row

ROWS = [
    # Before the first fit all experts say the frequencies: 1/2; then 1/4 for the class that has not come; then 1/2.
    Row(
        key="refitted-boosting",
        parameters={"first": 16},
        x=[(1.0,), (2.0,), (2.0,)],
        y=[1, -1, -1],
        predictions=None,
        decisions=[(log(1 / 2), log(1 / 2)), (log(1 / 4), log(3 / 4)), (log(1 / 2), log(1 / 2))],
        loss=log(16),
        theorem="T-REFITTED",
        bound=log(4) + log(3),
        options={"labels": [-1, 1]},
        state={"t": 3, "refits": 0, "refit_at": 16},
    ),
    # The mean so far.
    Row(
        key="refitted-boosting-regression",
        parameters={"first": 16},
        x=[(1.0,), (2.0,), (2.0,)],
        y=[2.0, 4.0, 3.0],
        predictions=[0, 2, 3],
        decisions=[0, 2, 3, 3],
        loss=4 + 4,
        state={"t": 3},
    ),
    # The same frequencies.
    Row(
        key="refitted",
        parameters={"first": 8},
        x=[(1.0,), (2.0,), (2.0,)],
        y=[1, -1, -1],
        predictions=None,
        decisions=[(log(1 / 2), log(1 / 2)), (log(1 / 4), log(3 / 4)), (log(1 / 2), log(1 / 2))],
        loss=log(16),
        theorem="T-REFITTED",
        bound=log(4) + log(3),
        options={"labels": [-1, 1]},
        state={"t": 3, "refits": 0, "refit_at": 8},
    ),
    # The mean, until 5 rows are there, of which all are neighbours: their mean.
    Row(
        key="refitted-regression",
        parameters={"first": 5},
        x=[(1.0,), (2.0,), (2.0,), (3.0,), (0.0,)],
        y=[2.0, 4.0, 3.0, 3.0, 8.0],
        predictions=[0, 2, 3, 3, 3],
        decisions=[0, 2, 3, 3, 3, 4],
        loss=4 + 4 + 25,
        state={"t": 5, "refits": 1, "refit_at": 10},
    ),
]
