"""The quasi-dimension of a matrix: how well its factors agree with what is known about rows and columns.

    D = inf over P Q' = margin U, rows of P and Q of length 1, of  R_M tr(P' M P) + R_N tr(Q' N Q)

M and N are positive definite, their inverses the kernels, R_M = max_i (M^-1)_ii. The infimum need not be attained;
where printed text says that it does not exist, no P and Q meet the constraint (E-QUASI): the max-norm of U exceeds
1/margin, and it is infinite. It is m + n where M and N are the identity. Herbster, Pasteris & Tse (2020).
Ledger: A-QUASIDIM; T-QUASI-ID, T-QUASI-A, T-QUASI-B, T-MEG-MARGIN.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array
from .biclusters import one_hot


def largest(M: Any) -> float:
    """R_M, the largest diagonal entry of the kernel M^-1."""
    return float(np.diag(np.linalg.inv(np.asarray(M, float))).max())


def objective(P: Any, Q: Any, M: Any = None, N: Any = None) -> float:
    """R_M tr(P' M P) + R_N tr(Q' N Q) of factors whose rows have length 1: an upper bound on the quasi-dimension.

    >>> objective([[1.0], [-1.0]], [[1.0]])
    3.0
    """
    total = 0.0
    for F, K in ((np.asarray(P, float), M), (np.asarray(Q, float), N)):
        if F.ndim != 2 or not np.allclose((F**2).sum(axis=1), 1.0, atol=1e-9):
            raise BadInput("the rows of the factors of a quasi-dimension have length 1")
        total += float((F**2).sum()) if K is None else largest(K) * float(np.trace(F.T @ K @ F))
    return total


def expansion(classes: Any, M: Any) -> float:
    """R_M tr(R' M R) of class labels: how much the graph (or what M is) disagrees with them."""
    R = one_hot(classes)
    return float((R**2).sum()) if M is None else largest(M) * float(np.trace(R.T @ M @ R))


def bound_by_classes(row_class: Any, column_class: Any, M: Any = None, N: Any = None) -> float:
    """k R_M tr(R' M R) + l R_N tr(C' N C), for k classes of rows and l of columns (T-QUASI-A); m or n without a kernel.

    >>> bound_by_classes([0, 0, 1], [0, 0])
    5.0
    """
    total = 0.0
    for c, K in ((row_class, M), (column_class, N)):
        k = len(np.unique(c))
        total += float(len(c)) if K is None else k * expansion(c, K)
    return total


def bound_by_graphs(row_class: Any, column_class: Any, M: Any, N: Any) -> float:
    """2 R_M tr(R' M R) + 2 R_N tr(C' N C) + 2k + 2l, for positive definite Laplacians M and N (T-QUASI-A)."""
    k, n = len(np.unique(row_class)), len(np.unique(column_class))
    return 2 * expansion(row_class, M) + 2 * expansion(column_class, N) + 2 * k + 2 * n


def bound_by_columns(core: Any, column_class: Any, M: Any, N: Any) -> float:
    """tr(U*' M U*) R_M / l + R_N tr(C' N C) for U = U* C', at the margin 1/sqrt(l) (T-QUASI-B)."""
    U = np.asarray(core, float)
    half = float((U**2).sum()) if M is None else largest(M) * float(np.trace(U.T @ M @ U))
    return float(half / U.shape[1] + expansion(column_class, N))


def potential(P: Any, Q: Any, M: Any = None, N: Any = None) -> Array:
    """What MEG-IMCSI competes with: Z Z', Z = [sqrt(R_M) M^(1/2) P ; sqrt(R_N) N^(1/2) Q] (T-MEG-MARGIN)."""
    halves = []
    for F, K in ((np.asarray(P, float), M), (np.asarray(Q, float), N)):
        if K is None:
            halves.append(F)
            continue
        w, E = np.linalg.eigh(np.asarray(K, float))
        halves.append(math.sqrt(largest(K)) * (E * np.sqrt(np.maximum(w, 0.0))) @ E.T @ F)
    Z = np.vstack(halves)
    made: Array = Z @ Z.T
    return made
