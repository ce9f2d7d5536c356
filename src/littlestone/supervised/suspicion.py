"""Signs that test rows are not what the user says: rows that the model was trained on, errors that drift."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core.errors import BadInput

EXACT = 200  # rows up to which the rank test is exact: its time grows with the product of errors and right answers
LEVEL = 0.001  # a drift is reported where chance alone would show as much once in 1,000 test sets


def shared_rows(test: Any, train: Any) -> Any:
    """The numbers (from 0) of the test rows that stand, to the last bit, among the training rows.

    Rows of numbers get a random 64-bit fingerprint; rows with equal fingerprints are then compared entry by entry.
    O((m + n) d) time, O(m + n) memory beside the rows.

    >>> shared_rows(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[3.0, 4.0], [5.0, 6.0]])).tolist()
    [1]
    """
    if hasattr(test, "toarray") or hasattr(train, "toarray"):
        return shared_sparse(test, train)
    a, b = rows_of(test, "the test rows"), rows_of(train, "the training rows")
    same_columns(a, b)
    if a.dtype == object or b.dtype == object:
        known = {tuple(row) for row in b.tolist()}
        return np.array([i for i, row in enumerate(a.tolist()) if tuple(row) in known], int)
    odd = np.random.default_rng(0).integers(0, 2**63, a.shape[1], dtype=np.uint64) * 2 + 1
    first, second = ((np.ascontiguousarray(v).view(np.uint64) * odd).sum(1) for v in (a, b))
    return matched(first, second, lambda i, j: np.array_equal(a[i], b[j], equal_nan=True))


def matched(first: Any, second: Any, same: Callable[[int, int], bool]) -> Any:
    """The entries of `first` that have an equal one in `second` for which `same` is true as well."""
    order = np.argsort(second, kind="stable")
    place = np.searchsorted(second[order], first)
    found = []
    for i in np.flatnonzero(place < len(second)):
        j = int(place[i])
        while j < len(second) and second[order[j]] == first[i]:
            if same(int(i), int(order[j])):
                found.append(int(i))
                break
            j += 1
    return np.array(found, int)


def shared_sparse(test: Any, train: Any) -> Any:
    """`shared_rows` for sparse rows: time and memory grow with the entries that are not 0.

    >>> from scipy.sparse import csr_array
    >>> shared_sparse(csr_array(np.eye(3)), csr_array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]])).tolist()
    [1]
    """
    a, b = sparse_rows(test), sparse_rows(train)
    same_columns(a, b)
    odd = np.random.default_rng(0).integers(0, 2**63, a.shape[1], dtype=np.uint64) * 2 + 1
    prints: list[Any] = []
    for rows in (a, b):
        each = np.zeros(rows.shape[0], np.uint64)
        where = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        np.add.at(each, where, rows.data.view(np.uint64) * odd[rows.indices])
        prints.append(each)

    def entries(rows: Any, i: int) -> list[Any]:
        at = slice(rows.indptr[i], rows.indptr[i + 1])
        return [rows.indices[at], rows.data[at]]

    def same(i: int, j: int) -> bool:
        pairs = zip(entries(a, i), entries(b, j), strict=True)
        return all(np.array_equal(u, v, equal_nan=True) for u, v in pairs)

    return matched(prints[0], prints[1], same)


def sparse_rows(x: Any) -> Any:
    """Rows in compressed form, columns in order, no zero written out."""
    from scipy.sparse import csr_array

    rows = csr_array(x.to_numpy() if hasattr(x, "to_numpy") else x, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    rows.sort_indices()
    return rows


def same_columns(a: Any, b: Any) -> None:
    if a.shape[1] != b.shape[1]:
        raise BadInput(
            f"train: the training rows have {b.shape[1]} columns and the test rows {a.shape[1]}; "
            "give the same columns of both"
        )


def rows_of(x: Any, what: str) -> Any:
    """Rows as a matrix: of float64 where all entries are numbers, of objects elsewhere."""
    x = x.to_numpy() if hasattr(x, "to_numpy") else np.asarray(x)
    if x.ndim == 1:
        x = x[:, None]
    if x.ndim != 2:
        raise BadInput(f"{what} must be a matrix, one row an example; their shape is {x.shape}")
    try:
        return x.astype(np.float64) + 0.0  # -0.0 and 0.0 are one number
    except (TypeError, ValueError):
        return x.astype(object)


def drift(wrong: Any) -> float:
    """The chance that the errors of m rows in random order lie as early, or as late, as these do.

    It is the two-sided rank test of Mann and Whitney (1947) on the places of errors and of right answers; it sees an
    error rate that rises or falls along the rows. Beyond `EXACT` rows it takes the normal approximation, which for few
    errors says rather too large a chance: the sum of a few uniform places has lighter tails than a normal number.

    >>> drift(np.arange(200) < 20) < 1e-6, drift(np.arange(200) % 10 == 0) > 0.5
    (True, True)
    """
    from scipy.stats import mannwhitneyu

    places = np.flatnonzero(wrong), np.flatnonzero(~np.asarray(wrong, bool))
    if not len(places[0]) or not len(places[1]):
        return 1.0
    method: Literal["auto", "asymptotic"] = "auto" if len(wrong) <= EXACT else "asymptotic"
    return float(mannwhitneyu(*places, method=method).pvalue)
