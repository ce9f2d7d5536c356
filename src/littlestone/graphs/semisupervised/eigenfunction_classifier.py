"""A few labels and very many points: smooth functions of one coordinate each, in time linear in the points."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ...core.errors import BadInput
from ...core.stream import Array
from ..algorithms.neighbourhoods import points
from .transducer import labels_of, number_above

BLOCK = 1 << 16  # the functions of at most so many points are in memory at once
SURE = 1000.0  # how much a label weighs, compared with smoothness


class Function(NamedTuple):
    """A function of one coordinate: its values at the centres of bins, and how much it changes along the density."""

    coordinate: int
    change: float
    centres: Array
    values: Array


class EigenfunctionClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fill in labels of very many points by functions that change little where points are dense.

        rotate by PCA;  for each coordinate: a histogram, and its smoothest functions (a problem of `bins` numbers)
        keep the `functions` smoothest of all;  fit the labels by ridge regression on them

    No graph is made: time is linear in the points, and memory is that of `functions` numbers for a block of them. The
    functions of one coordinate are those of the whole graph where coordinates are independent after the rotation;
    elsewhere a graph does better. `width` is the width of the kernel, in the units of the data; None takes a tenth of
    the range of the first coordinate. `floor` is added to every bin of a histogram whose largest is 1 or less: more of
    it hides gaps between clusters.

    After `fit`: `classes_`, `label_distributions_`, `transduction_`, `functions_`.

    >>> rng = np.random.default_rng(0)
    >>> strips = np.stack(
    ...     [rng.normal(size=2000), np.repeat([-1, 1], 1000) + 0.25 * rng.normal(size=2000)], axis=1
    ... )
    >>> y = np.full(2000, -1)
    >>> y[0], y[1999] = 0, 1
    >>> model = EigenfunctionClassifier(functions=5, width=0.2).fit(strips, y)
    >>> bool((model.transduction_ == np.repeat([0, 1], 1000)).mean() > 0.99)
    True

    Fergus, Weiss & Torralba (2009). Ledger: A-EIGENFUNCTIONS; lecture 6: A6.33.
    """

    def __init__(
        self,
        functions: int = 16,
        width: float | None = None,
        bins: int = 50,
        clip: float = 0.025,
        floor: float = 0.001,
        coordinates: int | None = None,
    ) -> None:
        self.functions = functions
        self.width = width
        self.bins = bins
        self.clip = clip
        self.floor = floor
        self.coordinates = coordinates

    def fit(self, X: Any, y: Any) -> EigenfunctionClassifier:
        P = points(X)
        labels, known = labels_of(y, len(P), "point")
        self.refuse()
        self.classes_, code = np.unique(labels[known], return_inverse=True)
        self.n_features_in_ = P.shape[1]
        self.mean_ = P.mean(axis=0)
        C = (P.T @ P) / len(P) - np.outer(self.mean_, self.mean_)
        order = np.argsort(-np.linalg.eigh(C)[0], kind="stable")
        d = P.shape[1] if self.coordinates is None else min(self.coordinates, P.shape[1])
        self.rotation_: Array = np.linalg.eigh(C)[1][:, order[:d]]
        self.low_, self.high_ = np.empty(d), np.empty(d)
        found: list[Function] = []
        width = self.width
        for j in range(d):
            z = (
                (P - self.mean_) @ self.rotation_[:, j]
                if len(P) <= BLOCK
                else self.coordinate(P, j)
            )
            if width is None:
                width = float(np.ptp(z)) / 10.0 or 1.0
            self.low_[j], self.high_[j] = np.quantile(z, [self.clip, 1.0 - self.clip])
            found += smooth(z, j, self.bins, float(width), self.floor, self.functions)
        found.sort(key=lambda f: f.change)
        self.functions_ = found[: self.functions]
        squares = np.zeros(len(self.functions_))
        for begin in range(0, len(P), BLOCK):
            squares += (self.values(P[begin : begin + BLOCK]) ** 2).sum(axis=0)
        self.lengths_ = np.sqrt(np.maximum(squares, 1e-300))
        U = self.scaled(P[known])
        Y = np.eye(len(self.classes_))[code] if len(self.classes_) > 1 else np.ones((len(code), 1))
        # the functions leave out the constant, so the mean of the labels is added
        mean = Y.mean(axis=0)
        S = np.diag([f.change for f in self.functions_])
        self.alpha_ = np.linalg.lstsq(S + SURE * U.T @ U, SURE * U.T @ (Y - mean), rcond=None)[0]
        self.constant_ = mean
        F = np.empty((len(P), len(self.classes_)))
        for begin in range(0, len(P), BLOCK):
            F[begin : begin + BLOCK] = self.predict_proba(P[begin : begin + BLOCK])
        self.label_distributions_ = F
        self.transduction_ = self.classes_[np.argmax(F, axis=1)]
        self.transduction_[known] = labels[known]
        return self

    def refuse(self) -> None:
        for name, least in (("functions", 0), ("bins", 2)):
            number_above("EigenfunctionClassifier", name, getattr(self, name), least)
        if self.width is not None:
            number_above("EigenfunctionClassifier", "width", self.width, 0.0)
        if not 0.0 <= self.clip < 0.5 or not self.floor >= 0.0:
            raise BadInput(
                f"clip is from 0 to below 1/2 and floor not below 0, not {self.clip!r} and {self.floor!r}"
            )

    def coordinate(self, P: Array, j: int) -> Array:
        made: Array = np.concatenate(
            [
                (P[b : b + BLOCK] - self.mean_) @ self.rotation_[:, j]
                for b in range(0, len(P), BLOCK)
            ]
        )
        return made

    def values(self, P: Array) -> Array:
        """The values of the functions at points."""
        Z = np.clip((P - self.mean_) @ self.rotation_, self.low_, self.high_)
        made = np.empty((len(P), len(self.functions_)))
        for k, f in enumerate(self.functions_):
            made[:, k] = np.interp(Z[:, f.coordinate], f.centres, f.values)
        return made

    def scaled(self, P: Array) -> Array:
        """The values of the functions at points, each function with length 1 over the points of `fit`."""
        made: Array = self.values(P) / self.lengths_
        return made

    def predict_proba(self, X: Any) -> Array:
        """The share of each class: the fitted functions, cut at 0 and scaled to sum to 1."""
        check_is_fitted(self, "alpha_")
        P = points(X)
        if P.shape[1] != self.n_features_in_:
            raise BadInput(f"points have {self.n_features_in_} coordinates, not {P.shape[1]}")
        F = np.maximum(self.constant_ + self.scaled(P) @ self.alpha_, 1e-12)
        made: Array = F / F.sum(axis=1, keepdims=True)
        return made

    def predict(self, X: Any) -> Any:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def smooth(z: Array, j: int, bins: int, width: float, floor: float, most: int) -> list[Function]:
    """The smoothest functions of one coordinate along the density of its values; the constant is left out."""
    count, edges = np.histogram(z, bins)
    p = count / len(z) + floor
    p /= p.sum()
    s = (edges[1:] + edges[:-1]) / 2.0
    W = np.exp(-((s[:, None] - s[None]) ** 2) / (2.0 * width * width))
    near = W @ p  # the column sums of P W: D of (D - P W P) g = change P D g is P times it
    M = np.sqrt(p)[:, None] * W * np.sqrt(p)[None] / np.sqrt(near[:, None] * near[None])
    values, vectors = np.linalg.eigh((M + M.T) / 2.0)  # change = 1 - eigenvalue
    G = vectors / np.sqrt(p * near)[:, None]
    order = np.argsort(-values, kind="stable")[1 : most + 1]
    return [Function(j, max(0.0, 1.0 - float(values[i])), s, G[:, i]) for i in order]
