"""What classifiers that fill in labels have in common: a graph or points, labels (-1: there is none), new points."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ...core.errors import BadInput
from ...core.stream import Array
from ..algorithms.graph import Graph, packed
from ..algorithms.nearest import nearest_of
from ..algorithms.neighbourhoods import from_points, points


class Transducer(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """`fit(X, y)` takes points, one a row, or a Graph; y has one label a vertex, -1 where there is none.

    After `fit`: `classes_`, `label_distributions_` (a row a vertex), `transduction_` (a label a vertex), `graph_`.
    `predict` takes new points, each of which gets the mean of its k nearest, weighed as edges are (A6.36); where a
    Graph was fitted, numbers of vertices.
    """

    k: int
    weight: Any
    scale: float
    keeps_labels = True  # do vertices with a given label keep it?

    def filled(self, graph: Graph, known: Any, code: Any, share: Array) -> Array:
        """The share of each class at each vertex, one row a vertex, up to scale; each connected part holds a label.

        The vertices `known` have the classes `code`; `share` is the share of each class in all vertices.
        """
        raise NotImplementedError

    def shares(self, classes: Any, code: Any) -> Array:
        """The share of each class in all vertices: here the frequencies of the labels."""
        made: Array = np.bincount(code, minlength=len(classes)) / len(code)
        return made

    def decided(self, F: Array, known: Any, code: Any, share: Array) -> Any:
        """The class of each vertex, from the rows of `filled`, scaled to sum to 1; labels given stay as they are."""
        labels = np.argmax(F, axis=1)
        if self.keeps_labels:
            labels[known] = code
        return labels

    def refuse(self, graph: Graph, classes: Any) -> None:
        """Refuse parameters, or labels, that are not allowed."""

    def fit(self, X: Any, y: Any) -> Any:
        given = isinstance(X, Graph)
        graph = X if given else from_points(X, k=self.k, weight=self.weight, scale=self.scale)
        labels, known = labels_of(y, graph.n, "vertex")
        self.classes_, code = np.unique(labels[known], return_inverse=True)
        self.refuse(graph, self.classes_)
        share = self.shares(self.classes_, code)
        F = np.tile(share, (graph.n, 1))
        _, part = graph.components
        reached = np.flatnonzero(np.isin(part, part[known]))
        inner, at = inside(graph, reached, known)
        inner_F = self.filled(inner, at, code, share)
        total = inner_F.sum(axis=1, keepdims=True)
        F[reached] = np.where(total > 0.0, inner_F / np.where(total > 0.0, total, 1.0), share)
        self.label_distributions_: Array = F
        labels = np.argmax(F, axis=1)
        labels[reached] = self.decided(F[reached], at, code, share)
        self.transduction_ = self.classes_[labels]
        self.graph_, self.X_ = graph, None if given else np.asarray(X, np.float64)
        self.n_features_in_ = self.X_.shape[1] if self.X_ is not None else 1
        return self

    def predict_proba(self, X: Any) -> Array:
        """The distribution over `classes_` of each new point, or of each vertex."""
        check_is_fitted(self)
        if self.X_ is None:
            rows: Array = self.label_distributions_[numbers_of(X, self.graph_.n)]
            return rows
        Q = points(X)
        if Q.shape[1] != self.X_.shape[1]:
            raise BadInput(f"points have {self.X_.shape[1]} coordinates, not {Q.shape[1]}")
        far, near = nearest_of(self.X_, Q, min(self.k, len(self.X_)))
        w = {"exponential": lambda: np.exp(-self.scale * (far - far[:, :1])),
             "gaussian": lambda: np.exp(-self.scale * (far**2 - far[:, :1] ** 2)),
             "local": lambda: np.exp(-4.0 * self.scale * (far**2 - far[:, :1] ** 2)
                                     / np.maximum(far[:, -1:] ** 2, 1e-300))}.get(
                 self.weight if isinstance(self.weight, str) else "", lambda: np.ones_like(far))()  # fmt: skip
        means = (self.label_distributions_[near] * w[:, :, None]).sum(axis=1)
        made: Array = means / means.sum(axis=1, keepdims=True)
        return made

    def predict(self, X: Any) -> Any:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def labels_of(y: Any, n: int, what: str) -> tuple[Any, Any]:
    """The labels, and which vertices have one: -1 means none (among names, "-1")."""
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise BadInput(
            f"y must have one label a {what}, {n}, -1 where there is none, not the shape {labels.shape}"
        )
    none = labels == ("-1" if labels.dtype.kind in "US" else -1)
    bad = np.array([v is None or v != v for v in labels.tolist()], bool)
    if bad.any():
        r = int(np.argmax(bad))
        raise BadInput(
            f"y: row {r} is {labels[r]!r}, which is no label; write -1 where there is none"
        )
    known = np.flatnonzero(~none)
    if not len(known):
        raise BadInput("y has no label: all of it is -1")
    return labels, known


def numbers_of(X: Any, n: int) -> Any:
    """Numbers of vertices, checked."""
    at = np.asarray(X).reshape(-1)
    bad = ~((at >= 0) & (at < n) & (at == np.floor(at)))
    if bad.any():
        raise BadInput(
            f"{at[int(np.argmax(bad))]!r} is not the number of a vertex, from 0 to {n - 1}"
        )
    return at.astype(np.int64)


def inside(graph: Graph, vertices: Any, known: Any) -> tuple[Graph, Any]:
    """The part of a graph on these vertices, and the places of `known` among them."""
    if len(vertices) == graph.n:
        return graph, known
    a, b, w = graph.pairs()
    both = np.isin(a, vertices)  # and then b too: an edge does not leave its connected part
    place = np.full(graph.n, -1)
    place[vertices] = np.arange(len(vertices))
    return packed(place[a[both]], place[b[both]], w[both], len(vertices)), place[known]


def without(n: int, known: Any) -> Any:
    """The vertices 0, …, n - 1 that are not among `known`, in rising order."""
    free = np.ones(n, bool)
    free[known] = False
    return np.flatnonzero(free)


def number_above(owner: str, name: str, v: Any, least: float) -> float:
    try:
        number = float(v)
    except (TypeError, ValueError):
        number = float("nan")
    if not (np.isfinite(number) and number > least):
        raise BadInput(f"{owner}: {name} must be a number above {least:g}, not {v!r}")
    return number
