"""Solve with the Laplacian of a graph from which some vertices are taken out: exactly where it is small, else by
conjugate gradients with an approximate Cholesky factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.stream import Array
from ...engine.compile import has_numba
from .graph import Graph, matrix
from .grounded import Grounded
from .laplacian import sparse_laplacian

DIRECT = 2000  # for at most so many vertices SciPy's sparse LU is as fast, and exact
PLAIN = 200_000  # the same where the loops are not compiled


class Exact:
    """A sparse LU factor."""

    def __init__(self, A: Any) -> None:
        from scipy.sparse.linalg import splu

        self.factor = splu(A.tocsc())

    def solve(self, b: Any, tolerance: float = 0.0) -> Array:
        made: Array = self.factor.solve(np.asarray(b, np.float64))
        return made


def solver(graph: Graph, free: Any, extra: Any = None) -> Exact | Grounded:
    """A solver of (L_UU + diag(extra)) x = b for the vertices U = `free`: each connected part of U must be joined to a
    vertex outside U, or have an entry of `extra` above 0."""
    if len(free) <= (DIRECT if has_numba() else PLAIN):
        from scipy.sparse import diags_array

        L = sparse_laplacian(graph)[free][:, free]
        return Exact(L if extra is None else L + diags_array(np.asarray(extra, np.float64)))
    W = matrix(graph)[free][:, free].tocsr()
    inside: Any = np.bincount(np.repeat(np.arange(len(free)), np.diff(W.indptr)), W.data, len(free))
    degree = graph.degree[free]
    ground = degree - inside
    ground[ground < 1e-13 * degree] = 0.0  # for a vertex without fixed neighbours this is rounding
    if extra is not None:
        ground = ground + extra
    return Grounded(W.indptr, W.indices, W.data, ground)
