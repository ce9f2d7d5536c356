"""The second eigenvector of the Laplacian of a connected graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .compiling import compiled_if_long
from .graph import Graph
from .grounded import Grounded
from .laplacian import laplacian, sparse_laplacian
from .locally_optimal import STEPS, locally_optimal
from .solver import Exact, solver

DENSE = 500  # for graphs of at most so many vertices all eigenvectors are computed


def fiedler(graph: Graph, normalised: bool = False, tolerance: float = 1e-6) -> tuple[float, Array]:
    """lambda_2 of L and its eigenvector of length 1 (of D^-1/2 L D^-1/2, then divided by D^1/2, where `normalised`).

    The first entry that is not 0 is negative. The residual is at most `tolerance` times the eigenvalue, whose relative
    error is about the square of that.

    >>> from .zoo import path
    >>> round(fiedler(path(3))[0], 9)
    1.0
    """
    parts, part = graph.components
    if parts > 1:
        sizes = ", ".join(f"{c:,}" for c in np.sort(np.bincount(part))[::-1][:5].tolist())
        raise BadInput(
            f"the graph has {parts:,} connected parts, of {sizes}{', …' if parts > 5 else ''} vertices: they are its "
            "clusters; join them (ensure_connected=True, a larger k), or split one of them"
        )
    root = np.sqrt(graph.degree) if normalised else np.ones(graph.n)
    if graph.n <= DENSE:
        L = laplacian(graph) / root[:, None] / root[None, :]
        values, vectors = np.linalg.eigh(L)
        value, u = float(values[1]), vectors[:, 1] / root
    else:
        value, u = iterated(graph, root, tolerance)
    u = u / np.linalg.norm(u)
    lead = u[int(np.argmax(np.abs(u) > 1e-9 * np.abs(u).max()))]
    return value, u if lead < 0.0 else -u


def iterated(graph: Graph, root: Array, tolerance: float) -> tuple[float, Array]:
    """Take preconditioned, locally optimal steps; solve with L where these do not converge."""
    ground = int(np.argmax(graph.degree))
    rest = np.delete(np.arange(graph.n), ground)
    system = solver(graph, rest)
    found = None
    if isinstance(system, Grounded):
        V = smooth_start(graph)
        found = locally_optimal(graph, root * root, V, system, ground, tolerance)
    return inverse_iteration(graph, root, tolerance, system, rest) if found is None else found


def smooth_start(graph: Graph) -> Array:
    """Two functions that change slowly along edges: how much farther a vertex is from one far end than from the other,
    and how far from a third; with a little noise, in case both are orthogonal to the eigenvector."""
    walk = compiled_if_long(hops, len(graph.index))
    queue = np.empty(graph.n, np.int64)

    def far(v: Any) -> Array:
        found = np.full(graph.n, -1.0)
        walk(graph.begins, graph.index, int(v), found, queue)
        return found

    one = far(np.argmax(far(0)))
    two = far(np.argmax(one))
    three = far(np.argmax(np.minimum(one, two)))
    V: Array = np.stack([one - two, three], axis=1)
    V += 1e-4 * V.std() * np.random.default_rng(0).normal(size=V.shape)
    return V


def hops(begins: Any, index: Any, source: int, far: Any, queue: Any) -> None:
    """Write how many edges each vertex is away from the source into `far`, which is -1 everywhere."""
    far[source] = 0.0
    queue[0] = source
    first, last = 0, 1
    while first < last:
        v = queue[first]
        first += 1
        for e in range(begins[v], begins[v + 1]):
            u = index[e]
            if far[u] < 0.0:
                far[u] = far[v] + 1.0
                queue[last] = u
                last += 1


def inverse_iteration(
    graph: Graph, root: Array, tolerance: float, system: Exact | Grounded, rest: Any
) -> tuple[float, Array]:
    """Solve with L again and again for three vectors at once, orthogonal to the constant."""
    n = graph.n
    L = sparse_laplacian(graph)
    first = root / np.linalg.norm(root)
    V = np.random.default_rng(0).normal(size=(n, 3))

    def clean(M: Array) -> Array:
        made: Array = np.linalg.qr(M - first[:, None] * (first @ M))[0]
        return made

    V, value = clean(V), np.inf
    for _ in range(STEPS):
        B = V * root[:, None]
        X: Any = np.zeros_like(V)
        X[rest] = system.solve(B[rest], 1e-3 * tolerance**0.5)
        V = clean(X * root[:, None])
        S = V / root[:, None]
        values, T = np.linalg.eigh(S.T @ (L @ S))
        V = V @ T
        u = V[:, 0]
        left = np.linalg.norm((L @ (u / root)) / root - values[0] * u)
        value = float(values[0])
        if left <= tolerance * value:
            break
    return value, V[:, 0] / root
