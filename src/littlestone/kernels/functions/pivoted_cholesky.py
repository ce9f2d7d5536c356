"""A kernel matrix by a few of its columns: pivoted incomplete Cholesky (dual Gram-Schmidt)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .gram import diagonal, gram
from .names import kernel_named


class LowRank(NamedTuple):
    """K is at most `error` (a trace) away from G G', and K - G G' is positive semidefinite."""

    G: Array  # a row an example: features whose inner products are K, up to the error
    pivots: tuple[int, ...]  # the examples whose columns were used
    error: float  # the trace of K - G G', exactly; every entry of it is at most that


def pivoted_cholesky(
    kernel: Any, X: Any, rank: int | None = None, tolerance: float = 1e-10
) -> LowRank:
    """Take the example that is worst represented, again and again, until `rank` columns or until the error is small.

    tolerance  of the error, relative to the trace of K

    >>> found = pivoted_cholesky("linear", [[3.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    >>> found.pivots, len(found.G[0]), found.error < 1e-9
    ((2, 0), 2, True)

    O(m r^2) and r columns of K for rank r: K itself is never made. Ledger: A-CHOLESKY; A2.26.
    """
    k: Any = kernel_named(kernel)
    left = diagonal(k, X).copy()
    m = len(left)
    most = m if rank is None else rank
    if isinstance(rank, bool) or (
        rank is not None and (not isinstance(rank, (int, np.integer)) or rank < 1)
    ):
        raise BadInput(f"pivoted_cholesky: rank must be a whole number, 1 or more, not {rank!r}")
    whole = float(left.sum())
    G = np.zeros((m, min(most, m)))
    pivots: list[int] = []
    for r in range(G.shape[1]):
        p = int(np.argmax(left))
        if left.sum() <= tolerance * whole or left[p] <= 0.0:
            break
        column = gram(k, X, X[p : p + 1])[:, 0] - G[:, :r] @ G[p, :r]
        G[:, r] = column / np.sqrt(left[p])
        left = np.maximum(left - G[:, r] ** 2, 0.0)
        left[[*pivots, p]] = 0.0
        pivots.append(p)
    return LowRank(G[:, : len(pivots)], tuple(pivots), float(left.sum()))
