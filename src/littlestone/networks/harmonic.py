"""Fill in labels from a few: the harmonic function between them, and minimum cuts.

Ledger, lecture 6: A6.14, A6.16, A6.17, A6.24; T6.8, T6.19.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array
from .graph import Graph
from .laplacian import sparse_laplacian
from .resistance import vertex


def harmonic(graph: Graph, vertices: Any, values: Any) -> Array:
    """The function that has these values at these vertices, and at others the mean of its neighbours.

    It has the least sum of w (u_i - u_j)^2, and at each vertex is the mean value that a random walk from there meets
    first. `values` is one number a vertex, or a row of them: each column is solved for, with one factorisation. A
    connected part of the graph without any of these vertices is refused: there every constant would do.

    >>> from littlestone.networks.graph import from_edges
    >>> path = from_edges([(i, i + 1) for i in range(5)], 6)
    >>> harmonic(path, [0, 5], [1.0, 0.0]).round(6).tolist()  # W29
    [1.0, 0.8, 0.6, 0.4, 0.2, 0.0]
    """
    at, y = fixed(graph, vertices, values)
    _, part = graph.components
    lonely = np.setdiff1d(part, part[at])
    if len(lonely):
        v = int(np.argmax(part == lonely[0]))
        raise BadInput(
            f"vertex {v} is in a part of the graph in which no value is given: give one there, or leave the part out"
        )
    u = np.zeros((graph.n, *y.shape[1:]))
    u[at] = y
    free = np.setdiff1d(np.arange(graph.n), at)
    if len(free):
        from scipy.sparse.linalg import splu

        L = sparse_laplacian(graph)[free]
        u[free] = splu(L[:, free].tocsc()).solve(-(L[:, at] @ y))
    return u


def soft_harmonic(graph: Graph, vertices: Any, values: Any, penalty: float = 1.0) -> Array:
    """The function with the least sum of (u_i - y_i)^2 over these vertices + penalty * sum of w (u_i - u_j)^2.

    With a penalty that falls to 0 it becomes the harmonic one (A6.17).
    """
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import splu

    at, y = fixed(graph, vertices, values)
    if not (math.isfinite(penalty) and penalty > 0.0):
        raise BadInput(f"penalty must be a number above 0, not {penalty!r}")
    _, part = graph.components
    if len(np.setdiff1d(part, part[at])):
        raise BadInput("a part of the graph has no value: give one there, or leave the part out")
    here, b = np.zeros(graph.n), np.zeros((graph.n, *y.shape[1:]))
    here[at], b[at] = 1.0, y
    made: Array = splu((penalty * sparse_laplacian(graph) + diags_array(here)).tocsc()).solve(b)
    return made


def fixed(graph: Graph, vertices: Any, values: Any) -> tuple[Any, Array]:
    """Vertices in rising order, and their values, checked."""
    at = np.array([vertex(graph, v) for v in np.asarray(vertices).tolist()], np.int64)
    y = np.asarray(values, np.float64)
    if not len(at) or len(y) != len(at):
        raise BadInput(f"{len(at)} vertices need as many values, and at least one, not {len(y)}")
    if not np.isfinite(y).all():
        raise BadInput("values must be finite numbers")
    order = np.argsort(at, kind="stable")
    at, y = at[order], y[order]
    if (at[1:] == at[:-1]).any():
        raise BadInput(f"vertex {at[int(np.argmax(at[1:] == at[:-1]))]} is given twice")
    return at, y


class Cut(NamedTuple):
    """A minimum cut; all minimum cuts lie between the smallest and the largest side."""

    weight: float
    smallest: Array  # True for the vertices that are on the positive side of every minimum cut
    largest: Array  # ... of at least one

    @property
    def unique(self) -> bool:
        return bool((self.smallest == self.largest).all())


def minimum_cut(graph: Graph, positive: Any, negative: Any) -> Cut:
    """The least weight of edges between vertices `positive` and `negative`, and where it is cut (A6.14).

    Weights must be whole numbers: SciPy's maximum flow computes with those.

    >>> from littlestone.networks.graph import from_edges
    >>> cut = minimum_cut(from_edges([(0, 1), (1, 2), (2, 3)], 4), [0], [3])  # W35
    >>> cut.weight, cut.smallest.tolist(), cut.largest.tolist()
    (1.0, [True, False, False, False], [True, True, True, False])
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    plus = np.unique([vertex(graph, v, "positive") for v in positive]).astype(np.int64)
    minus = np.unique([vertex(graph, v, "negative") for v in negative]).astype(np.int64)
    if not len(plus) or not len(minus):
        raise BadInput("a cut needs a positive and a negative vertex")
    if len(np.intersect1d(plus, minus)):
        raise BadInput(f"vertex {np.intersect1d(plus, minus)[0]} is both positive and negative")
    total = float(graph.weight.sum())
    if (graph.weight != np.floor(graph.weight)).any() or total >= 2**31 - 1:
        raise BadInput("a minimum cut needs weights that are whole numbers, 2^31 in total at most")
    n, (source, sink), most = graph.n, (graph.n, graph.n + 1), int(total) + 1
    tails = np.concatenate([graph.tails, np.full(len(plus), source), minus])
    heads = np.concatenate([graph.index, plus, np.full(len(minus), sink)])
    capacity = np.concatenate([graph.weight, np.full(len(plus) + len(minus), most)])
    C = coo_array((capacity.astype(np.int32), (tails, heads)), shape=(n + 2, n + 2)).tocsr()
    found = maximum_flow(C, source, sink)
    rest = (C - found.flow).tocsr()
    rest.eliminate_zeros()
    smallest, beyond = np.zeros(n + 2, bool), np.zeros(n + 2, bool)
    smallest[breadth_first_order(rest, source, return_predecessors=False)] = True
    beyond[breadth_first_order(rest.T.tocsr(), sink, return_predecessors=False)] = True
    return Cut(float(found.flow_value), smallest[:n], ~beyond[:n])
