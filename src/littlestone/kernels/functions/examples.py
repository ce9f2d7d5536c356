"""The examples that kernels are computed of: matrices of finite numbers, as wide as the kernel asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.csr import is_sparse
from ...core.errors import BadInput
from ...core.stream import Array


def matrix(X: Any, what: str) -> Any:
    """A matrix of finite numbers: scipy.sparse as CSR, anything else dense."""
    try:
        M = X.tocsr() if is_sparse(X) else np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{what} must be a matrix of numbers, not {X!r:.60}") from None
    if M.ndim != 2:
        raise BadInput(f"{what} must have two dimensions, a row an example, not shape {M.shape}")
    return finite(M, what)


def only_row(x: Any, what: str) -> Array:
    """A vector, or a number, as a matrix of one row."""
    try:
        v = np.atleast_1d(np.asarray(x, dtype=np.float64))
    except (TypeError, ValueError):
        raise BadInput(f"{what} must be a vector of numbers, not {x!r:.60}") from None
    if v.ndim != 1:
        raise BadInput(f"{what} must be one vector, not of shape {v.shape}; gram takes matrices")
    row: Array = finite(v[None, :], what)
    return row


def finite(M: Any, what: str) -> Any:
    return every(M, what, np.isfinite, "a finite number")


def sets(M: Any, what: str) -> Any:
    return every(M, what, lambda v: (v == 0.0) | (v == 1.0), "0 or 1: sets are 0/1 vectors")


def every(M: Any, what: str, holds: Callable[[Any], Any], wanted: str) -> Any:
    """M, if every entry is as wanted; or else the first that is not is named."""
    sparse = is_sparse(M)  # what is left out is 0, and that is always right
    v = M.data if sparse else M
    bad = ~holds(v)
    if bad.any():
        k = int(np.argmax(bad))
        r, c = divmod(k, M.shape[1])
        if sparse:
            r, c = int(np.searchsorted(M.indptr, k, side="right")) - 1, int(M.indices[k])
        raise BadInput(f"{what}: row {r + 1}, column {c + 1} is {v.flat[k]:g}; it must be {wanted}")
    return M


def as_wide(A: Any, X: Any, what: str, kernel: str) -> None:
    """Refuse examples that a matrix cannot be multiplied with."""
    wide = np.shape(A)[1]
    if X.shape[1] != wide:
        raise BadInput(
            f"A of the {kernel} kernel is for {wide} features, and {what} has {X.shape[1]}"
        )
