"""Clusters of a graph by the first eigenvectors of its Laplacian: a relaxed ratio cut."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin

from ...core.errors import BadInput
from ...core.stream import Array
from ..algorithms.fiedler import fiedler
from ..algorithms.graph import Graph, matrix
from ..algorithms.neighbourhoods import from_points

ROUNDINGS = ("sign", "gap", "sweep")


class SpectralClusters(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Split a connected graph, or points and their nearest neighbours, in clusters that few edges join.

    clusters    how many, at least 2
    neighbours  points are joined to so many of the nearest
    rounding    how two clusters are made of the second eigenvector u of the Laplacian
    normalised  take D^-1/2 L D^-1/2 instead, and weigh cuts by degrees

    u has the least u'Lu among vectors of length 1 that sum to 0. Two clusters are made of it by "sign", by "gap" (the
    largest gap in the middle half of its sorted values), or by "sweep" (the level with the least ratio cut). More are
    made of the first eigenvectors, one row a vertex, by k-means from ten seeds, as scikit-learn's SpectralClustering
    does.

    After `fit`: `labels_` (0, 1, …, in the order in which they occur), `vector_` (u), `eigenvalue_` (lambda_2, at most
    the least ratio cut in two), `ratio_cut_` (the sum over clusters of the cut around one over its size). A graph that
    is not connected is refused: its parts are its clusters, and the eigenvectors mean nothing.

    >>> from littlestone.graphs.algorithms.zoo import barbell, cliques
    >>> model = SpectralClusters().fit(barbell(4))
    >>> model.labels_.tolist(), round(model.ratio_cut_, 6)
    ([0, 0, 0, 0, 1, 1, 1, 1], 0.5)
    >>> SpectralClusters(3).fit(cliques(3, 4, cut=3)).labels_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]

    Hagen & Kahng (1992); Ng, Jordan & Weiss (2001); von Luxburg (2007). Ledger: A-SPECTRAL; lecture 6: A6.12, A6.13;
    T6.5, T6.6.
    """

    def __init__(
        self,
        clusters: int = 2,
        neighbours: int = 10,
        weight: Any = "unit",
        scale: float = 1.0,
        rounding: str = "sweep",
        normalised: bool = False,
    ) -> None:
        self.clusters = clusters
        self.neighbours = neighbours
        self.weight = weight
        self.scale = scale
        self.rounding = rounding
        self.normalised = normalised

    def fit(self, X: Any, y: Any = None) -> SpectralClusters:
        if self.rounding not in ROUNDINGS:
            raise BadInput(f"rounding must be one of {', '.join(ROUNDINGS)}, not {self.rounding!r}")
        whole = isinstance(self.clusters, (int, np.integer)) and not isinstance(self.clusters, bool)
        if not whole or self.clusters < 2:
            raise BadInput(
                f"clusters must be a whole number of at least 2, not {self.clusters!r}",
                field="clusters",
                value=self.clusters,
            )
        graph = X
        if not isinstance(X, Graph):
            graph = from_points(X, k=self.neighbours, weight=self.weight, scale=self.scale)
        if graph.n < self.clusters:
            raise BadInput(
                f"clusters must be at most the number of vertices, {graph.n}, not {self.clusters}",
                field="clusters",
                value=self.clusters,
            )
        self.eigenvalue_, self.vector_ = fiedler(graph, self.normalised)
        mass = graph.degree if self.normalised else np.ones(graph.n)
        if self.clusters == 2:
            labels = split_in_two(graph, self.vector_, mass, self.rounding)
        else:
            labels = split_in_many(graph, self.clusters, self.normalised)
        self.labels_ = in_order(labels)
        self.ratio_cut_ = ratio_cut_of(graph, self.labels_, mass)
        self.graph_ = graph
        return self


def split_in_two(graph: Graph, u: Array, mass: Array, rounding: str) -> Any:
    """The side of each vertex, by one level of the second eigenvector."""
    order = np.argsort(u, kind="stable")
    if rounding == "sign":
        first = int((u <= 0.0).sum())
    elif rounding == "gap":
        steps = np.diff(u[order])
        quarter = graph.n // 4
        middle = steps[quarter : max(quarter + 1, graph.n - quarter - 1)]
        first = quarter + int(np.argmax(middle)) + 1
    else:
        first = int(np.argmin(sweep(graph, u, mass))) + 1
    first = min(max(first, 1), graph.n - 1)
    labels = np.ones(graph.n, np.int64)
    labels[order[:first]] = 0
    return labels


def split_in_many(graph: Graph, clusters: int, normalised: bool) -> Any:
    """Clusters of the rows of the first eigenvectors."""
    from sklearn.cluster import KMeans
    from sklearn.manifold import spectral_embedding

    W = matrix(graph)
    small = [part.astype(np.int32) for part in (W.indices, W.indptr)]  # which scikit-learn asks for
    rows = spectral_embedding(
        csr_array((W.data, *small), shape=W.shape),
        n_components=clusters,
        norm_laplacian=normalised,
        drop_first=False,
        random_state=0,
    )
    return KMeans(clusters, n_init=10, random_state=0).fit(rows).labels_


def in_order(labels: Any) -> Any:
    """Labels as 0, 1, …, in the order in which they occur first.

    >>> in_order(np.array([2, 2, 0, 1, 0])).tolist()
    [0, 0, 1, 2, 1]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def ratio_cut_of(graph: Graph, labels: Any, mass: Array) -> float:
    """The sum over clusters of the weight of the edges that leave one, over its mass."""
    a, b, w = graph.pairs()
    across = labels[a] != labels[b]
    count = int(labels.max()) + 1
    leave: Any = np.bincount(labels[a][across], w[across], count)
    leave = leave + np.bincount(labels[b][across], w[across], count)
    return float((leave / np.bincount(labels, mass, count)).sum())


def sweep(graph: Graph, u: Array, mass: Array) -> Array:
    """The ratio cut between the first k vertices by rising u and the others, for k = 1, …, n - 1."""
    order = np.argsort(u, kind="stable")
    rank = np.empty(graph.n, np.int64)
    rank[order] = np.arange(graph.n)
    a, b, w = graph.pairs()
    low, high = np.minimum(rank[a], rank[b]), np.maximum(rank[a], rank[b])
    change: Any = np.bincount(low, w, graph.n) - np.bincount(high, w, graph.n)
    cut = np.cumsum(change)[:-1]
    before = np.cumsum(mass[order])[:-1]
    made: Array = cut * (1.0 / before + 1.0 / (mass.sum() - before))
    return made
