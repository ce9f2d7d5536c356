"""A graph as a network of resistors, and as a random walk: effective resistances, hitting and commute times.

An edge of weight w is a resistor of 1/w; r(a, b) is the voltage between a and b when a current of 1 flows from a to b.
Ledger: A-RESISTANCE; lecture 6: A6.20 to A6.25; T6.9, T6.12, T6.14, T6.15, T6.18, T6.20; T-FOSTER.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .graph import Graph
from .laplacian import laplacian, pseudo_inverse
from .solver import solver

ROUGH = 1e-3  # the residual of a solve, where the squares of many are averaged
DENSE = 4000  # the whole pseudo-inverse is made for graphs of at most so many vertices


def vertex(graph: Graph, v: Any, name: str = "vertex") -> int:
    """A vertex by its number, checked."""
    if isinstance(v, bool) or not isinstance(v, (int, np.integer)) or not 0 <= v < graph.n:
        raise BadInput(f"{name} must be the number of a vertex, from 0 to {graph.n - 1}, not {v!r}")
    return int(v)


def effective_resistance(graph: Graph, a: int, b: int) -> float:
    """r(a, b), by one sparse solve; infinite between vertices that no path joins.

    >>> from littlestone.graphs.algorithms.graph import from_edges
    >>> square = from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], 4)
    >>> round(effective_resistance(square, 0, 2), 9)  # two paths of 2, side by side (W28)
    1.0
    """
    a, b = vertex(graph, a, "a"), vertex(graph, b, "b")
    _, part = graph.components
    if a == b:
        return 0.0
    if part[a] != part[b]:
        return float("inf")
    home = np.flatnonzero((part == part[a]) & (np.arange(graph.n) != b))
    current = (home == a).astype(np.float64)
    return float(solver(graph, home).solve(current)[np.searchsorted(home, a)])


def resistances(graph: Graph) -> Array:
    """r(a, b) for all pairs, as a matrix: O(n^3), for graphs of up to 4,000 vertices."""
    few(graph)
    _, part = graph.components
    R = np.full((graph.n, graph.n), np.inf)
    L = laplacian(graph)
    for c in range(int(part.max()) + 1):
        home = np.flatnonzero(part == c)
        K = pseudo_inverse(L[np.ix_(home, home)])
        d = np.diag(K)
        R[np.ix_(home, home)] = d[:, None] + d[None, :] - 2.0 * K
    np.fill_diagonal(R, 0.0)
    return R


def few(graph: Graph) -> None:
    if graph.n > DENSE:
        raise BadInput(
            f"all pairs of {graph.n:,} vertices take too long: up to {DENSE:,}; effective_resistance takes one pair"
        )


def edge_resistances(graph: Graph, projections: int | None = None, seed: int = 0) -> Array:
    """r of the ends of each edge, in the order of `graph.pairs()`; the sum of w r is n less the connected parts.

    Exact up to 4,000 vertices. With `projections` k, or beyond, an estimate whose relative error is about
    sqrt(2/k) an edge, from k sparse solves (Spielman & Srivastava 2011); k is 400 where it is left out.
    """
    a, b, w = graph.pairs()
    if projections is None and graph.n <= DENSE:
        exact: Array = resistances(graph)[a, b]
        return exact
    k = 400 if projections is None else projections
    if not (isinstance(k, (int, np.integer)) and k >= 1):
        raise BadInput(f"projections must be a whole number, 1 or more, not {k!r}")
    _, part = graph.components
    ground = np.unique(part, return_index=True)[1]  # one vertex of each part is at voltage 0
    rest = np.setdiff1d(np.arange(graph.n), ground)
    system = solver(graph, rest)
    rng, total = np.random.default_rng(seed), np.zeros(len(a))
    for _ in range(int(k)):
        s = np.sqrt(w) * rng.choice([-1.0, 1.0], len(w))
        current = np.bincount(a, s, graph.n) - np.bincount(b, s, graph.n)
        u = np.zeros(graph.n)
        u[rest] = system.solve(current[rest], ROUGH)
        total += (u[a] - u[b]) ** 2
    made: Array = total / k
    return made


def total_resistance(graph: Graph) -> float:
    """The sum of r over all pairs, each once: n times the trace of L^+ where the graph is connected (T6.15)."""
    return float(resistances(graph).sum() / 2.0)


def hitting_times(graph: Graph, target: int) -> Array:
    """How many steps a random walk from each vertex takes, on average, to reach `target` (A6.25)."""
    target = vertex(graph, target, "target")
    _, part = graph.components
    home = np.flatnonzero((part == part[target]) & (np.arange(graph.n) != target))
    made = np.full(graph.n, np.inf)
    made[target] = 0.0
    if len(home):
        made[home] = solver(graph, home).solve(graph.degree[home])
    return made


def commute_time(graph: Graph, a: int, b: int) -> float:
    """The steps of a random walk from a to b and back, on average: r(a, b) times the sum of degrees (T6.20)."""
    _, part = graph.components
    home = part == part[vertex(graph, a, "a")]
    return effective_resistance(graph, a, b) * float(graph.degree[home].sum())


def series(*resistors: float, p: float = 2.0) -> float:
    """The p-resistance of resistors one after the other (T6.25); p = 2: their sum.

    >>> round(series(0.5, 2, 3), 6), round(series(0.5, 2, 3, p=3), 6)  # W32
    (5.5, 14.848469)
    """
    r = positive(resistors)
    if not p > 1.0:
        raise BadInput(f"p must be above 1, not {p!r}")
    return float((r ** (1.0 / (p - 1.0))).sum() ** (p - 1.0))


def parallel(*resistors: float) -> float:
    """The resistance of resistors side by side: 1 over the sum of 1/r, for every p (T6.25)."""
    return float(1.0 / (1.0 / positive(resistors)).sum())


def positive(resistors: tuple[float, ...]) -> Array:
    r = np.array(resistors, np.float64)
    if not len(r) or not (np.isfinite(r) & (r > 0.0)).all():
        raise BadInput(f"resistors are numbers above 0, at least one of them, not {resistors!r}")
    return r
