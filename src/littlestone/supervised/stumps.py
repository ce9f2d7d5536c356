"""Decision stumps: the one with the least weighted error, exactly, from columns that are sorted once.

A stump says one label where a feature is at most a threshold, and the other label elsewhere. Two stumps are constant.
On m points and n columns they have at most 2 n (m - 1) + 2 patterns (T-STUMP-COUNT).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.stream import Array

TIE = 1e-12  # stumps whose edges differ by less are as good as each other: rounding does not choose between them
CONSTANT = -1  # the feature of a constant stump


class Stump(NamedTuple):
    """`sign` where the feature is at most the threshold, `-sign` elsewhere; constant where the feature is -1.

    >>> print(Stump(0, 2.5, 1), "|", Stump(-1, np.inf, -1))
    +1 if x[0] <= 2.5, else -1 | always -1
    """

    feature: int
    threshold: float
    sign: int

    def labels(self, X: Any) -> Array:
        """-1 or 1 for each row."""
        if self.feature == CONSTANT:
            return np.full(len(X), float(self.sign))
        return np.where(X[:, self.feature] <= self.threshold, float(self.sign), -float(self.sign))

    def __str__(self) -> str:
        if self.feature == CONSTANT:
            return f"always {self.sign:+d}"
        return f"{self.sign:+d} if x[{self.feature}] <= {self.threshold:.6g}, else {-self.sign:+d}"


class Columns(NamedTuple):
    """The columns of a sample, sorted: what every round of boosting uses again."""

    values: Array  # n x m: the columns, one after another
    order: Any  # n x m: the rows in the order of each column
    cut: Any  # n x m: does a threshold fit after this place? never after the last


def columns(X: Any) -> Columns:
    """Sort each column once: O(n m log m)."""
    values = np.ascontiguousarray(np.asarray(X, np.float64).T)
    order = np.argsort(values, axis=1, kind="stable")
    cut = np.zeros(values.shape, bool)
    ranked = np.take_along_axis(values, order, axis=1)
    cut[:, :-1] = ranked[:, 1:] > ranked[:, :-1]
    return Columns(values, order, cut)


def threshold(below: float, above: float) -> float:
    """The middle of two values, and at least the lower one where there is no number between them."""
    middle = 0.5 * below + 0.5 * above
    return middle if below <= middle < above else below


def best_stump(sample: Columns, v: Any, constants: bool = True) -> tuple[Stump, float]:
    """The stump h with the largest edge `sum_i v_i h(x_i)`, and that edge; v holds the weight of a row times its label.

    Ties go to the lowest feature, then to the lowest threshold; constant stumps come last. O(n m).

    >>> found = best_stump(columns([[1.0], [2.0], [3.0]]), np.array([0.5, -0.25, -0.25]))
    >>> print(*found)
    +1 if x[0] <= 1.5, else -1 1.0
    """
    total = float(np.cumsum(v)[-1])  # in the order of the rows, as the compiled loop adds up
    edges = 2.0 * np.cumsum(v[sample.order], axis=1) - total
    size = np.where(sample.cut, np.abs(edges), -1.0)
    best = float(size.max(initial=-1.0))
    if constants and abs(total) > best + TIE:
        return Stump(CONSTANT, np.inf, 1 if total >= 0.0 else -1), abs(total)
    if best < 0.0:  # no column has two values, and constants are not in the class
        return Stump(CONSTANT, np.inf, 1), 0.0
    j, k = np.unravel_index(int(np.argmax(size >= best - TIE)), size.shape)
    column, order = sample.values[j], sample.order[j]
    z = threshold(float(column[order[k]]), float(column[order[k + 1]]))
    return Stump(int(j), z, 1 if edges[j, k] >= 0.0 else -1), float(size[j, k])
