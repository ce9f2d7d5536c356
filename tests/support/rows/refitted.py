"""Worked rows of the learners that fit models anew."""

from __future__ import annotations

from math import log

from littlestone.testing import Row

# Of class -1: the frequencies, and .005^a / (.005^a + .995^a) for three powers a.
MIXED = (1 / 4 + sum(1 / (1 + 199**a) for a in (0.25, 0.5, 1))) / 4

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
        state={"t": 3},
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
    # The mean, until 5 rows are there; then the line of least squares through their mean (1.6, 4), of slope -7/5.2.
    Row(
        key="refitted-regression",
        parameters={"first": 5},
        x=[(1.0,), (2.0,), (2.0,), (3.0,), (0.0,)],
        y=[2.0, 4.0, 3.0, 3.0, 8.0],
        predictions=[0, 2, 3, 3, 3],
        decisions=[0, 2, 3, 3, 3, 4 + 1.6 * 7 / 5.2],
        loss=4 + 4 + 25,
        state={"t": 5, "refits": 1, "refit_at": 10},
    ),
    # The first row sees none: 1/2. Then the neighbour is of class 1: p = (.005, .995), to the powers 1/4, 1/2 and 1,
    # with weights 1/4 each, and the frequencies 1/4 and 3/4; the loss of the first two rounds, ln 2 and that.
    Row(
        key="window-neighbours",
        parameters={"neighbours": 1},
        x=[(1.0,), (2.0,)],
        y=[1, -1],
        predictions=None,
        decisions=[(log(1 / 2), log(1 / 2)), (log(MIXED), log(1 - MIXED))],
        loss=log(2) - log(MIXED),
        theorem="T-REFITTED",
        bound=log(4) + log(2),
        options={"labels": [-1, 1]},
        state={"t": 2},
    ),
]
