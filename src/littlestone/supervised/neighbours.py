"""Nearest neighbours, beside scikit-learn's: rows that can go without a change, and votes that are tied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import check_X_y

from ..core.errors import BadInput
from ..core.stream import Array
from .checked_rows import refuse_holes, whole
from .estimators import has_classes

MOST_FEATURES = 6  # a Delaunay triangulation grows like m^(features / 2)


@dataclass
class Condensed:
    """The rows that one nearest neighbour needs. `rows` are their numbers, in order; `X`, `y` the rows themselves."""

    rows: Any
    X: Array
    y: Any
    of: int  # how many rows there were

    def model(self) -> Any:
        """scikit-learn's KNeighborsClassifier(1), fitted to the rows that were kept."""
        return KNeighborsClassifier(1).fit(self.X, self.y)

    def __str__(self) -> str:
        return (
            f"{len(self.rows)} of {self.of} rows decide what the nearest neighbour says, anywhere"
        )


def condense(X: Any, y: Any) -> Condensed:
    """The rows of a training set without which the nearest neighbour would say something else somewhere.

    A row can go if all its neighbours in the Delaunay triangulation have its label: its Voronoi cell then falls to
    cells of the same label. All such rows can go at once: without one of them cells only grow, so no two part; and
    cells that now touch belonged to its neighbours, which have one label. So no other row gains or loses a neighbour of
    another label, and one triangulation is enough (T-CONDENSE).

    >>> X = [[0, 0], [0, 2], [2, 0], [2, 2], [1, 1], [4, 1]]
    >>> found = condense(X, ["a", "a", "a", "a", "a", "b"])
    >>> print(found)
    3 of 6 rows decide what the nearest neighbour says, anywhere
    >>> found.rows.tolist()
    [2, 3, 5]

    Up to 6 dimensions; with as many rows as one likes on a line or in the plane. Ledger: A-CONDENSE, T-CONDENSE; A1.7.
    """
    refuse_holes(X, "condense")
    try:
        X, y = check_X_y(X, y, dtype=np.float64)
    except ValueError as error:
        raise BadInput(f"condense: {error}") from None
    first, place = unique_rows(X, y)
    keep = other_neighbours(flat(X[first]), y[first])
    if not keep.any():  # there is one label only: any row gives it
        keep[0] = True
    rows = np.sort(first[keep])
    return Condensed(rows, X[rows], y[rows], len(place))


def unique_rows(X: Array, y: Any) -> tuple[Any, Any]:
    """The first row of each point, and which point each row is; a point with two labels is refused."""
    _, first, place = np.unique(X, axis=0, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    off = y != y[first[place]]
    if off.any():
        r = int(np.argmax(off))
        raise BadInput(
            f"condense: rows {first[place[r]] + 1} and {r + 1} are the same point, with the labels "
            f"{y[first[place[r]]]} and {y[r]}: the nearest neighbour is not defined there"
        )
    return first, place


def flat(X: Array) -> Array:
    """Coordinates in the smallest affine space that holds all points: this changes squared distances by a constant."""
    centred = X - X.mean(axis=0)
    _, s, V = np.linalg.svd(centred, full_matrices=False)
    rank = int((s > 1e-9 * max(float(s.max(initial=0.0)), 1e-300)).sum())
    if rank > MOST_FEATURES:
        raise BadInput(
            f"condense: the rows span {rank} dimensions and Voronoi cells are computed up to {MOST_FEATURES}: "
            "there nearly every row is a neighbour of another label, and can not go"
        )
    found: Array = centred if rank == X.shape[1] else centred @ V[:rank].T
    return found


def other_neighbours(P: Array, y: Any) -> Any:
    """Does a point have a Voronoi neighbour of another label?"""
    keep = np.zeros(len(P), bool)
    if P.shape[1] == 0:
        return keep
    if P.shape[1] == 1:
        order = np.argsort(P[:, 0])
        pairs = np.stack([order[:-1], order[1:]], axis=1)
    else:
        from scipy.spatial import Delaunay

        made = Delaunay(P)
        corners = made.simplices
        n = corners.shape[1]
        pairs = np.concatenate([corners[:, [a, b]] for a in range(n) for b in range(a)])
        if len(made.coplanar):  # qhull left points out, as too close to others: they stay
            keep[made.coplanar[:, 0]] = True
            pairs = np.concatenate([pairs, made.coplanar[:, [0, 2]]])
    differ = y[pairs[:, 0]] != y[pairs[:, 1]]
    keep[pairs[differ].ravel()] = True
    return keep


@dataclass
class Ties:
    """For each row: is the vote tied, and are two training rows equally far, one counted and one not?"""

    votes: Any
    distances: Any

    def __str__(self) -> str:
        votes, far = int(self.votes.sum()), int(self.distances.sum())
        return f"{votes} of {len(self.votes)} votes are tied, {far} neighbourhoods"


def neighbour_ties(model: Any, X: Any) -> Ties:
    """Where a fitted KNeighborsClassifier answers by a rule for ties rather than by its neighbours (E6 of the notes).

    scikit-learn gives a tied vote to the smallest class, and of rows at the same distance takes the one stored first.

    >>> model = KNeighborsClassifier(2).fit([[0.0], [1.0], [2.0], [3.0]], [1, 0, 0, 1])
    >>> print(neighbour_ties(model, [[0.4], [1.5], [1.0], [2.9]]))
    3 of 4 votes are tied, 1 neighbourhoods

    Ledger: A-NEIGHBOURS; A1.5, A1.6.
    """
    if not isinstance(model, KNeighborsClassifier):
        raise BadInput(
            f"neighbour_ties takes a KNeighborsClassifier of scikit-learn, not {type(model).__name__}"
        )
    if not has_classes(model):
        raise BadInput("neighbour_ties: fit the KNeighborsClassifier first")
    try:
        top = np.sort(np.asarray(model.predict_proba(X)), axis=1)
        k = model.n_neighbors
        if k < model.n_samples_fit_:
            d = model.kneighbors(X, k + 1)[0]
            far = d[:, k] - d[:, k - 1] <= 1e-12 * d[:, k]
        else:
            far = np.zeros(len(top), bool)
    except ValueError as error:
        raise BadInput(f"neighbour_ties: {error}") from None
    alone = top.shape[1] == 1
    return Ties(np.zeros(len(top), bool) if alone else top[:, -1] - top[:, -2] <= 1e-12, far)


def can_tie(k: int, classes: int) -> bool:
    """Can the vote of k neighbours be tied? With two classes for even k; with three or more for every k but 1.

    >>> (
    ...     [k for k in range(1, 10) if not can_tie(k, 2)],
    ...     [k for k in range(1, 10) if not can_tie(k, 3)],
    ... )
    ([1, 3, 5, 7, 9], [1])

    Two classes with a votes each leave k - 2a, of which no other class may have more than a. Ledger: T1.15, W36.
    """
    k, classes = whole("can_tie: k", k), whole("can_tie: classes", classes)
    return any(k - 2 * a <= (classes - 2) * a for a in range(1, k // 2 + 1)) and classes > 1
