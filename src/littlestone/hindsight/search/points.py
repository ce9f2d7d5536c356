"""The comparator of online convex optimisation: the best fixed point of the set, for a run that was kept."""

from __future__ import annotations

import math

import numpy as np

from littlestone.core.convex_losses import Distance
from littlestone.core.guarantee import Comparators
from littlestone.core.vectors import Rows
from littlestone.hindsight.search.best_point import best_point
from littlestone.hindsight.search.kept_rounds import KeptRounds


def convex(rounds: KeptRounds) -> Comparators:
    """One comparator: no fixed point of the learner's set loses less than it, but for a gap that its name states."""
    family, B = rounds.learner.family, rounds.learner.set
    none = np.zeros(0)
    if isinstance(rounds.x, Rows):
        return Comparators("convex", str, none, why="points are compared on dense examples only")
    closed = isinstance(family, Distance) and family.power == 2
    if not closed and not math.isfinite(B.diameter(rounds.x.shape[1])):
        return Comparators("convex", str, none, why="an unbounded set need not have a best point")
    found = best_point(family, B, rounds.x, rounds.signed, rounds.h)
    sharp = found.gap <= 1e-9 * (1.0 + abs(found.loss))
    name = "best fixed point" + ("" if sharp else f", to within {found.gap:.2g}")
    return Comparators("convex", lambda i: name, np.array([found.loss * rounds.passes]))
