"""What is known about rows (or columns) beforehand: a kernel over them, dense, sparse, over time, or the identity.

    K(i, j) says how much alike i and j are; R = max K(i, i)

A learner needs nothing of it but products with vectors, so a sparse kernel stays sparse, the path-tree kernel costs
O(log T) a position, and the identity takes no room.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.csr import is_sparse
from ..core.errors import BadInput
from ..core.stream import Array
from .path_tree import height, leaf_resistance

SPARSE = 8  # a matrix with fewer than one entry in so many is multiplied as a sparse one
LIMIT = 1 << 27  # entries that a kernel may have: 1 GB
PROVED = 4000  # rows up to which a kernel is checked by a factorisation of the whole matrix


class Side(NamedTuple):
    """A kernel over rows or columns; without entries and levels it is the identity."""

    dense: Array  # m x m, or empty
    begins: Any  # of a sparse one: where each row begins, ...
    index: Any  # ... the columns of its entries, ...
    entry: Array  # ... and the entries
    top: float  # R, the largest K(i, i) (or a number above it)
    levels: int = 0  # of the tree, where it is the path-tree kernel

    @property
    def is_known(self) -> bool:
        return bool(len(self.dense) or len(self.begins) or self.levels)


def identity() -> Side:
    """Nothing is known: no two rows are alike."""
    return Side(np.zeros((0, 0)), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), 1.0)


def side(kernel: Any, size: int, name: str = "kernel", top: float | None = None) -> Side:
    """A kernel as a learner keeps it: checked to be square, symmetric and positive semidefinite.

    "path-tree" is the kernel over time of path_tree.py, by its closed form.
    `top` is R, where more rows are to come and it must be an upper bound.

    >>> side(np.array([[2.0, 1.0], [1.0, 2.0]]), 2).top
    2.0
    """
    if isinstance(kernel, Side):
        shape = len(kernel.dense) or len(kernel.begins) - 1
        if shape >= 0 and shape != size:
            raise BadInput(f"{name} must have {size} rows and columns, not {shape}")
        return kernel
    if isinstance(kernel, str) and kernel == "path-tree":
        return identity()._replace(top=2.0 * float(leaf_resistance(size)), levels=height(size))
    if kernel is None:
        return identity()
    sparse = is_sparse(kernel)
    K = square_matrix(kernel, size, name, sparse)
    refuse(K, name)
    R = largest_entry(K, name, top)
    if not sparse and np.count_nonzero(K) * SPARSE < K.size:
        from scipy.sparse import csr_array

        K, sparse = csr_array(K), True
    none = identity()
    if not sparse:
        return none._replace(dense=np.ascontiguousarray((K + K.T) / 2.0), top=R)
    K.sum_duplicates()
    return Side(
        none.dense, K.indptr.astype(np.int64), K.indices.astype(np.int64), K.data.astype(np.float64), R
    )  # fmt: skip


def square_matrix(kernel: Any, size: int, name: str, sparse: bool) -> Any:
    """A kernel as a matrix of numbers, sparse or not."""
    try:
        K: Any = kernel.tocsr().astype(np.float64) if sparse else np.array(kernel, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name} must be a square matrix of numbers, not {kernel!r:.60}") from None
    if K.ndim != 2 or K.shape != (size, size):
        raise BadInput(f"{name} must have {size} rows and columns, not the shape {K.shape}")
    return K


def largest_entry(K: Any, name: str, top: float | None) -> float:
    """The largest K(i, i), or `top`, which must be at least as large."""
    R = float(K.diagonal().max(initial=0.0))
    if R <= 0.0:
        raise BadInput(f"{name} has no entry above 0 on its diagonal: it says that all is 0")
    if top is not None and not top >= R:
        raise BadInput(f"{name}: its largest diagonal entry is {R:g}, above {top:g}")
    return R if top is None else float(top)


def refuse(K: Any, name: str) -> None:
    """Name the entry that is not a number, or not that of its mirror image; refuse what no kernel has."""
    from scipy.sparse import coo_array

    sparse = is_sparse(K)
    if (K.nnz if sparse else K.size) > LIMIT:
        raise BadInput(f"{name} has more than {LIMIT:,} entries")
    flat = coo_array(K) if sparse else None
    values = flat.data if flat is not None else K.reshape(-1)
    bad = ~np.isfinite(values)
    if bad.any():
        e = int(np.argmax(bad))
        r, c = (flat.coords[0][e], flat.coords[1][e]) if flat is not None else divmod(e, len(K))
        raise BadInput(f"{name}, row {int(r)}, column {int(c)}: {values[e]:g} is no number")
    top = float(np.abs(values).max(initial=0.0))
    skew = abs(K - K.T)
    if skew.max() > 1e-9 * top:
        at = int(skew.argmax())
        r, c = divmod(at, K.shape[0])
        raise BadInput(
            f"{name} is not symmetric: row {r}, column {c} holds {K[r, c]:g}, its mirror image {K[c, r]:g}"
        )
    if not semidefinite(K, top):
        raise BadInput(f"{name} is not positive semidefinite: some vector has a negative square")


def semidefinite(K: Any, top: float) -> bool:
    """Has a symmetric matrix no eigenvalue below what rounding explains?"""
    from scipy.linalg import LinAlgError, cholesky

    rest = np.asarray(abs(K).sum(axis=1)).reshape(-1) - abs(K.diagonal())
    if (K.diagonal() >= rest).all():  # Gershgorin
        return True
    slack = 1e-10 * top * K.shape[0]
    if K.shape[0] > PROVED and is_sparse(K):
        from scipy.sparse.linalg import eigsh

        return bool(eigsh(K, 1, which="SA", return_eigenvectors=False)[0] >= -slack)
    D = K.toarray() if is_sparse(K) else K.copy()
    D[np.diag_indices_from(D)] += slack
    try:
        cholesky(D, lower=True, check_finite=False, overwrite_a=True)
    except LinAlgError:
        return False
    return True


def multiply(side: Any, c: Any, f: Any, begin: int, size: int) -> None:
    """f = K c / 2R on the places begin, …, begin + size - 1, which belong to the rows of a kernel."""
    half = 0.5 / side.top
    if side.dense.shape[0] > 0:
        for s in range(size):
            f[begin + s] = 0.0
        for r in range(size):
            v = half * c[begin + r]
            if v != 0.0:  # rows that were never met weigh nothing
                for s in range(size):
                    f[begin + s] += v * side.dense[r, s]
    elif side.levels > 0:
        blocks(side, c, f, begin, size)
    else:
        for r in range(size):
            v = 0.0
            for e in range(side.begins[r], side.begins[r + 1]):
                v += side.entry[e] * c[begin + side.index[e]]
            f[begin + r] = half * v


def blocks(side: Any, c: Any, f: Any, begin: int, size: int) -> None:
    """The same for the path-tree kernel: 2 R_L - h, and 1 for each level at which two positions share a block."""
    half, total = 0.5 / side.top, 0.0
    for s in range(size):
        total += c[begin + s]
    for s in range(size):
        f[begin + s] = half * (side.top - side.levels) * total
    wide = 1
    for _ in range(side.levels):
        for a in range(0, size, wide):
            part = 0.0
            for s in range(a, min(a + wide, size)):
                part += c[begin + s]
            if part != 0.0:
                for s in range(a, min(a + wide, size)):
                    f[begin + s] += half * part
        wide *= 2
