"""Graphs of points: the nearest neighbours of each, all within a radius, the shortest tree, or all pairs.

Ledger: A-POINTS; A6.1 to A6.6 of lecture 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .graph import Graph, packed
from .nearest import neighbours_of

PATTERNS = ("knn", "radius", "mst", "spt", "complete")


def from_points(
    X: Any,
    pattern: str = "knn",
    *,
    k: int = 10,
    radius: float | None = None,
    root: int = 0,
    weight: str | Callable[[Array], Any] = "unit",
    scale: float = 1.0,
    symmetrise: str = "union",
    ensure_connected: bool = False,
    search: str = "auto",
) -> Graph:
    """The graph of points, which are the rows of X.

    "knn" joins each point to its k nearest others, "radius" those at most `radius` apart, "mst" is a shortest tree
    that joins them all, "spt" the shortest paths from the point `root` along the edges of "knn" and "mst" together,
    "complete" joins all pairs. `weight` is "unit", "exponential" exp(-scale d), "gaussian"
    exp(-scale d^2), "local" (of "knn": the mean, over the ends r away from their k-th nearest that have the other among
    their k, of exp(-4 scale d^2 / r^2)), or a function of an array of distances d. Points at distance 0 are joined like
    others. `search` is how "knn" looks for neighbours: "exact", "hnswlib" (an extra; at least 95 of 100 are
    found), or "auto", which is exact up to 50,000 points or 16 coordinates, and beyond both takes hnswlib where it is
    installed.

    >>> g = from_points([[-2, 0], [-1, -1], [0, 0], [1, 1], [2, 0]], k=2)  # W27
    >>> [(int(a), int(b)) for a, b, _ in zip(*g.pairs())]
    [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)]
    """
    P = points(X)
    n = len(P)
    if pattern not in PATTERNS:
        raise BadInput(f"pattern must be one of {', '.join(PATTERNS)}, not {pattern!r}")
    if symmetrise not in ("union", "mutual"):
        raise BadInput(f'symmetrise must be "union" or "mutual", not {symmetrise!r}')
    if pattern == "knn":
        if not (isinstance(k, (int, np.integer)) and 1 <= k < max(n, 2)):
            raise BadInput(f"k must be a whole number from 1 to {n - 1}, not {k!r}")
        near = neighbours_of(P, int(k), search)
        a, b = join_neighbours(near, symmetrise)
    elif pattern == "radius":
        if radius is None or not (math.isfinite(radius) and radius > 0.0):
            raise BadInput(f"radius must be a number above 0, not {radius!r}")
        a, b = within(P, float(radius))
    elif pattern == "mst":
        a, b = shortest_tree(P)
    elif pattern == "spt":
        if not (isinstance(root, (int, np.integer)) and 0 <= root < n):
            raise BadInput(f"root must be the number of a point, from 0 to {n - 1}, not {root!r}")
        a, b = shortest_paths(P, min(k, max(n - 1, 1)), int(root))
    else:
        a, b = np.triu_indices(n, 1)
    if ensure_connected and pattern in ("knn", "radius"):
        c, d = shortest_tree(P)
        key = np.unique(np.concatenate([a * n + b, c * n + d]))
        a, b = key // n, key % n
    if isinstance(weight, str) and weight == "local":
        if pattern != "knn":
            raise BadInput(f'weight="local" is for pattern="knn", not {pattern!r}')
        return packed(a, b, local_weights(P, a, b, near[:, -1], scale), n)
    return packed(a, b, conductances(P, a, b, weight, scale), n)


def points(X: Any) -> Array:
    try:
        P = np.ascontiguousarray(X, np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"points are a matrix of numbers, one point a row, not {X!r:.60}") from None
    if P.ndim != 2 or not P.size:
        raise BadInput(f"points are a matrix, one point a row, not of shape {P.shape}")
    if not np.isfinite(P).all():
        r, c = map(int, np.argwhere(~np.isfinite(P))[0])
        raise BadInput(f"row {r + 1}, column {c + 1}: {P[r, c]:g} is not a finite number")
    return P


def join_neighbours(near: Any, symmetrise: str) -> tuple[Any, Any]:
    """Pairs a < b of which one (or, mutually, each) is among the k nearest others of the other."""
    n, k = near.shape
    rows, columns = np.repeat(np.arange(n), k), near.reshape(-1)
    key = np.minimum(rows, columns) * n + np.maximum(rows, columns)
    once, count = np.unique(key, return_counts=True)
    once = once if symmetrise == "union" else once[count == 2]
    return once // n, once % n


def within(P: Array, radius: float) -> tuple[Any, Any]:
    from scipy.spatial import cKDTree

    pairs = cKDTree(P).query_pairs(radius, output_type="ndarray").astype(np.int64)
    return pairs.min(axis=1, initial=len(P)), pairs.max(axis=1, initial=0)


def shortest_tree(P: Array) -> tuple[Any, Any]:
    """The edges of a tree of least total length (Prim), O(n^2): a distance of 0 is a distance like others."""
    n = len(P)
    far, parent = np.full(n, np.inf), np.zeros(n, np.int64)
    inside, v = np.zeros(n, bool), 0
    a, b = np.empty(max(n - 1, 0), np.int64), np.empty(max(n - 1, 0), np.int64)
    for e in range(n - 1):
        inside[v] = True
        d = ((P - P[v]) ** 2).sum(axis=1)
        closer = ~inside & (d < far)
        far[closer], parent[closer] = d[closer], v
        v = int(np.argmin(np.where(inside, np.inf, far)))
        a[e], b[e] = min(v, parent[v]), max(v, parent[v])
    return a, b


def shortest_paths(P: Array, k: int, root: int) -> tuple[Any, Any]:
    """The tree of shortest paths from a point, along edges to k nearest neighbours and of a shortest tree (A6.4)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    n = len(P)
    if n == 1:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    a, b = join_neighbours(neighbours_of(P, k), "union")
    c, e = shortest_tree(P)
    key = np.unique(np.concatenate([a * n + b, c * n + e]))
    a, b = key // n, key % n
    d = np.sqrt(((P[a] - P[b]) ** 2).sum(axis=1))
    d = np.maximum(d, 1e-12 * d.max(initial=1.0))  # SciPy takes a length of 0 for no edge
    lengths, start = csr_array((d, (a, b)), (n, n)), np.array(root)
    before: Any = dijkstra(lengths, False, start, return_predecessors=True)[1]
    others = np.flatnonzero(np.arange(n) != root)
    up = before[others].astype(np.int64)
    return np.minimum(others, up), np.maximum(others, up)


def local_weights(P: Array, a: Any, b: Any, last: Any, scale: float) -> Array:
    """Weights that fall to e^(-4 scale) at the k-th nearest, `last`, of either end; half of it counts for each end.

    So dense and thin regions are joined alike: a length counts relative to those nearby.
    """
    if not (math.isfinite(scale) and scale > 0.0):
        raise BadInput(f"scale must be a number above 0, not {scale!r}")
    d2: Array = ((P[a] - P[b]) ** 2).sum(axis=1)
    r2: Array = ((P - P[last]) ** 2).sum(axis=1)
    w, slack = np.zeros(len(a)), 1.0 + 1e-9  # so that rounding does not leave out the k-th itself
    for end in (a, b):
        r = r2[end]
        ratio = np.divide(d2, r, out=np.zeros_like(d2), where=r > 0.0)
        w += 0.5 * np.where(d2 <= slack * r, np.exp(-4.0 * scale * ratio), 0.0)
    return np.maximum(w, 0.5 * math.exp(-4.0 * scale))  # of points equally far, one may be left out


def conductances(P: Array, a: Any, b: Any, weight: Any, scale: float) -> Array:
    """The conductances of the edges (a, b), computed from their lengths by `weight`."""
    if isinstance(weight, str) and weight == "unit":
        return np.ones(len(a))
    d: Array = np.sqrt(((P[a] - P[b]) ** 2).sum(axis=1))
    if callable(weight):
        w = np.asarray(weight(d), np.float64)
        if w.shape != d.shape:
            raise BadInput(
                f"weight must return one number a distance: {len(d)}, not an array of shape {w.shape}"
            )
    elif weight in ("exponential", "gaussian"):
        if not (math.isfinite(scale) and scale > 0.0):
            raise BadInput(f"scale must be a number above 0, not {scale!r}")
        w = np.exp(-scale * (d if weight == "exponential" else d * d))
    else:
        raise BadInput(
            f'weight must be "unit", "exponential", "gaussian", "local" or a function of distances, not {weight!r}'
        )
    bad = ~(np.isfinite(w) & (w > 0.0))
    if bad.any():
        e = int(np.argmax(bad))
        raise BadInput(
            f"points {a[e]} and {b[e]}, {d[e]:g} apart: the weight of an edge is above 0, not {w[e]:g}; "
            "another scale helps"
        )
    return w
