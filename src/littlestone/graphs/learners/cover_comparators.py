"""What minimum p-seminorm interpolation is compared with: covers of the vertices, and the function at the end.

The function at the end has the least p-energy of all that agree with the labels seen. Resistances are exact for p = 2
up to a size; otherwise they are bounded by those of a single path, or of the electric flow, which can only be larger:
then covers have more sets than they need, and the bound is larger than it might be, and true.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.guarantee import Comparators
from ...core.stream import Array
from ..algorithms.connectivity import cover, p_resistances
from ..algorithms.graph import Graph
from ..algorithms.laplacian import laplacian, pseudo_inverse
from ..algorithms.p_laplacian import p_energy
from ..algorithms.resistance import resistances

# resistances are exact up to so many vertices, for p = 2 (True) and for other p (False)
EXACT = {True: 1500, False: 7}
MOST = 1500  # covers are looked for in graphs of at most so many vertices
RADII = 12
WORK = 50_000_000  # flows between all pairs are computed where pairs times edges is at most this


def comparators(learner: Any, rounds: Any) -> Comparators:
    """One comparator for each diameter of a cover."""
    graph, p = learner.graph, learner.p
    if not rounds.known.any():
        return Comparators("own", str, np.zeros(0), why="no round had an answer")
    if graph.n > MOST:
        return Comparators("own", str, np.zeros(0), why="the graph is too large to look for covers")
    spent = max(p_energy(graph, state.f, p) for state in rounds.states)
    R = diameters(graph, p)
    finite = R[np.isfinite(R)]
    radii = np.unique(np.quantile(finite, np.linspace(0.0, 1.0, RADII)))
    sets = np.array([float(cover(R, rho).max() + 1) for rho in radii])
    more = {"sets": sets, "rho": radii, "energy": np.full(len(radii), spent)}
    names = [
        f"{int(N)} sets of p-resistance at most {rho:.4g}"
        for N, rho in zip(sets, radii, strict=True)
    ]
    return Comparators("own", names.__getitem__, np.zeros(len(radii)), more)


def diameters(graph: Graph, p: float) -> Array:
    """The p-resistance of each pair of vertices, or a bound on it."""
    if graph.n <= EXACT[p == 2.0]:
        return resistances(graph) if p == 2.0 else p_resistances(graph, p)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    lengths = csr_array(
        (graph.weight ** (-1.0 / (p - 1.0)), graph.index, graph.begins), shape=(graph.n, graph.n)
    )
    made: Array = dijkstra(lengths, directed=False) ** (p - 1.0)
    if graph.n**2 * graph.edges <= WORK and graph.components[0] == 1:
        made = np.minimum(made, by_flow(graph, p))
    return made


def by_flow(graph: Graph, p: float) -> Array:
    """A bound on r_p from the electric flow of 1 between two vertices: any flow gives one, by duality (A6.28)."""
    q = p / (p - 1.0)
    K = pseudo_inverse(laplacian(graph))
    a, b, w = graph.pairs()
    made = np.zeros((graph.n, graph.n))
    for v in range(graph.n):
        d = (K[a, v] - K[b, v])[:, None] - (K[a] - K[b])
        made[v] = (w[:, None] * np.abs(d) ** q).sum(axis=0) ** (p - 1.0)
    return made
