"""A classifier by scikit-learn's conventions: a few labels, and the harmonic function between them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..core.errors import BadInput
from ..core.stream import Array
from ..networks.graph import Graph
from ..networks.harmonic import harmonic
from ..networks.neighbourhoods import from_points


class HarmonicClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fill in the labels of a graph, or of points and their neighbours, from a few.

    `fit(X, y)` takes points, one a row, or a Graph; y has one label a vertex, -1 where there is none (as in
    `sklearn.semi_supervised`). A label is a function that is 1 at its own vertices, 0 at others, and harmonic between
    them. `normalise="class-mass"` scales these functions until their sums are as the labels' frequencies, which
    matters where labels are few; None does not. Vertices of a connected part without labels get these frequencies.

    After `fit`: `classes_`, `label_distributions_` (a row a vertex), `transduction_` (a label a vertex), `graph_`.
    `predict` takes new points, and averages over their `k` nearest; for a Graph, numbers of vertices.

    >>> import littlestone as ls
    >>> path = ls.graph([(0, 1), (1, 2), (2, 3), (3, 4)], n=5)
    >>> HarmonicClassifier(normalise=None).fit(path, [0, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1]

    Zhu, Ghahramani & Lafferty (2003). Ledger, lecture 6: A6.16; T6.8.
    """

    def __init__(
        self,
        k: int = 10,
        weight: Any = "unit",
        scale: float = 1.0,
        normalise: str | None = "class-mass",
    ) -> None:
        self.k = k
        self.weight = weight
        self.scale = scale
        self.normalise = normalise

    def fit(self, X: Any, y: Any) -> HarmonicClassifier:
        if self.normalise not in ("class-mass", None):
            raise BadInput(f'normalise must be "class-mass" or None, not {self.normalise!r}')
        points = not isinstance(X, Graph)
        graph = from_points(X, k=self.k, weight=self.weight, scale=self.scale) if points else X
        labels = np.asarray(y)
        if labels.shape != (graph.n,):
            raise BadInput(
                f"y must have one label a vertex, {graph.n}, -1 where there is none, not the shape {labels.shape}"
            )
        known = np.flatnonzero(labels != -1)
        if not len(known):
            raise BadInput("y has no label: all of it is -1")
        self.classes_, code = np.unique(labels[known], return_inverse=True)
        share = np.bincount(code) / len(code)
        F = np.tile(share, (graph.n, 1))
        _, part = graph.components
        reached = np.flatnonzero(np.isin(part, part[known]))
        F[reached] = harmonic(*inside(graph, reached, known), np.eye(len(share))[code])
        if self.normalise == "class-mass":
            F[reached] *= share / np.maximum(F[reached].sum(axis=0), 1e-300)
        self.label_distributions_: Array = F / F.sum(axis=1, keepdims=True)
        self.transduction_ = self.classes_[np.argmax(self.label_distributions_, axis=1)]
        self.transduction_[known] = labels[known]
        self.graph_, self.X_ = graph, np.asarray(X, np.float64) if points else None
        self.n_features_in_ = self.X_.shape[1] if self.X_ is not None else 1
        return self

    def predict_proba(self, X: Any) -> Array:
        """The distribution over `classes_` of each new point, or of each vertex."""
        check_is_fitted(self)
        if self.X_ is None:
            rows: Array = self.label_distributions_[np.asarray(X, np.int64).reshape(-1)]
            return rows
        from scipy.spatial import cKDTree

        near: Any = cKDTree(self.X_).query(np.asarray(X, np.float64), min(self.k, len(self.X_)))[1]
        means: Array = self.label_distributions_[near.reshape(len(near), -1)].mean(axis=1)
        return means

    def predict(self, X: Any) -> Any:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def inside(graph: Graph, some: Any, known: Any) -> tuple[Graph, Any]:
    """The part of a graph on the vertices `some`, and the places of `known` among them."""
    if len(some) == graph.n:
        return graph, known
    from ..networks.graph import packed

    a, b, w = graph.pairs()
    both = np.isin(a, some)  # and then b too: an edge does not leave its connected part
    place = np.full(graph.n, -1)
    place[some] = np.arange(len(some))
    return packed(place[a[both]], place[b[both]], w[both], len(some)), place[known]
