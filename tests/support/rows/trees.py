"""Worked rows of the learners that grow trees."""

from __future__ import annotations

from math import log

from littlestone.testing import Row

ROWS = [
    # One tree. Both classes are declared: 1/2. The second row is split off above the first: the new root has seen one
    # row of the other class and says 1/4, its new leaf 1/2, and the root stops with probability 1/2: 3/8. Then
    # w = 1/8 at the root and W = (1/8 + 1/4)/2 = 3/16, so it stops with 1/16 : 3/16 = 1/3; it says 1/2, the leaf 3/4:
    # 2/3. The best pruning is the whole tree: ln 2 for the split, ln 2 for one leaf, ln 2 + (ln 2)/2 for the other.
    Row(
        key="mondrian-forest",
        parameters={"exact": True, "trees": 1},
        x=[(1.0,), (2.0,), (2.0,)],
        y=[1, -1, -1],
        predictions=None,
        decisions=[(log(1 / 2), log(1 / 2)), (log(3 / 8), log(5 / 8)), (log(2 / 3), log(1 / 3))],
        loss=log(8),
        theorem="T-AMF",
        bound=3.5 * log(2),
        options={"labels": [-1, 1]},
        state={"t": 3, "loss": log(8)},
    ),
    # One tree. 0 before the first outcome, then 2, its mean. The third row is in the leaf of the second, which began
    # with .3 of 2 and has seen 4: 4.6/1.3 = 3.538462. The root says 3. No error was made before the second round, so
    # nothing was charged before the third: b is 1/2 at the root.
    Row(
        key="mondrian-forest-regression",
        parameters={"trees": 1},
        x=[(1.0,), (2.0,), (2.0,)],
        y=[2.0, 4.0, 3.0],
        predictions=[0, 2, 3.269231],
        decisions=[0, 2, 3.269231],
        loss=4 + 4 + 0.072485,
        theorem="T-AMF-REGRESSION",
        bound=None,
        state={"t": 3},
    ),
]
