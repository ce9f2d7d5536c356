"""Functions on a graph to compare a perceptron with: they fit the labels seen, the more closely the less smooth.

The harmonic one takes the label seen most at each vertex that was asked and has the least |u|^2 of all that do; softer
ones give up labels that cost much. The theorem holds for every function, so it may be checked at any of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.guarantee import Comparators
from ...core.stream import Array
from ..algorithms.graph import Graph
from ..algorithms.laplacian import sparse_laplacian

MOST = 100_000  # a sparse factorisation is made for graphs of at most so many vertices
SOFT = (0.01, 0.1, 1.0, 10.0)  # how much smoothness weighs, compared with labels


def comparators(learner: Any, rounds: Any) -> Comparators:
    """The functions that the rounds of one run are compared with."""
    known, graph = rounds.known, learner.graph
    if not known.any():
        return Comparators("own", str, np.zeros(0), why="no round had an answer")
    if graph.n > MOST:
        return Comparators(
            "own", str, np.zeros(0), why="the graph is too large to look for functions"
        )
    v = np.asarray(rounds.x)[known, 0].astype(np.int64)
    y, h = rounds.signed[known], np.asarray(rounds.h)[known]
    names, L, U2, H2 = [], [], [], []
    for name, u in functions(graph, v, y, h, learner.bias):
        z = y * u[v]
        wrong = (u[v] == 0.0) * (y != 2.0 * rounds.traits.zero - 1.0) + (z < 0.0)
        names.append(name)
        L.append(float(h @ wrong) * rounds.passes)
        U2.append(norm2(graph, u, learner.bias))
        H2.append(float(h @ np.maximum(0.0, 1.0 - z) ** 2) * rounds.passes)
    more = {"U2": np.array(U2), "H2": np.array(H2)}
    return Comparators("own", names.__getitem__, np.array(L), more)


def functions(graph: Graph, v: Any, y: Array, h: Array, bias: float) -> Any:
    """Names and values of functions that fit labels y, of importance h, at vertices v."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import splu

    n = graph.n
    mass, total = np.bincount(v, h, n), np.bincount(v, h * y, n)
    # constants of a part are kept small by bias in the kernel; here by a little everywhere, which is not optimal
    S = sparse_laplacian(graph) + diags_array(np.full(n, 1e-9 / bias))
    yield "the constant 0", np.zeros(n)
    fixed = np.where(mass > 0, np.sign(total), 0.0)
    clamp = np.where(mass > 0, 1e9 * max(1.0, float(graph.weight.max(initial=1.0))), 0.0)
    u = splu((S + diags_array(clamp)).tocsc()).solve(clamp * fixed)
    u[mass > 0] = fixed[mass > 0]
    yield "the labels seen, harmonic between them", u
    for soft in SOFT:
        u = splu((soft * S + diags_array(mass)).tocsc()).solve(total)
        yield f"a soft fit, smoothness {soft:g}", u
        top = np.abs(u).max(initial=0.0)
        if top > 0.0:
            yield f"a soft fit, smoothness {soft:g}, stretched to 1", u / top


def norm2(graph: Graph, u: Array, bias: float) -> float:
    """|u|^2 = sum over edges of w (u_i - u_j)^2 + sum over connected parts of (mean of u)^2 / bias."""
    a, b, w = graph.pairs()
    _, part = graph.components
    means = np.bincount(part, u) / np.bincount(part)
    return float((w * (u[a] - u[b]) ** 2).sum() + (means**2).sum() / bias)
