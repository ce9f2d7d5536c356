"""Fill in labels from a few: the harmonic function between them.

Ledger: A-HARMONIC; lecture 6: A6.16, A6.17, A6.24; T6.8, T6.19.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .compiling import compiled_if_long
from .graph import Graph, matrix
from .near_order import breadth_first
from .resistance import vertex
from .solver import solver


def harmonic(graph: Graph, vertices: Any, values: Any, tolerance: float = 1e-10) -> Array:
    """The function that has these values at these vertices, and at others the mean of its neighbours.

    It has the least sum of w (u_i - u_j)^2, and at each vertex is the mean value that a random walk from there meets
    first. `values` is one number a vertex, or a row of them: each column is solved for, with one factorisation. A
    connected part of the graph without any of these vertices is refused: there every constant would do. On large graphs
    the residual of the linear system is at most `tolerance` times its right-hand side.

    >>> from littlestone.graphs.algorithms.graph import from_edges
    >>> path = from_edges([(i, i + 1) for i in range(5)], 6)
    >>> harmonic(path, [0, 5], [1.0, 0.0]).round(6).tolist()  # W29
    [1.0, 0.8, 0.6, 0.4, 0.2, 0.0]
    """
    at, y = fixed(graph, vertices, values)
    place, order = np.full(graph.n, -1, np.int64), np.empty(graph.n, np.int64)
    if (
        compiled_if_long(breadth_first, len(graph.index))(
            graph.begins, graph.index, at, order, place
        )
        < graph.n
    ):
        v = int(np.argmin(place))
        raise BadInput(
            f"vertex {v} is in a part of the graph in which no value is given: give one there, or leave the part out"
        )
    u = np.zeros((graph.n, *y.shape[1:]))
    u[at] = y
    free = np.delete(np.arange(graph.n), at)
    if len(free):
        current = matrix(graph)[free][:, at] @ y
        u[free] = solver(graph, free).solve(current, tolerance)
    return u


def soft_harmonic(graph: Graph, vertices: Any, values: Any, penalty: float = 1.0) -> Array:
    """The function with the least sum of (u_i - y_i)^2 over these vertices + penalty * sum of w (u_i - u_j)^2.

    With a penalty that falls to 0 it becomes the harmonic one (A6.17).
    """
    at, y = fixed(graph, vertices, values)
    if not (math.isfinite(penalty) and penalty > 0.0):
        raise BadInput(f"penalty must be a number above 0, not {penalty!r}")
    _, part = graph.components
    if len(np.setdiff1d(part, part[at])):
        raise BadInput("a part of the graph has no value: give one there, or leave the part out")
    here, b = np.zeros(graph.n), np.zeros((graph.n, *y.shape[1:]))
    here[at], b[at] = 1.0, y
    return solver(graph, np.arange(graph.n), here / penalty).solve(b / penalty)


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
