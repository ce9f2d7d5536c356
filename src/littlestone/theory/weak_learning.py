"""Is a class of hypotheses weak-universal: has some hypothesis an error below 1/2, whatever the points' weights?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..experts.mistake_trees import sign_matrix
from .named_classes import distinct, points_of


@dataclass(frozen=True)
class WeakEdge:
    """The edge that a class has under every weighting of the points, and both witnesses.

    `edge` is the least, over weights w of the points, of the largest `sum_i w_i y_i h(x_i)` of a hypothesis. By duality
    it is the largest, over mixtures of the hypotheses, of the smallest margin of a point. Whatever the weights are,
    some hypothesis has error at most (1 - edge)/2; under `weights` none has less.
    """

    edge: float
    weights: Any  # of the points: the hardest
    mixture: Any  # of the hypotheses: its smallest margin is the edge

    @property
    def error(self) -> float:
        """The least weighted error that some hypothesis always has."""
        return (1.0 - self.edge) / 2.0

    def __str__(self) -> str:
        if self.edge > 1e-9:
            return f"weak learner: some hypothesis always has error at most {self.error:.4g} (edge {self.edge:.4g})"
        return f"no weak learner: under some weights every hypothesis has error {self.error:.4g} or more"


def weak_edge(H: Any, y: Any) -> WeakEdge:
    """The linear program min_w max_h sum_i w_i y_i h(x_i), for a sign matrix (a hypothesis a row) and labels -1, 1.

    >>> print(weak_edge(stumps([[0, 0], [0, 1], [1, 0], [1, 1]]), [-1, 1, 1, -1]))  # XOR
    no weak learner: under some weights every hypothesis has error 0.5 or more
    >>> print(weak_edge(stumps([[0], [1], [2]]), [1, -1, 1]))
    weak learner: some hypothesis always has error at most 0.3333 (edge 0.3333)

    Boosting reaches training error 0 exactly if the edge is positive. Ledger: A-WEAK-LP; A4.12; T-WEAK-UNIVERSAL.
    """
    from scipy.optimize import linprog

    S = np.where(sign_matrix("weak_edge", H), 1.0, -1.0)
    labels = np.asarray(y, float)
    if labels.shape != (S.shape[1],) or not np.isin(labels, (-1.0, 1.0)).all():
        raise BadInput(
            f"weak_edge: y must have a label -1 or 1 a point, {S.shape[1]}, not {y!r:.60}"
        )
    A = S * labels
    m = A.shape[1]
    found: Any = linprog(
        np.append(np.zeros(m), 1.0), np.hstack([A, -np.ones((len(A), 1))]), np.zeros(len(A)),
        np.append(np.ones(m), 0.0)[None, :], [1.0], [(0.0, None)] * m + [(None, None)],
    )  # fmt: skip
    if found.status != 0:
        raise BadInput(f"weak_edge: the linear program was not solved: {found.message}")
    w, mixture = np.maximum(found.x[:m], 0.0), np.maximum(-found.ineqlin.marginals, 0.0)
    w, mixture = w / w.sum(), mixture / mixture.sum()
    high, low = float((A @ w).max()), float((mixture @ A).min())
    if high - low > 1e-7:
        raise BadInput(f"weak_edge: the solver's two witnesses differ, {high:g} and {low:g}")
    return WeakEdge(high, w, mixture)


def stumps(points: Any, constants: bool = True) -> Any:
    """What decision stumps can say of points, a pattern a row: at most 2 n (m - 1) + 2 for m points (T-STUMP-COUNT).

    >>> len(stumps([[1, 3], [2, 1], [3, 4], [4, 2]])), len(stumps([[1, 1], [2, 2], [3, 3], [4, 4]]))
    (14, 8)

    Columns that put the points in the same order give the same patterns. Without `constants` the two that say the same
    of every point are left out, unless no column has two values.
    """
    X = points_of("stumps", points)
    rows = [
        np.where(X[:, j] <= z, 1, -1) for j in range(X.shape[1]) for z in np.unique(X[:, j])[:-1]
    ]
    if constants or not rows:
        rows.append(np.ones(len(X), int))
    half = np.array(rows)
    return distinct(np.vstack([half, -half]) > 0)


def substrings(patterns: Sequence[str], strings: Sequence[str]) -> Any:
    """What g_z says of strings, for each z of `patterns`, a row each: +1 where the string is contiguous in z, else -1.

    They are weak-universal together with their negatives, and not alone: `np.vstack([H, -H])`.

    >>> substrings(["ab", "ba"], ["a", "ab", "ba"]).tolist()
    [[1, 1, -1], [1, -1, 1]]
    """
    for name, many in (("patterns", patterns), ("strings", strings)):
        if isinstance(many, str) or not all(isinstance(s, str) for s in many) or not len(many):
            raise BadInput(f"substrings: {name} must be a list of strings, not {many!r:.60}")
    return np.array([[1 if s in z else -1 for s in strings] for z in patterns])
