"""Probabilities of classes beside predictions, from the scores that they were made with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.game import SEVERAL
from ..encode.labels import Coder


def refuse_none(learner: Any) -> None:
    """Refuse a learner whose scores are not logarithms of probabilities."""
    traits = learner.game(False).traits()
    if not learner.examples:
        raise BadInput(f"--probabilities: {learner.key} combines forecasts, which have none")
    if not traits.scores or not traits.classes:
        raise BadInput(
            f"--probabilities: the scores of {learner.key} are none; those of logistic, softmax and online-linear are"
        )


def column(label: Any) -> str:
    """The name of the column with the probability of a class, which is written as predictions are.

    >>> column("spam"), column(True)
    ('p(spam)', 'p(true)')
    """
    return f"p({str(label).lower() if isinstance(label, bool) else label})"


def of_scores(scores: Any, classes: int, unseen: Any = 0.0) -> Any:
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
        one = 0.5 * (1.0 + np.tanh(0.5 * scores[:, 0]))
        return np.stack([1.0 - one, one], axis=1)
    there = ~np.isnan(scores)
    top = np.where(there, scores, -np.inf).max(axis=1, keepdims=True, initial=-np.inf)
    e = np.where(
        there, np.exp(np.where(there, scores, 0.0) - np.where(np.isfinite(top), top, 0.0)), 0.0
    )
    total = e.sum(axis=1, keepdims=True)
    p = np.divide(e, total, out=np.full_like(e, np.nan), where=total > 0.0)
    return p * (1.0 - np.reshape(unseen, (-1, 1)))


def by_label(p: Any, coder: Coder, labels: Sequence[Any]) -> Any:
    """The columns of these labels; 0 for one that has not occurred yet."""
    found = np.zeros((len(p), len(labels)))
    codes = {coder.label(c): c for c in range(min(len(coder), p.shape[1]))}
    for j, label in enumerate(labels):
        if label in codes:
            found[:, j] = p[:, codes[label]]
    found[np.isnan(p).all(axis=1)] = np.nan
    return found
