"""Vertices that average their neighbours: one at a time (consensus) or all at once (label propagation).

Both end in the harmonic function, and neither ever raises the energy, the sum of w (u_i - u_j)^2. A solver gets there
faster; these show how. Ledger: A-CONSENSUS; lecture 6: A6.18, A6.19; T6.10, T6.11.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.numeric import uniform
from littlestone.core.stream import Array
from littlestone.graphs.algorithms.compiling import compiled_if_long
from littlestone.graphs.algorithms.graph import Graph, matrix
from littlestone.graphs.algorithms.harmonic import fixed


class Trace(NamedTuple):
    """The values at the end, and the energy at the beginning and after each step or sweep."""

    u: Array
    energy: Array


def consensus(
    graph: Graph,
    vertices: Any,
    values: Any,
    steps: int = 10_000,
    seed: int = 0,
    failing: float = 0.0,
) -> Trace:
    """Let a free vertex, drawn at random, take the mean of its neighbours, `steps` times.

    With probability `failing` the vertex does nothing in its turn; it converges all the same. Free vertices begin at 0.

    >>> from littlestone.graphs.algorithms.zoo import path
    >>> found = consensus(path(4), [0, 3], [0.0, 3.0], steps=500)
    >>> found.u.round(6).tolist(), bool((np.diff(found.energy) <= 1e-12).all())
    ([0.0, 1.0, 2.0, 3.0], True)
    """
    u, free = begun(graph, vertices, values)
    if not 0.0 <= failing < 1.0:
        raise BadInput(f"failing must be a probability below 1, not {failing!r}")
    energy = np.zeros(int(steps) + 1)
    a, b, w = graph.pairs()
    energy[0] = float((w * (u[a] - u[b]) ** 2).sum())
    if len(free):
        compiled_if_long(average_one, int(steps))(
            graph.begins, graph.index, graph.weight, graph.degree, free, u, energy, int(seed), float(failing)
        )  # fmt: skip
    else:
        energy[:] = energy[0]
    return Trace(u, energy)


def average_one(
    begins: Any, index: Any, weight: Any, degree: Any, free: Any, u: Any, energy: Any, seed: int, failing: float
) -> None:  # fmt: skip
    for t in range(energy.shape[0] - 1):
        v = free[int(uniform(seed, t, 0) * free.shape[0])]
        energy[t + 1] = energy[t]
        if degree[v] > 0.0 and uniform(seed, t, 1) >= failing:
            s = 0.0
            for e in range(begins[v], begins[v + 1]):
                s += weight[e] * u[index[e]]
            mean = s / degree[v]
            energy[t + 1] -= degree[v] * (u[v] - mean) ** 2  # the energy falls by exactly this much
            u[v] = mean


def label_propagation(
    graph: Graph, vertices: Any, values: Any, sweeps: int = 1000, tolerance: float = 0.0
) -> Trace:
    """Let all free vertices take the mean of their neighbours at once, until none moves by more than `tolerance`."""
    u, free = begun(graph, vertices, values)
    a, b, w = graph.pairs()
    P = matrix(graph)[free]
    degree = np.maximum(graph.degree[free], 1e-300)
    energy = [float((w * (u[a] - u[b]) ** 2).sum())]
    for _ in range(int(sweeps)):
        new = np.where(graph.degree[free] > 0.0, (P @ u) / degree, u[free])
        moved = float(np.abs(new - u[free]).max(initial=0.0))
        u[free] = new
        energy.append(float((w * (u[a] - u[b]) ** 2).sum()))
        if moved <= tolerance:
            break
    return Trace(u, np.array(energy))


def begun(graph: Graph, vertices: Any, values: Any) -> tuple[Array, Any]:
    """The first values: 0 at free vertices; and which are free."""
    at, y = fixed(graph, vertices, values)
    if y.ndim != 1:
        raise BadInput("consensus takes one value a vertex")
    u = np.zeros(graph.n)
    u[at] = y
    return u, np.setdiff1d(np.arange(graph.n), at)
