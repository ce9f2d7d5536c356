"""Many examples, dense (a matrix) or sparse (Rows): parts of them, and states that grow with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import BadInput
from .vectors import Constant, Rows

BIG = 1e150  # beyond this the square of a feature leaves the range of floats


def count(X: Any) -> int:
    """How many rows are there?"""
    if isinstance(X, Rows):
        return len(X.indptr) - 1
    return count(X[0]) if isinstance(X, tuple) else len(X)


def flat(X: Any) -> Any:
    """All numbers, in one row."""
    return X.value if isinstance(X, Rows) else X.reshape(-1)


def part(X: Any, a: int, b: int) -> Any:
    """The rows a, …, b - 1, without copying what they hold."""
    if isinstance(X, Rows):
        i, j, indptr = X.indptr[a], X.indptr[b], X.indptr[a : b + 1]
        return Rows(indptr - i if i else indptr, X.index[i:j], X.value[i:j])
    if isinstance(X, tuple):
        return type(X)(*[part(v, a, b) for v in X])
    return X[a:b]


def take(X: Any, rows: Any) -> Any:
    """Some rows, as arrays of their own."""
    if isinstance(X, Rows):
        rows = np.arange(count(X))[rows] if isinstance(rows, slice) else np.asarray(rows)
        sizes = (X.indptr[1:] - X.indptr[:-1])[rows]
        indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        at = np.repeat(X.indptr[:-1][rows] - indptr[:-1], sizes) + np.arange(indptr[-1])
        return Rows(indptr, X.index[at], X.value[at])
    if isinstance(X, tuple):
        return type(X)(*[take(v, rows) for v in X])
    if isinstance(rows, slice):
        return np.ascontiguousarray(X[rows])
    return np.take(X, rows, axis=0)  # 31 ns a row of 8 numbers, where X[rows] takes 81


def join(A: Any, B: Any) -> Any:
    """The rows of A, and then those of B."""
    if isinstance(A, Rows):
        indptr = np.concatenate([A.indptr, A.indptr[-1] + B.indptr[1:]])
        return Rows(indptr, np.concatenate([A.index, B.index]), np.concatenate([A.value, B.value]))
    if isinstance(A, tuple):
        return type(A)(*[join(a, b) for a, b in zip(A, B, strict=True)])
    return np.concatenate([A, B])


def width_of(X: Any) -> int:
    """How many features are there: columns, or one more than the largest index?"""
    if isinstance(X, Rows):
        if len(X.index) and int(X.index.min()) < 0:
            raise BadInput(
                f"a sparse example has the index {int(X.index.min())}: they count from 0"
            )
        return int(X.index.max()) + 1 if len(X.index) else 0
    return int(X.shape[1])


def with_constant(X: Any, intercept: bool) -> Any:
    """The rows as the loop gets them: with a constant as coordinate 0 where the learner has an intercept."""
    if not intercept:
        return X
    if isinstance(X, Rows):
        widest = int((X.indptr[1:] - X.indptr[:-1]).max(initial=0)) + 1
        return Constant(X, np.zeros(widest, np.int32), np.zeros(widest))
    return Constant(X, np.zeros(0, np.int32), np.zeros(X.shape[1] + 1))


def capacity(width: int, intercept: bool, sparse: bool) -> int:
    """How many coordinates a state has room for: all of dense examples; of sparse ones a power of two, 16 or more.

    Features that are hashed fill a power of two, and stay that many: a constant takes one place more, not twice as many
    (of 2^18 features with 8 numbers each, 16 MB that would be filled before the first round).

    >>> capacity(1 << 18, True, True) - (1 << 18), capacity(20, True, True)
    (1, 32)
    """
    n = width + int(intercept)
    room = 1 << max(4, (n - 1).bit_length())
    return n if not sparse or room == 2 * width > 16 else room


def corner(old: Any, new: Any) -> Any:
    """`new`, with `old` in the corner of each of its arrays; in place, where both lie in the same memory."""
    if isinstance(old, np.ndarray):
        if old.shape == new.shape:
            return old
        if new.base is not None and new.base is old.base:
            return new
        whole = np.zeros([max(a, b) for a, b in zip(old.shape, new.shape, strict=True)], old.dtype)
        for piece in (new, old):
            whole[tuple(slice(0, k) for k in piece.shape)] = piece
        return whole
    if isinstance(old, tuple):
        return type(old)(*[corner(a, b) for a, b in zip(old, new, strict=True)])
    return old


ONES = np.empty(0)  # the array that `unit_weights` shares and lets grow


def unit_weights(rows: int) -> Any:
    """Importances of rounds that all count the same: ones, in an array that all runs share."""
    global ONES
    if len(ONES) < rows:
        ONES = np.ones(rows)
        ONES.flags.writeable = False
    return ONES[:rows]


def are_units(h: Any) -> bool:
    """Are these importances the ones that all runs share?"""
    return h.base is ONES
