"""Scores of classes as probabilities."""

from __future__ import annotations

import numpy as np

from .game import SEVERAL
from .stream import Array


def of_two(scores: Array) -> Array:
    """The probability of the second of two classes."""
    with np.errstate(over="ignore"):  # then it is 0
        return 1.0 / (1.0 + np.exp(-scores))  # half of the time of the hyperbolic tangent


FEW = 8  # columns: of fewer NumPy adds up a row from left to right


def sum_rows(A: Array) -> Array:
    """The sum of each row, to the bits of `A.sum(axis=1)`; of few columns in a tenth of the time, column by column."""
    if not 0 < A.shape[1] < FEW:
        return A.sum(axis=1)  # type: ignore[no-any-return]
    total: Array = A[:, 0] + 0.0
    for j in range(1, A.shape[1]):
        total += A[:, j]
    return total


def top_of_rows(A: Array) -> Array:
    """The largest number of each row, and -inf of none, likewise."""
    if not 0 < A.shape[1] < FEW:
        return A.max(axis=1, initial=-np.inf)  # type: ignore[no-any-return]
    top: Array = A[:, 0].copy()
    for j in range(1, A.shape[1]):
        np.maximum(top, A[:, j], out=top)
    return top


def of_scores(scores: Array, classes: int, unseen: Array | float = 0.0) -> Array:
    """The probability of each class a row; scores are logarithms of them. NaN: a class that was not known then.

    `unseen`: the probability of a class that has not occurred, for all rows or for each.

    >>> (
    ...     of_scores(np.array([[0.0]]), 2).tolist(),
    ...     of_scores(np.array([[1.0, 1.0, np.nan]]), SEVERAL).tolist(),
    ... )
    ([[0.5, 0.5]], [[0.5, 0.5, 0.0]])
    """
    scores = scores.reshape(len(scores), -1)
    if classes != SEVERAL:
        one = of_two(scores[:, 0])
        return np.stack([1.0 - one, one], axis=1)
    there = ~np.isnan(scores)
    top = top_of_rows(np.where(there, scores, -np.inf))[:, None]
    e = np.where(
        there, np.exp(np.where(there, scores, 0.0) - np.where(np.isfinite(top), top, 0.0)), 0.0
    )
    total = sum_rows(e)[:, None]
    p: Array = np.divide(e, total, out=np.full_like(e, np.nan), where=total > 0.0)
    rest: Array = 1.0 - np.reshape(unseen, (-1, 1))
    return p * rest
