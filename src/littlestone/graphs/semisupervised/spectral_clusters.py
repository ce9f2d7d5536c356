"""Two clusters of a graph by the second eigenvector of its Laplacian: a relaxed ratio cut."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from ...core.errors import BadInput
from ...core.stream import Array
from ..algorithms.fiedler import fiedler
from ..algorithms.graph import Graph
from ..algorithms.neighbourhoods import from_points

ROUNDINGS = ("sign", "gap", "sweep")


class SpectralClusters(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Split a connected graph, or points and their neighbours, in two.

    The second eigenvector u of the Laplacian has the least u'Lu among vectors of length 1 that sum to 0; `rounding`
    makes two clusters of it: "sign", "gap" (the largest gap in the middle half of its sorted values), or "sweep" (the
    level with the least ratio cut). `normalised` takes D^-1/2 L D^-1/2 instead, and cuts weighed by degrees.

    After `fit`: `labels_` (0 and 1), `vector_`, `eigenvalue_` (lambda_2, at most the least ratio cut), `ratio_cut_`.
    A graph that is not connected is refused: its parts are its clusters, and the eigenvector means nothing.

    >>> from littlestone.graphs.algorithms.zoo import barbell
    >>> model = SpectralClusters().fit(barbell(4))
    >>> model.labels_.tolist(), round(model.ratio_cut_, 6)
    ([0, 0, 0, 0, 1, 1, 1, 1], 0.5)

    Hagen & Kahng (1992); von Luxburg (2007). Ledger: A-SPECTRAL; lecture 6: A6.12, A6.13; T6.5, T6.6.
    """

    def __init__(
        self,
        k: int = 10,
        weight: Any = "unit",
        scale: float = 1.0,
        rounding: str = "sweep",
        normalised: bool = False,
    ) -> None:
        self.k = k
        self.weight = weight
        self.scale = scale
        self.rounding = rounding
        self.normalised = normalised

    def fit(self, X: Any, y: Any = None) -> SpectralClusters:
        if self.rounding not in ROUNDINGS:
            raise BadInput(f"rounding must be one of {', '.join(ROUNDINGS)}, not {self.rounding!r}")
        graph = X
        if not isinstance(X, Graph):
            graph = from_points(X, k=self.k, weight=self.weight, scale=self.scale)
        if graph.n < 2:
            raise BadInput("one vertex cannot be split")
        self.eigenvalue_, self.vector_ = fiedler(graph, self.normalised)
        cuts = sweep(graph, self.vector_, graph.degree if self.normalised else np.ones(graph.n))
        order = np.argsort(self.vector_, kind="stable")
        if self.rounding == "sign":
            first = int((self.vector_ <= 0.0).sum())
        elif self.rounding == "gap":
            steps = np.diff(self.vector_[order])
            quarter = graph.n // 4
            middle = steps[quarter : max(quarter + 1, graph.n - quarter - 1)]
            first = quarter + int(np.argmax(middle)) + 1
        else:
            first = int(np.argmin(cuts)) + 1
        first = min(max(first, 1), graph.n - 1)
        labels = np.ones(graph.n, np.int64)
        labels[order[:first]] = 0
        self.labels_ = labels if labels[0] == 0 else 1 - labels
        self.ratio_cut_ = float(cuts[first - 1])
        self.graph_ = graph
        return self


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
