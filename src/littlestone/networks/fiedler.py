"""The second eigenvector of the Laplacian of a connected graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array
from .graph import Graph
from .laplacian import laplacian, sparse_laplacian
from .solver import solver

DENSE = 500  # vertices up to which all eigenvectors are computed
STEPS = 200


def fiedler(graph: Graph, normalised: bool = False, tolerance: float = 1e-6) -> tuple[float, Array]:
    """lambda_2 of L and its eigenvector of length 1 (of D^-1/2 L D^-1/2, then divided by D^1/2, where `normalised`).

    The first entry that is not 0 is negative. Inverse iteration in a block of three, with Rayleigh-Ritz; the relative
    error of the eigenvalue is about the square of `tolerance`.

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
        value, u = inverse_iteration(graph, root, tolerance)
    u = u / np.linalg.norm(u)
    lead = u[int(np.argmax(np.abs(u) > 1e-9 * np.abs(u).max()))]
    return value, u if lead < 0.0 else -u


def inverse_iteration(graph: Graph, root: Array, tolerance: float) -> tuple[float, Array]:
    """Solve with L again and again for three vectors at once, orthogonal to the constant."""
    n = graph.n
    L = sparse_laplacian(graph)
    ground = int(np.argmax(graph.degree))
    rest = np.setdiff1d(np.arange(n), [ground])
    system = solver(graph, rest)
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
