"""Probabilities of classes beside predictions, from the scores that they were made with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..encode.labels import LabelEncoder


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


def by_label(p: Any, coder: LabelEncoder, labels: Sequence[Any]) -> Any:
    """The columns of these labels; 0 for one that has not occurred yet."""
    found = np.zeros((len(p), len(labels)))
    codes = {coder.label(c): c for c in range(min(len(coder), p.shape[1]))}
    for j, label in enumerate(labels):
        if label in codes:
            found[:, j] = p[:, codes[label]]
    found[np.isnan(p).all(axis=1)] = np.nan
    return found
