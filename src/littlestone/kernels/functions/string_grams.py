"""Gram matrices of strings: what compiled_strings.py computes, with strings of like length side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.stream import Array
from .letters import lengths


def leading(X: Any, Z: Any) -> int:
    """How many of the first rows of Z are the rows of X, in the same place of memory: all of them, or none."""
    same = X.__array_interface__["data"][0] == Z.__array_interface__["data"][0]
    alike = X.dtype == Z.dtype and X.shape[1] == Z.shape[1] and X.strides == Z.strides
    return len(X) if same and alike and len(X) <= len(Z) else 0


def pair_strings(
    X: Any, Z: Any, recursion: str, weights: Any, a: float = 1.0, wide: int = 0, own: bool = False
) -> Array:
    """K of all pairs, or with `own` of every string of X and itself, as a column."""
    from . import compiled_strings as loops

    X, Z = as_dense(X), as_dense(Z)
    lead = leading(X, Z)
    n, m = lengths(X), lengths(Z)
    left = np.argsort(n, kind="stable")
    right = np.argsort(m, kind="stable")
    if lead:
        right = np.concatenate((left, lead + np.argsort(m[lead:], kind="stable")))
    K = np.zeros((len(X), 1 if own else len(Z)))
    ready = (np.ascontiguousarray(M, dtype=np.float64) for M in (X[left], Z[right]))
    A, B = ready
    loops.pairs(
        A, n[left], B, m[right], lead, own,
        getattr(loops, recursion), np.asarray(weights, dtype=np.float64), float(a), wide, K,
    )  # fmt: skip
    found = np.empty_like(K)
    if own:
        found[left] = K
    else:
        found[np.ix_(left, right)] = K
    return inside(found)


def count_substrings(X: Any, Z: Any, weights: Any, own: bool = False) -> Array:
    """The sum over q of weights[q] times the inner products of the counts of substrings of q letters.

    Of all pairs, or with `own` of every string of X and itself, as a column.
    """
    from . import compiled_strings as loops

    X, Z = as_dense(X), as_dense(Z)
    lead = leading(X, Z)
    K = np.zeros((len(X), 1 if own else len(Z)))
    both = X if lead == len(Z) or own else np.vstack((X, Z))
    n = lengths(both)
    _, code = np.unique(both, return_inverse=True)
    code = code.reshape(both.shape).astype(np.int64)
    rows, columns = np.nonzero(both)
    ids, size = np.zeros(len(rows), dtype=np.int64), 1
    for q in range(1, len(weights)):  # ids of q letters from those of q - 1 and the next letter
        kept = columns + q <= n[rows]
        rows, columns, ids = rows[kept], columns[kept], ids[kept]
        pair = ids * (code.max(initial=0) + 1) + code[rows, columns + q - 1]
        names, ids = np.unique(pair, return_inverse=True)
        size = len(names)
        if weights[q] == 0.0 or not size:
            continue
        cell, times = np.unique(rows * size + ids, return_counts=True)
        if own:
            K[:, 0] += weights[q] * np.bincount(cell // size, times**2.0, len(X))
            continue
        begin = np.searchsorted(cell, np.arange(len(both) + 1) * size)
        gram, times = cell % size, times.astype(np.float64)
        there = begin if lead == len(Z) else begin[len(X) :]
        loops.common(
            gram, begin[: len(X) + 1], times, gram, there, times, lead, float(weights[q]), size, K
        )
    return inside(K)


def inside(K: Array) -> Array:
    """K, if no value is beyond what learners can add up."""
    if not (K <= 1e150).all():
        raise BadInput(
            "two of the strings have more than 1e150 subsequences in common, beyond what can be added up: take "
            "shorter strings, or a kernel that forgets long subsequences (gap-weighted, spectrum)"
        )
    return K
