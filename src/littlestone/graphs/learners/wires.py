"""Edges of different weights as wires: along a long one the label changes more often than along a short one.

An edge of weight (conductance) w is a wire of length 1/w; along it the label is drawn anew at a constant rate. What is
carried over by wires one after the other multiplies, and so does what is carried over by an edge that is cut in two.
`theta` is how often labels differ along an edge of median weight s; along an edge of weight w they differ

    theta_e = (1 - 1/K) (1 - c^(s/w)),    c = 1 - theta K/(K - 1)

of the time: never along an edge of endless weight, as two labels drawn at random along one of weight 0. A theta above
1 - 1/K, where neighbours are unlike more often than by chance, is taken for all edges alike. A theta_e of 0 would
forbid what may happen, so that c^(s/w) is at most 1 - 1e-9.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.stream import Array
from ..algorithms.graph import Graph
from ..algorithms.spanning_trees import weights_above
from .tree_beliefs import carried

MOST = 1.0 - 1e-9


def wires(graph: Graph, parent: Any, thetas: Sequence[float], K: int) -> Array:
    """Of each tree and theta, what the edge above each vertex carries over; without a column where edges are alike."""
    members = len(parent) * len(thetas)
    if K < 2 or not len(graph.weight) or graph.weight.min() == graph.weight.max():
        return np.zeros((members, 0))
    median = float(np.median(graph.weight))
    made = np.empty((members, graph.n))
    for r, tree in enumerate(parent):
        length = median / weights_above(graph, tree)
        for g, theta in enumerate(thetas):
            c = carried(theta, K)
            made[r * len(thetas) + g] = np.minimum(c**length, MOST) if c > 0.0 else c
    return made
