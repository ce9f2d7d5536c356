"""The Laplacian of a graph, and the kernel that it makes: neighbours are alike.

    L = D - W;   u' L u = sum over edges of w_ij (u_i - u_j)^2;   kernel: the pseudo-inverse of L
    R_L = its largest diagonal entry;  positive definite: L° = L + (1/R_L) (1/N)(1/N)',  whose inverse is L^+ + R_L 1 1'

Ledger: A-LAPLACIAN; T-LAPLACIAN; lecture 6: A6.7, A6.8, A6.9.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.csr import is_sparse
from ...core.errors import BadInput
from ...core.stream import Array
from .graph import Graph, matrix


def laplacian(weights: Any) -> Array:
    """D - W of a graph, or of a symmetric matrix of weights, none below 0; the diagonal does not count.

    >>> laplacian([[0, 1, 0], [1, 0, 2], [0, 2, 0]]).tolist()
    [[1.0, -1.0, 0.0], [-1.0, 3.0, -2.0], [0.0, -2.0, 2.0]]
    """
    if isinstance(weights, Graph):
        weights = matrix(weights)
    W = weights.toarray() if is_sparse(weights) else np.array(weights, dtype=np.float64)
    if W.ndim != 2 or W.shape[0] != W.shape[1] or not len(W):
        raise BadInput(f"the weights of a graph are a square matrix, not of shape {W.shape}")
    if not np.isfinite(W).all() or (W < 0).any():
        i, j = map(int, np.argwhere(~(np.isfinite(W) & (W >= 0)))[0])
        raise BadInput(f"row {i}, column {j}: the weight of an edge is at least 0, not {W[i, j]:g}")
    if np.abs(W - W.T).max(initial=0.0) > 1e-12 * np.abs(W).max(initial=0.0):
        raise BadInput("the weights of a graph are symmetric; these are not")
    W = (W + W.T) / 2.0
    np.fill_diagonal(W, 0.0)
    made: Array = np.diag(W.sum(axis=1)) - W
    return made


def sparse_laplacian(graph: Graph) -> Any:
    """D - W as a sparse matrix of SciPy."""
    from scipy.sparse import diags_array

    return (diags_array(graph.degree) - matrix(graph)).tocsr()


def cut_size(graph: Graph, labels: Any) -> float:
    """The weight of the edges whose ends have different labels: u' L u / 4 for labels u of -1 and +1 (A6.9, T6.4).

    >>> from littlestone.graphs.algorithms.graph import from_edges
    >>> cut_size(from_edges([(0, 1), (1, 2, 3.0)], 3), ["a", "a", "b"])
    3.0
    """
    u = np.asarray(labels)
    if u.shape != (graph.n,):
        raise BadInput(f"a labelling has one label a vertex, {graph.n}, not the shape {u.shape}")
    a, b, w = graph.pairs()
    return float(w[u[a] != u[b]].sum())


def pseudo_inverse(L: Any) -> Array:
    """L^+, for a connected graph: the inverse of L + 1 1'/N, less 1 1'/N."""
    N = len(L)
    ones = np.full((N, N), 1.0 / N)
    scale = float(np.trace(L)) / N or 1.0
    try:
        made: Array = np.linalg.inv(L + scale * ones) - ones / scale
    except np.linalg.LinAlgError:
        made = np.full((N, N), np.nan)
    if N > 1 and not np.abs(L @ made - (np.eye(N) - ones)).max() <= 1e-6:
        raise BadInput("the graph is not connected: no kernel goes from one part of it to another")
    return (made + made.T) / 2.0


def resistance(L: Any) -> Array:
    """The effective resistances r(i, j) = L^+_ii + L^+_jj - 2 L^+_ij.

    >>> resistance(laplacian([[0, 1, 0], [1, 0, 2], [0, 2, 0]])).round(6).tolist()
    [[0.0, 1.0, 1.5], [1.0, 0.0, 0.5], [1.5, 0.5, 0.0]]
    """
    K = pseudo_inverse(L)
    d = np.diag(K)
    made: Array = d[:, None] + d[None, :] - 2.0 * K
    return made


def positive_definite(L: Any) -> Array:
    """L°, the positive definite Laplacian."""
    N = len(L)
    made: Array = L + 1.0 / (np.diag(pseudo_inverse(L)).max() * N * N)
    return made


def graph_kernel(weights: Any) -> Array:
    """The inverse of the positive definite Laplacian, L^+ + R_L 1 1': a kernel for MEG-IMCSI.

    >>> graph_kernel([[0, 1], [1, 0]]).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    K = pseudo_inverse(laplacian(weights))
    made: Array = K + np.diag(K).max()
    return made
