"""SciPy's sparse matrices and arrays -> rows that compiled code may trust."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import BadInput
from .vectors import Rows

WIDEST = 2**31 - 1  # an index is an int32


def is_sparse(data: object) -> bool:
    """Is it a sparse matrix or array of SciPy, which is not imported for that?"""
    return hasattr(data, "tocsr")


def as_dense(data: Any) -> Any:
    """A sparse matrix as a dense one; anything else as it is.

    >>> from scipy.sparse import csr_array
    >>> as_dense(csr_array([[0.0, 2.0]])), as_dense([[0.0, 2.0]])
    (array([[0., 2.]]), [[0.0, 2.0]])
    """
    return data.toarray() if is_sparse(data) else data


def rows_of(data: Any) -> Rows:
    """CSR, CSC, COO and the others; indices need not be sorted, those that occur twice are summed.

    Compiled loops do not check bounds, so that what a matrix says of itself is checked here.

    >>> from scipy.sparse import coo_array
    >>> rows_of(coo_array(([1.0, 2.0, 4.0], ([1, 1, 0], [3, 3, 0])), shape=(2, 5)))
    Rows(indptr=array([0, 1, 2]), index=array([0, 3], dtype=int32), value=array([4., 3.]))
    """
    if len(data.shape) != 2:
        raise BadInput(f"examples must have two dimensions, not the shape {data.shape}")
    if data.shape[1] > WIDEST:
        raise BadInput(f"examples: {data.shape[1]:,} columns; at most {WIDEST:,} can be used")
    if np.dtype(data.dtype).kind not in "biuf":
        raise BadInput(f"examples: a sparse matrix of {data.dtype} does not hold numbers")
    try:
        matrix = data.tocsr()
    except ValueError as error:  # COO with an index outside its shape
        raise BadInput(f"examples: the sparse matrix is inconsistent: {error}") from None
    indptr, index, value = matrix.indptr, matrix.indices, matrix.data
    rows, columns = data.shape
    if (
        indptr.shape != (rows + 1,)
        or indptr[0] != 0
        or (indptr[1:] < indptr[:-1]).any()
        or indptr[-1] > min(len(index), len(value))
    ):
        raise BadInput("examples: the sparse matrix is inconsistent: its indptr is wrong")
    index, value = index[: indptr[-1]], value[: indptr[-1]]
    if largest(index) >= columns:
        bad = (index < 0) | (index >= columns)
        spot = int(bad.argmax())
        row = int(np.searchsorted(indptr, spot, side="right"))
        raise BadInput(
            f"examples: row {row} of the sparse matrix has an entry in column {index[spot]}, "
            f"and there are {columns}"
        )
    found = Rows(
        indptr.astype(np.int64),
        np.ascontiguousarray(index, dtype=np.int32),
        np.ascontiguousarray(value, dtype=np.float64),
    )
    return sum_duplicates(found)


def largest(index: Any) -> int:
    """The largest index, -1 where there is none. A negative index counts as very large, so one check finds both."""
    if index.dtype.kind != "i":
        return int(index.max(initial=-1))
    return int(np.ascontiguousarray(index).view(f"u{index.itemsize}").max()) if len(index) else -1


def sum_duplicates(rows: Rows) -> Rows:
    """Rows in canonical form: indices rise, and one that occurs twice in a row (two names, one hash) occurs once.

    The sum of a row's products depends in its last bits on the order of its entries. So each row gets one order,
    whatever the order in which its entries came, and whichever rows come with it.

    >>> sum_duplicates(Rows(np.array([0, 3]), np.array([7, 2, 7]), np.array([1.0, 2.0, 3.0])))
    Rows(indptr=array([0, 2]), index=array([2, 7], dtype=int32), value=array([2., 4.]))
    """
    if rises(rows):
        return rows
    counts = np.diff(rows.indptr)
    width = int(rows.index.max(initial=0)) + 1
    row = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    place = row * width + rows.index
    order = np.argsort(place, kind="stable")  # rows are in order already: half the time of a sort
    inside = place[order]
    new = np.append(True, inside[1:] != inside[:-1])
    if new.all():
        return Rows(rows.indptr, rows.index[order].astype(np.int32), rows.value[order])
    order = np.lexsort(
        (rows.value, place)
    )  # entries of one place are added in the order of their values
    value = np.bincount(np.cumsum(new) - 1, weights=rows.value[order])
    once = inside[new]
    indptr = np.searchsorted(once, np.arange(len(counts) + 1, dtype=np.int64) * width)
    return Rows(indptr.astype(np.int64), (once % width).astype(np.int32), value)


def rises(rows: Rows) -> bool:
    """Do the indices of each row rise, as in CSR's canonical form? Then none occurs twice."""
    falls = rows.index[1:] <= rows.index[:-1]
    begins = rows.indptr[1:-1]
    falls[begins[(begins > 0) & (begins < len(rows.index))] - 1] = False
    return not falls.any()
