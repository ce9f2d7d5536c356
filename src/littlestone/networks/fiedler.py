"""The second eigenvector of the Laplacian of a connected graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array
from .graph import Graph
from .grounded import Grounded
from .laplacian import laplacian, sparse_laplacian
from .solver import Exact, solver

DENSE = 500  # vertices up to which all eigenvectors are computed
STEPS = 200


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
    """Locally optimal steps, preconditioned; solves with L where these do not get there."""
    ground = int(np.argmax(graph.degree))
    rest = np.delete(np.arange(graph.n), ground)
    system = solver(graph, rest)
    V = np.random.default_rng(0).normal(size=(2, graph.n))
    found = None
    if isinstance(system, Grounded):
        found = locally_optimal(graph, root * root, V, system, rest, tolerance)
    return inverse_iteration(graph, root, tolerance, system, rest) if found is None else found


def locally_optimal(
    graph: Graph, mass: Array, V: Array, system: Grounded, rest: Any, tolerance: float
) -> tuple[float, Array] | None:
    """The least eigenvalue of L u = value mass u beside 0: Rayleigh-Ritz over V, its residual after the factor, and the
    last step (Knyazev's LOBPCG), two vectors at once; None where it stalls.

    Each step takes one application of the factor a vector, and no solve.
    """
    from scipy.linalg import eigh

    m, n = V.shape
    L, total, alike = sparse_laplacian(graph).tocsr(), mass.sum(), bool((mass == mass[0]).all())
    S, LS = np.zeros((3 * m, n)), np.zeros((3 * m, n))  # V, the residuals W, the last steps P
    S[:m] = V - (V @ mass / total)[:, None]
    for k in range(m):
        LS[k] = L @ S[k]
    used = m
    for step in range(STEPS):
        A = S[:used] @ LS[:used].T
        B = mass[0] * (S[:used] @ S[:used].T) if alike else (S[:used] * mass) @ S[:used].T
        try:
            values, T = eigh(0.5 * (A + A.T), 0.5 * (B + B.T), subset_by_index=(0, m - 1))
        except np.linalg.LinAlgError:  # the last step is nearly zero: without it
            if used <= 2 * m:
                return None
            used = 2 * m
            continue
        if step:
            new = np.concatenate([T.T, np.concatenate([np.zeros((m, m)), T[m:]]).T])
            S[:m], S[2 * m :] = np.split(new @ S[:used], 2)
            LS[:m], LS[2 * m :] = np.split(new @ LS[:used], 2)
            for k in range(2 * m, 3 * m):
                size = max(float(np.linalg.norm(S[k])), 1e-300)
                S[k] /= size
                LS[k] /= size
        else:
            S[:m], LS[:m] = T.T @ S[:m], T.T @ LS[:m]
        R = LS[:m] - values[:, None] * S[:m] * (mass[0] if alike else mass)
        if np.linalg.norm(R[0] / np.sqrt(mass)) <= tolerance * values[0]:
            return float(values[0]), S[0].copy()
        for k in range(m):
            w = S[m + k]
            w[:] = 0.0
            w[rest] = system.precondition(R[k, rest])
            w -= (w @ mass) / total
            w /= np.linalg.norm(w)
            LS[m + k] = L @ w
        used = 3 * m if step else 2 * m
    return None


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
