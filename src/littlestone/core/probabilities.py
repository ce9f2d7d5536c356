"""Scores of classes as probabilities."""

from __future__ import annotations

import numpy as np

from .game import SEVERAL
from .stream import Array


def of_two(scores: Array) -> Array:
    """The probability of the second of two classes."""
    with np.errstate(over="ignore"):  # then it is 0
        return 1.0 / (1.0 + np.exp(-scores))  # half of the time of the hyperbolic tangent


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
    top = np.where(there, scores, -np.inf).max(axis=1, keepdims=True, initial=-np.inf)
    e = np.where(
        there, np.exp(np.where(there, scores, 0.0) - np.where(np.isfinite(top), top, 0.0)), 0.0
    )
    total = e.sum(axis=1, keepdims=True)
    p: Array = np.divide(e, total, out=np.full_like(e, np.nan), where=total > 0.0)
    rest: Array = 1.0 - np.reshape(unseen, (-1, 1))
    return p * rest
