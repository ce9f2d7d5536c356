"""A random walk that takes an edge with probability proportional to its weight: what it reaches first, and when.

Ledger: A-RESISTANCE; lecture 6: A6.24, A6.25; T6.19, T6.20; E58.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.numeric import uniform
from littlestone.core.stream import Array
from littlestone.graphs.algorithms.compiling import compiled_if_long
from littlestone.graphs.algorithms.graph import Graph, matrix
from littlestone.graphs.algorithms.harmonic import harmonic
from littlestone.graphs.algorithms.resistance import vertex

FAR = 10_000_000  # a simulated walk is given up after so many steps


def transition_matrix(graph: Graph) -> Any:
    """P_ij = w_ij / degree of i, a sparse matrix whose rows sum to 1 (E58: the notes divide by the degree of j)."""
    from scipy.sparse import diags_array

    if not (graph.degree > 0.0).all():
        raise BadInput(f"vertex {int(np.argmin(graph.degree))} has no edge: a walk cannot leave it")
    return (diags_array(1.0 / graph.degree) @ matrix(graph)).tocsr()


def hitting_probabilities(graph: Graph, ones: Any, zeros: Any) -> Array:
    """How probable it is that a walk from each vertex gets to one of `ones` before one of `zeros` (T6.19)."""
    ones, zeros = list(ones), list(zeros)
    return harmonic(graph, [*ones, *zeros], [1.0] * len(ones) + [0.0] * len(zeros))


def walks(
    graph: Graph, start: int, ends: Any, count: int = 1000, seed: int = 0
) -> tuple[Any, Array]:
    """Simulate `count` walks from `start` until they get to one of `ends` (after the first step): where, and when.

    >>> from littlestone.graphs.algorithms.zoo import path
    >>> where, steps = walks(path(3), 1, [0, 2], count=10)
    >>> set(where.tolist()) <= {0, 2}, steps.tolist() == [1.0] * 10
    (True, True)
    """
    start = vertex(graph, start, "start")
    stop = np.zeros(graph.n, np.bool_)
    stop[[vertex(graph, v, "ends") for v in ends]] = True
    _, part = graph.components
    if not (part[stop] == part[start]).any() or not graph.degree[start] > 0.0:
        raise BadInput(f"no walk from vertex {start} gets to one of the ends")
    running = np.cumsum(graph.weight)
    before = np.concatenate([[0.0], running])[graph.begins[:-1]]
    totals = running - np.repeat(before, np.diff(graph.begins))
    where, steps = np.zeros(count, np.int64), np.zeros(count)
    compiled_if_long(wander, 100 * count)(
        graph.begins, graph.index, totals, start, stop, int(seed), where, steps, FAR
    )  # fmt: skip
    if (steps >= FAR).any():
        raise BadInput(f"a walk did not get to one of the ends in {FAR:,} steps")
    return where, steps


def wander(
    begins: Any, index: Any, totals: Any, start: int, stop: Any, seed: int, where: Any, steps: Any, far: int
) -> None:  # fmt: skip
    for k in range(where.shape[0]):
        v, t = start, 0
        while t == 0 or (not stop[v] and t < far):
            low, high = begins[v], begins[v + 1] - 1
            u = uniform(seed, k, t) * totals[high]
            t += 1
            while low < high:
                middle = (low + high) // 2
                if totals[middle] > u:
                    high = middle
                else:
                    low = middle + 1
            v = index[low]
        where[k], steps[k] = v, t
