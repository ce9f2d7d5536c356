"""Gram matrices, block by block, and the test that a function of two examples is a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.csr import as_dense, is_sparse
from ...core.errors import BadInput
from ...core.stream import Array
from .algebra import is_kernel
from .examples import matrix
from .letters import as_wide_as, letters
from .names import kernel_named, refuse_numbers, takes_strings


def examples(kernel: Any, X: Any, what: str) -> Any:
    """X as a matrix of numbers; for kernels of strings a list of strings will do, and is spelt out."""
    if not takes_strings(kernel) or is_matrix(X):
        return matrix(X, what)
    refuse_numbers(kernel, what)
    return letters(X, what)


def is_matrix(X: Any) -> bool:
    """Numbers in two dimensions, of NumPy or scipy.sparse."""
    return is_sparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub")


def both(kernel: Any, X: Any, Z: Any) -> tuple[Any, Any]:
    """X and Z as matrices of the same width, one and the same where there is one Z only."""
    first = examples(kernel, X, "X")
    if Z is None or Z is X:
        return first, first
    second = examples(kernel, Z, "Z")
    if takes_strings(kernel) and not is_sparse(first) and not is_sparse(second):
        first, second = as_wide_as(first, second.shape[1]), as_wide_as(second, first.shape[1])
    return first, second


def blocks(kernel: Any, X: Any, Z: Any = None, block: int = 1024) -> Iterator[tuple[slice, Array]]:
    """K(x, z) for the rows of X, `block` at a time, and all rows of Z (of X where there is no Z).

    What is in memory at any time is O(block |Z|) numbers. X and Z are matrices, dense or of scipy.sparse.

    >>> [
    ...     (rows.start, K.tolist())
    ...     for rows, K in blocks("linear", [[1.0], [2.0], [3.0]], [[2.0]], block=2)
    ... ]
    [(0, [[2.0], [4.0]]), (2, [[6.0]])]
    """
    k: Any = kernel_named(kernel)
    X, Z = both(k, X, Z)
    if X.shape[1] != Z.shape[1]:
        raise BadInput(f"Z must have {X.shape[1]} columns, as X has, not {Z.shape[1]}")
    refuse_block(block)
    k._suits(X, "X")
    if Z is not X:
        k._suits(Z, "Z")
    for at in range(0, X.shape[0], block):
        rows = slice(at, min(at + block, X.shape[0]))
        yield rows, np.asarray(k._gram(X[rows], Z))


def refuse_block(block: Any) -> None:
    if not isinstance(block, (int, np.integer)) or block < 1:
        raise BadInput(f"block must be a whole number of at least 1, not {block!r}")


def gram(kernel: Any, X: Any, Z: Any = None, block: int = 1024) -> Array:
    """The matrix of K(x, z) for the rows x of X and z of Z (of X where there is no Z).

    Inner products go through BLAS; beside the matrix itself, memory is O(block |Z|).

    >>> gram("polynomial:2", [[1.0, 0.0], [0.0, 2.0]]).tolist()
    [[4.0, 1.0], [1.0, 25.0]]
    >>> gram("spectrum:2", ["gatta", "cata"]).tolist()
    [[4.0, 2.0], [2.0, 3.0]]
    """
    k: Any = kernel_named(kernel)
    X, Z = both(k, X, Z)
    K = np.empty((X.shape[0], Z.shape[0]))
    if X is Z and takes_strings(k):  # no BLAS, and a long loop a pair: one half is enough
        refuse_block(block)
        k._suits(X, "X")
        for at in range(0, len(K), block):
            rows = slice(at, at + block)
            K[rows, at:] = k._gram(X[rows], X[at:])
            K[at:, rows] = K[rows, at:].T
        return K
    for rows, part in blocks(k, X, Z, block):
        K[rows] = part
    return K


def diagonal(kernel: Any, X: Any) -> Array:
    """K(x, x) of every row, in O(1) memory a row.

    >>> diagonal("all-subsets", [[1, 1, 0], [1, 1, 1]]).tolist()
    [4.0, 8.0]
    """
    k: Any = kernel_named(kernel)
    X = examples(k, X, "X")
    k._suits(X, "X")
    if takes_strings(k):
        return np.asarray(k._diagonal(X))
    return np.array([k._gram(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(X.shape[0])])


def is_psd(kernel: Any, X: Any, tolerance: float = 1e-9) -> bool:
    """Is the matrix of these examples symmetric, with no eigenvalue below -tolerance times the largest?

    `kernel` may be any function of two vectors, or a kernel of strings. Yes is no proof, no is one.

    >>> is_psd("gaussian", [[0.0], [1.0]]), is_psd(lambda x, z: -x @ z, [[0.0], [1.0]])
    (True, False)
    """
    if isinstance(kernel, str):
        kernel = kernel_named(kernel)
    if is_kernel(kernel):
        X = examples(kernel, X, "X")
        kernel._suits(X, "X")
        K = kernel._gram(X, X)
    else:
        X = matrix(X, "X")
        X = as_dense(X)
        K = np.array([[float(kernel(x, z)) for z in X] for x in X]).reshape(len(X), len(X))
    top = float(np.abs(K).max(initial=0.0))
    if top == 0.0:
        return True
    if not np.abs(K - K.T).max() <= tolerance * top:
        return False
    return bool(np.linalg.eigvalsh((K + K.T) / 2.0)[0] >= -tolerance * top * len(K))
