"""Kernels of a directed graph without cycles: the sum over its paths of the product of the kernels along a path."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.stream import Array
from .algebra import bounded_array
from .examples import matrix
from .gram import gram
from .names import KERNELS, kernel_named


class PathKernel:
    """sum over paths from start to end of prod over the edges of a path of their kernels, one step a vertex and edge.

    edges       (from, to, kernel): a kernel or its name; a whole number i for x_i z_i; or a float >= 0, a constant
    start, end  vertices

        value(start) = 1,   value(v) = sum over edges u -> v of value(u) K_uv(x, z)

    Sums and products of kernels are kernels, so each value is one. Many kernels are of this kind: a chain whose steps
    are `1` or `x_i z_i` is the all-subsets kernel, a grid of them the ANOVA kernel.

    >>> chain = [(i, i + 1, k) for i in range(3) for k in (1.0, i)]
    >>> k = PathKernel(chain, 0, 3)
    >>> k([[1, 1, 0]], [[1, 1, 1]]).tolist()  # (1 + 1) (1 + 1) (1 + 0)
    [[4.0]]

    It makes matrices: `SVC(kernel=k)`, `refute("precomputed", k(X))`. Ledger: A-PATH-KERNEL; A2.25.
    """

    def __init__(
        self, edges: Iterable[tuple[Hashable, Hashable, Any]], start: Hashable, end: Hashable
    ) -> None:
        self.edges = [tuple(e) for e in edges]
        self.start, self.end = start, end
        into: dict[Any, list[tuple[Any, Any]]] = {start: [], end: []}
        for e in self.edges:
            if len(e) != 3:
                raise BadInput(f"PathKernel: an edge is (from, to, kernel), not {e!r:.60}")
            into.setdefault(e[0], [])
            into.setdefault(e[1], []).append((e[0], step(e[2])))
        try:
            self.order = list(
                TopologicalSorter({v: [u for u, _ in es] for v, es in into.items()}).static_order()
            )
        except CycleError as error:
            raise BadInput(f"PathKernel: the edges have a cycle: {error.args[1]!r:.80}") from None
        self.into = into

    def __call__(self, X: Any, Z: Any = None) -> Array:
        """The matrix of K(x, z) for the rows of X and of Z, or for all pairs of X."""
        X = matrix(X, "X")
        Z = X if Z is None else matrix(Z, "Z")
        if Z.shape[1] != X.shape[1]:
            raise BadInput(f"Z must have {X.shape[1]} columns, as X has, not {Z.shape[1]}")
        X, Z = (as_dense(M) for M in (X, Z))
        values: dict[Any, Array] = {}
        with np.errstate(over="ignore"):
            for v in self.order:
                total = np.full((len(X), len(Z)), float(v == self.start))
                for u, k in self.into[v]:
                    total = bounded_array(total + values[u] * along(k, X, Z))
                values[v] = total
        return values[self.end]

    gram = __call__


def step(k: Any) -> Any:
    """The kernel of an edge, checked."""
    if isinstance(k, (*KERNELS, str)):
        return kernel_named(k, "PathKernel")
    if isinstance(k, bool) or not isinstance(k, (int, float, np.number)) or not 0 <= k < np.inf:
        raise BadInput(
            f"PathKernel: an edge carries a kernel, the number of a feature or a constant of at least 0, not {k!r:.40}"
        )
    return int(k) if isinstance(k, (int, np.integer)) else float(k)


def along(k: Any, X: Any, Z: Any) -> Any:
    if isinstance(k, float):
        return k
    if isinstance(k, int):
        if k >= X.shape[1]:
            raise BadInput(
                f"PathKernel: an edge is for feature {k}, and X has {X.shape[1]}: 0 to {X.shape[1] - 1}"
            )
        return np.outer(X[:, k], Z[:, k])
    return gram(k, X, Z)
