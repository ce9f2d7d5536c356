"""What impurity is left by a split; lecture 4 (E-ENTROPY-BITS)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from littlestone.core.errors import BadInput


class Impurity(NamedTuple):
    """sum_p m_p Q_p over the leaves, for three measures; entropy in bits."""

    misclassification: float
    entropy: float
    gini: float

    def __str__(self) -> str:
        return f"misclassification {self.misclassification:g}, entropy {self.entropy:.4f} bits, Gini {self.gini:.4f}"


def impurity_sums(leaves: Any) -> Impurity:
    """The summed impurity of leaves, given as counts: a leaf a row, a class a column.

    >>> print(impurity_sums([[400, 400]]))
    misclassification 400, entropy 800.0000 bits, Gini 400.0000
    """
    counts = np.atleast_2d(np.asarray(leaves, float))
    if counts.size == 0 or not (counts >= 0).all() or not (counts.sum(axis=1) > 0).all():
        raise BadInput("leaves: counts of at least 0, a leaf a row with at least one entry above 0")
    m = counts.sum(axis=1, keepdims=True)
    p = counts / m
    logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
    return Impurity(float((m[:, 0] - counts.max(axis=1)).sum()), float(-(counts * logs).sum()),
                    float((m * p * (1 - p)).sum()))  # fmt: skip
