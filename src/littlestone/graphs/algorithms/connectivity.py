"""How well connected a graph is: summaries of resistance, edge-disjoint paths, wide diameters, resistive covers.

Ledger: A-COVERS; lecture 6: A6.23, A6.30, A6.31; T6.15, T6.32; W33.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .cuts import minimum_cut
from .graph import Graph
from .p_laplacian import p_resistance
from .resistance import resistances, vertex

SMALL = 10  # wide diameters are exact for graphs of at most so many vertices
COVERED = 14  # smallest covers are found for graphs of at most so many vertices


class Summary(NamedTuple):
    """Sums of the effective resistances of a graph."""

    total: float  # of all pairs, each once
    of_each: Array  # from each vertex to all others
    kernel: Array  # L^+_vv, small where a vertex is well joined to the rest


def summary(graph: Graph) -> Summary:
    """R_tot, R(v) and L^+_vv = R(v)/n - R_tot/n^2 (T6.15), for a connected graph of up to 4,000 vertices."""
    R = resistances(graph)
    if not np.isfinite(R).all():
        raise BadInput("the graph is not connected: resistances between its parts are infinite")
    each, n = R.sum(axis=1), graph.n
    total = float(each.sum() / 2.0)
    return Summary(total, each, each / n - total / n**2)


def edge_connectivity(graph: Graph) -> int:
    """How many edges must be removed at least to make two parts; weights do not count."""
    unweighted = Graph(
        graph.begins, graph.index, np.ones(len(graph.weight)), graph.letters, graph.ends
    )
    if graph.n < 2:
        return 0
    return int(min(minimum_cut(unweighted, [0], [v]).weight for v in range(1, graph.n)))


def disjoint_paths(graph: Graph, a: int, b: int, k: int) -> list[list[int]] | None:
    """k paths from a to b that share no edge, of least total length, as lists of vertices; None: there are fewer."""
    from scipy.optimize import linprog

    a, b = vertex(graph, a, "a"), vertex(graph, b, "b")
    tails, heads = graph.tails, graph.index
    m, (once, other, _) = len(heads), graph.pairs()
    number = {(int(u), int(v)): e for e, (u, v) in enumerate(zip(once, other, strict=True))}
    ends = zip(tails.tolist(), heads.tolist(), strict=True)
    edge = np.array([number[min(u, v), max(u, v)] for u, v in ends])
    balance = np.zeros((graph.n, m))
    balance[tails, np.arange(m)] += 1.0
    balance[heads, np.arange(m)] -= 1.0
    flow_out = k * ((np.arange(graph.n) == a).astype(float) - (np.arange(graph.n) == b))
    once_each = (edge[None, :] == np.arange(len(once))[:, None]).astype(float)
    found = linprog(
        np.ones(m),
        A_ub=once_each,
        b_ub=np.ones(len(once)),
        A_eq=balance,
        b_eq=flow_out,
        bounds=(0, 1),
    )
    flow: Any = found.x
    if found.status != 0:
        return None
    used = {(int(u), int(v)) for u, v, f in zip(tails, heads, flow, strict=True) if f > 0.5}
    paths = []
    for _ in range(k):
        way = [a]
        while way[-1] != b:
            step = next(e for e in sorted(used) if e[0] == way[-1])
            used.discard(step)
            way.append(step[1])
        paths.append(way)
    return paths


def wide_diameter(graph: Graph, k: int) -> int | None:
    """The least D such that any two vertices have k paths of at most D edges that share no edge; None: there are none.

    Exact up to 10 vertices; beyond that an upper bound, from paths of least total length (A6.31).

    >>> from .zoo import wheel
    >>> [wide_diameter(wheel(5), k) for k in (1, 2, 3)]  # W33
    [2, 2, 3]
    """
    if not (isinstance(k, (int, np.integer)) and k >= 1):
        raise BadInput(f"k must be a whole number, 1 or more, not {k!r}")
    most = 0
    for a, b in itertools.combinations(range(graph.n), 2):
        found = shortest_wide(graph, a, b, int(k)) if graph.n <= SMALL else None
        if graph.n > SMALL:
            paths = disjoint_paths(graph, a, b, int(k))
            found = None if paths is None else max(len(way) - 1 for way in paths)
        if found is None:
            return None
        most = max(most, found)
    return most


def shortest_wide(graph: Graph, a: int, b: int, k: int) -> int | None:
    """The least D such that a and b have k edge-disjoint paths of at most D edges, by trying all paths."""
    paths: list[tuple[int, frozenset[tuple[int, int]]]] = []

    def grow(way: list[int]) -> None:
        if way[-1] == b:
            steps = itertools.pairwise(way)
            paths.append((len(way) - 1, frozenset((min(s), max(s)) for s in steps)))
            return
        for u in graph.neighbours(way[-1]).tolist():
            if u not in way:
                grow([*way, u])

    grow([a])
    for longest in sorted({length for length, _ in paths}):
        short_enough = [edges for length, edges in paths if length <= longest]
        if packing(short_enough, k, frozenset()):
            return longest
    return None


def packing(paths: list[Any], k: int, used: frozenset[Any]) -> bool:
    """Do k of these paths, as sets of edges, share no edge with each other and with `used`?"""
    if k == 0:
        return True
    return any(
        packing(paths[i + 1 :], k - 1, used | edges)
        for i, edges in enumerate(paths)
        if not edges & used
    )


def p_resistances(graph: Graph, p: float = 2.0) -> Array:
    """r_p of all pairs, as a matrix: one solve a pair, for small graphs."""
    if p == 2.0:
        return resistances(graph)
    R = np.zeros((graph.n, graph.n))
    for a, b in itertools.combinations(range(graph.n), 2):
        R[a, b] = R[b, a] = p_resistance(graph, a, b, p)
    return R


def cover(R: Any, rho: float) -> Any:
    """A partition into sets of diameter at most rho, by r in the matrix R: the number of the set of each vertex.

    The smallest one up to 14 vertices; beyond that each set is begun by the vertex that is farthest from those that
    began one, and takes what is near enough to all of its own (A6.30).

    >>> from .resistance import resistances
    >>> from .zoo import barbell
    >>> cover(resistances(barbell(4)), 0.5).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    R = np.asarray(R, np.float64)
    n = len(R)
    near = rho * (1.0 + 1e-12) >= R
    if n <= COVERED:
        return smallest_cover(near)
    made, number = np.full(n, -1), 0
    centres: list[int] = []
    while (made < 0).any():
        left = np.flatnonzero(made < 0)
        far = R[left][:, centres].min(axis=1) if centres else -R[left].sum(axis=1)
        centre = int(left[np.argmax(far)])
        centres.append(centre)
        for v in left[np.argsort(R[centre, left], kind="stable")]:
            if near[v, made == number].all():
                made[v] = number
        number += 1
    return made


def smallest_cover(near: Any) -> Any:
    """The least number of sets in which all are near each other, by dynamic programming over subsets."""
    n = len(near)
    masks = [sum(1 << j for j in range(n) if near[i, j]) for i in range(n)]
    whole, together = (1 << n) - 1, [True] * (1 << n)
    for s in range(1, 1 << n):
        i = s.bit_length() - 1
        together[s] = together[s ^ (1 << i)] and (s & ~masks[i]) == 0
    best, last = {0: 0}, {}
    for s in range(1, whole + 1):
        first = s & -s
        rest, part = s ^ first, s ^ first
        least, how = n + 1, first
        while True:
            one = part | first
            if together[one] and best[s ^ one] + 1 < least:
                least, how = best[s ^ one] + 1, one
            if part == 0:
                break
            part = (part - 1) & rest
        best[s], last[s] = least, how
    made, s, number = np.zeros(n, np.int64), whole, 0
    while s:
        one = last[s]
        made[[i for i in range(n) if one >> i & 1]] = number
        s, number = s ^ one, number + 1
    return made
