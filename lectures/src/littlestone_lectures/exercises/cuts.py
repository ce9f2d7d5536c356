"""Is a minimum cut unique? Two cuts of the same weight, if not; lecture 6."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from littlestone.graphs.algorithms.cuts import minimum_cut
from littlestone.graphs.algorithms.graph import Graph


class CutCheck(NamedTuple):
    """The weight of a minimum cut, and its smallest and its largest positive side."""

    weight: float
    smallest: tuple[int, ...]
    largest: tuple[int, ...]

    @property
    def unique(self) -> bool:
        return self.smallest == self.largest

    def __str__(self) -> str:
        if self.unique:
            return f"unique: weight {self.weight:g}, positive side {list(self.smallest)}"
        return f"not unique: weight {self.weight:g}, positive sides {list(self.smallest)} and {list(self.largest)}"


def min_cut_uniqueness(graph: Graph, positive: Any, negative: Any) -> CutCheck:
    """Find the least cut between labelled vertices; where there are several, the two that are farthest apart.

    >>> from littlestone.graphs.algorithms.zoo import path
    >>> print(min_cut_uniqueness(path(3), [0], [2]))
    not unique: weight 1, positive sides [0] and [0, 1]
    """
    cut = minimum_cut(graph, positive, negative)
    sides = [tuple(np.flatnonzero(side).tolist()) for side in (cut.smallest, cut.largest)]
    return CutCheck(float(cut.weight), *sides)
