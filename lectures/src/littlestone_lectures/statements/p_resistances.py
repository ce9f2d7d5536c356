"""p-resistances: the triangle inequality, currents, monotony, disjoint paths, cliques; and bounds that follow.

The solver of p-harmonic functions is accurate to about 1e-8, and gets that much room.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement
from littlestone.graphs.algorithms.connectivity import disjoint_paths
from littlestone.graphs.algorithms.graph import from_matrix
from littlestone.graphs.algorithms.mistake_bounds import (
    clique_resistance,
    clusters_bound,
    cover_bound,
    tuned_bound,
)
from littlestone.graphs.algorithms.p_laplacian import p_currents, p_harmonic, p_resistance
from littlestone.graphs.algorithms.zoo import complete

from .networks import joined, labelled

ROOM = 1e-6  # for the p-harmonic solver
POWERS = (1.3, 2.0, 4.0)


def pairs_of(n: int) -> Iterator[Any]:
    for k, (W, v) in enumerate(joined(n)):
        if k % 8 == 0:
            for p in POWERS:
                yield from_matrix(W), v, p


def triangle(i: Any) -> tuple[float, float]:
    """d(a, c) and d(a, b) + d(b, c) for the distance r_p^(1/(p - 1))."""
    g, _, p = i
    d = {
        (a, b): p_resistance(g, a, b, p) ** (1 / (p - 1))
        for a, b in combinations((0, 1, g.n - 1), 2)
    }
    return d[0, g.n - 1] * (1 - ROOM), d[0, 1] + d[1, g.n - 1]


def kirchhoff(i: Any) -> tuple[float, float]:
    """The largest net p-current at a vertex without a label, of the largest current along an edge; and 0."""
    g, v, p = i
    known = labelled(v)
    flow, net = p_currents(g, p_harmonic(g, known, v[known], p), p)
    free = np.setdiff1d(np.arange(g.n), known)
    return float(np.abs(net[free]).max(initial=0.0) / max(np.abs(flow).max(), 1e-300)), ROOM


def monotone(i: Any) -> tuple[float, float]:
    """r_p with the heaviest edge twice as heavy, and before."""
    g, _, p = i
    W = np.zeros((g.n, g.n))
    W[g.tails, g.index] = g.weight
    a, b = np.unravel_index(int(np.argmax(W)), W.shape)
    W[a, b] = W[b, a] = 2 * W[a, b]
    more = p_resistance(from_matrix(W), 0, g.n - 1, p)
    return more * (1 - ROOM), p_resistance(g, 0, g.n - 1, p)


def wide(n: int) -> Iterator[Any]:
    """Graphs with weights 1, a number of paths, p."""
    for (g, _, p), k in product(pairs_of(n), (1, 2, 3)):
        W = np.zeros((n, n))
        W[g.tails, g.index] = 1.0
        yield from_matrix(W), k, p


def by_paths(i: Any) -> tuple[float, float]:
    """r_p of the first and last vertex, and D^(p - 1)/k for k edge-disjoint paths of at most D edges between them."""
    g, k, p = i
    found = disjoint_paths(g, 0, g.n - 1, k)
    if found is None:
        return 0.0, math.inf
    most = max(len(way) - 1 for way in found)
    return p_resistance(g, 0, g.n - 1, p) * (1 - ROOM), most ** (p - 1) / k


def clique_p(m: int) -> tuple[float, float]:
    """How far p-resistances of a clique are from 1/(1 + (m - 2) 2^(1 - p)); and 0, with room for the solver."""
    off = max(abs(p_resistance(complete(m), 0, 1, p) - clique_resistance(m, p)) for p in POWERS)
    return off, ROOM


def tuned(n: int) -> Iterator[tuple[int, int, int]]:
    yield from product(range(1, n + 1), (n, 2 * n, 10 * n), (1, 2, 5))


def tuned_is_cover(i: tuple[int, int, int]) -> tuple[float, float]:
    """The tuned bound, and the cover bound at its p, with r_p <= D^(p-1)/k and the energy 2^p times the cut."""
    k, D, cut = i
    found = tuned_bound(1, k, D, cut)
    return cover_bound(1, D ** (found.p - 1) / k, 2**found.p * cut, found.p), found.bound


def clusters(m: int) -> Iterator[tuple[int, int]]:
    for cut in (1, 3, 9):
        yield m, cut


def of_p(text: str, sides: Any) -> Statement:
    return Statement(
        "T-PRESISTANCE", text, sides, pairs_of, (3, 4, 6), how="connected weighted graphs at random; p = 1.3, 2, 4",
        show=lambda i: f"{i[0].n} vertices, p = {i[2]}", short=1,
    )  # fmt: skip


STATEMENTS = (
    of_p("r_p^(1/(p - 1)) obeys the triangle inequality", triangle),
    of_p("no net p-current at a vertex without a label", kirchhoff),
    of_p("a heavier edge raises no p-resistance", monotone),
    Statement(
        "T-PRESISTANCE", "k edge-disjoint paths of at most D edges: r_p <= D^(p - 1)/k", by_paths, wide, (3, 4, 6),
        how="connected graphs at random, k = 1, 2, 3; p = 1.3, 2, 4",
        show=lambda i: f"{i[0].n} vertices, k = {i[1]}, p = {i[2]}", short=1,
    ),
    Statement(
        "T-PRESISTANCE", "in a clique r_p = 1/(1 + (m - 2) 2^(1 - p))", clique_p, lambda m: iter((m,)), (2, 3, 5, 8),
        how="m = 2, 3, 5, 8; p = 1.3, 2, 4", short=2,
    ),
    Statement(
        "T-CLUSTER-BOUNDS", "the tuned bound is the cover bound at its p", tuned_is_cover, tuned, (1, 2, 4, 8),
        equal=True, how="k, D and cuts", show=lambda i: f"k = {i[0]}, D = {i[1]}, cut {i[2]}",
    ),
    Statement(
        "T-CLUSTER-BOUNDS", "c + 8 l/m <= c + 8 l/(m - 1) on cliques",
        lambda i: (clusters_bound(4, i[0], i[1]), clusters_bound(4, i[0], i[1], exact=False)), clusters,
        (2, 3, 10, 100), how="c = 4, l = 1, 3, 9", show=lambda i: f"m = {i[0]}, l = {i[1]}",
    ),
)  # fmt: skip
