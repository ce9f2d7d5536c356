"""Random spanning trees that share few edges: an edge that many trees have is less likely to be in the next one.

Trees that are drawn independently leave some edges out altogether and repeat others, by chance. A committee of trees
sees more of the graph where each edge is in about as many trees as any other, as far as the graph allows it. The first
tree is drawn by the weights of the graph. For each later one an edge that u of the r trees so far have, where an edge
has m of them on average, has its weight times ((1 + m) / (1 + u))^3, a factor that is kept between 1/8 and 8.

The power 3 was chosen among 1/2 to 3 on generated graphs (block models, neighbours of clusters). Without the limits
walks that have to find a bridge between two dense clusters, which every tree has, take hundreds of times longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiling import compiled_if_long
from .graph import Graph
from .spanning_trees import entry, roots_of, running_sums, wilson

POWER = 3.0
MOST = 2.0  # the ratio is kept between 1/MOST and MOST before it is taken to the power


def varied_trees(graph: Graph, count: int, seed: int = 0) -> Any:
    """`count` trees, as `spanning_trees` gives them, that share few edges; the first tree is the same.

    >>> from littlestone.graphs.algorithms.graph import from_edges
    >>> varied_trees(from_edges([(0, 1), (1, 2)], 3), 2).tolist()  # a tree has only itself
    [[1, -1, 1], [1, -1, 1]]
    """
    parent = np.empty((count, graph.n), np.int64)
    roots, used = roots_of(graph), np.zeros(len(graph.index))
    draw, mark = (
        compiled_if_long(wilson, count * graph.n),
        compiled_if_long(marked, count * graph.n),
    )
    for r in range(count):
        rare = (1.0 + used.mean()) / (1.0 + used) if len(used) else used
        weight = graph.weight * np.clip(rare, 1.0 / MOST, MOST) ** POWER
        totals = running_sums(graph, weight)
        draw(graph.begins, graph.index, totals, roots, int(seed), r, parent[r])
        mark(graph.begins, graph.index, parent[r], used)
    return parent


def marked(begins: Any, index: Any, parent: Any, used: Any) -> None:
    """Count the edges of a tree, from both ends; the neighbours of a vertex are in rising order."""
    for v in range(parent.shape[0]):
        up = parent[v]
        if up >= 0:
            used[entry(begins, index, v, up)] += 1.0
            used[entry(begins, index, up, v)] += 1.0
