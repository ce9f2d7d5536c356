"""Cuts: minimum cuts between labelled vertices, the global minimum cut, ratio cuts.

Ledger: A-MIN-CUT, A-SPECTRAL; lecture 6: A6.10, A6.11, A6.14, A6.15; T6.5, T6.7.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from ...core.errors import BadInput
from .graph import Graph, matrix
from .laplacian import cut_size
from .maximum_flow import maximum_flow
from .resistance import vertex

ENUMERATED = 20  # all splits in two parts are tried for graphs of at most so many vertices


class Cut(NamedTuple):
    """A minimum cut; all minimum cuts lie between the smallest and the largest side."""

    weight: float
    smallest: Any  # True for the vertices that are on the positive side of every minimum cut
    largest: Any  # ... of at least one

    @property
    def unique(self) -> bool:
        return bool((self.smallest == self.largest).all())


def minimum_cut(graph: Graph, positive: Any, negative: Any) -> Cut:
    """The least weight of edges between vertices `positive` and `negative`, and where it is cut (A6.14).

    >>> from littlestone.graphs.algorithms.graph import from_edges
    >>> cut = minimum_cut(from_edges([(0, 1), (1, 2), (2, 3)], 4), [0], [3])  # W35
    >>> cut.weight, cut.smallest.tolist(), cut.largest.tolist()
    (1.0, [True, False, False, False], [True, True, True, False])
    """
    plus = np.unique([vertex(graph, v, "positive") for v in positive]).astype(np.int64)
    minus = np.unique([vertex(graph, v, "negative") for v in negative]).astype(np.int64)
    if not len(plus) or not len(minus):
        raise BadInput("a cut needs a positive and a negative vertex")
    if len(np.intersect1d(plus, minus)):
        raise BadInput(f"vertex {np.intersect1d(plus, minus)[0]} is both positive and negative")
    _, smallest, largest = maximum_flow(graph, plus, minus)
    return Cut(cut_size(graph, smallest), smallest, largest)


def global_minimum_cut(graph: Graph) -> tuple[float, Any]:
    """The least weight of edges whose removal makes two parts, and one of the parts (Stoer & Wagner 1997), O(n^3).

    >>> from littlestone.graphs.algorithms.graph import from_edges
    >>> weight, part = global_minimum_cut(from_edges([(0, 1, 3.0), (1, 2, 1.0), (2, 3, 3.0)], 4))
    >>> weight, int(part.sum())
    (1.0, 2)
    """
    if graph.n < 2 or graph.n > 2000:
        raise BadInput(
            f"a global minimum cut is looked for in 2 to 2,000 vertices, not {graph.n:,}"
        )
    W = matrix(graph).toarray()
    groups = [[v] for v in range(graph.n)]
    alive = list(range(graph.n))
    best, part = np.inf, np.zeros(graph.n, bool)
    while len(alive) > 1:
        joined = W[alive[0]].copy()
        order, inside = [alive[0]], {alive[0]}
        while len(order) < len(alive):
            last = max((v for v in alive if v not in inside), key=lambda v: joined[v])
            order.append(last)
            inside.add(last)
            weight = joined[last]
            joined = joined + W[last]
        s, t = order[-2], order[-1]
        if weight < best:
            best, part = float(weight), np.isin(np.arange(graph.n), groups[t])
        W[s] += W[t]
        W[:, s] += W[:, t]
        W[s, s] = 0.0
        W[t], W[:, t] = 0.0, 0.0
        groups[s] += groups[t]
        alive.remove(t)
    return best, part


def ratio_cut(graph: Graph, part: Any) -> float:
    """The cut between a part and the rest, times (1/|part| + 1/|rest|) (A6.11)."""
    inside = np.asarray(part, bool)
    size = int(inside.sum())
    if inside.shape != (graph.n,) or not 0 < size < graph.n:
        raise BadInput(
            "a ratio cut is of a part that is neither empty nor everything, one entry a vertex"
        )
    return cut_size(graph, inside) * (1.0 / size + 1.0 / (graph.n - size))


def best_ratio_cut(graph: Graph) -> tuple[float, Any]:
    """The least ratio cut, by trying every part: up to 20 vertices."""
    n = graph.n
    if not 2 <= n <= ENUMERATED:
        raise BadInput(f"all parts are tried for 2 to {ENUMERATED} vertices, not {n:,}")
    parts = (
        np.isin(np.arange(n), vertices)
        for size in range(1, n // 2 + 1)
        for vertices in itertools.combinations(range(n), size)
    )
    return min(((ratio_cut(graph, part), part) for part in parts), key=lambda found: found[0])
