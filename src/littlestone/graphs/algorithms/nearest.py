"""The nearest points of each point: by a tree in few coordinates, by all distances in many, or nearly by hnswlib.

All distances of n points take time as n^2, a block at a time, in BLAS: 10,000 points in 784 coordinates took 7 s of a
core. hnswlib, where it is installed, takes time about as n log n, and misses a few: 60,000 points in 64 coordinates
took 12 s. It searches harder until it finds at least 95 of 100 in a sample that is looked up exactly.
"""

from __future__ import annotations

import importlib
import time
import warnings
from typing import Any

import numpy as np

from ...core.errors import BadInput, SlowSearch
from ...core.extras import import_extra
from ...core.stream import Array

FEW = 16  # in at most so many coordinates a tree finds neighbours
MANY = 50_000  # from so many points on, in more coordinates, hnswlib is used where it is installed
BLOCK = 1 << 24  # at most so many distances are in memory at once
LONG = 30.0  # a search that takes more seconds is announced
SAMPLE = 200  # the neighbours of so many points are looked up exactly, to see what hnswlib misses
RECALL = 0.95
SEARCHES = ("auto", "exact", "hnswlib")


def neighbours_of(P: Array, k: int, search: str = "auto") -> Any:
    """The k nearest others of each point; of equally far ones those with smaller numbers, where the search is exact."""
    if search not in SEARCHES:
        raise BadInput(f"search must be one of {', '.join(SEARCHES)}, not {search!r}")
    library = None
    if search == "hnswlib":
        library = import_extra('search="hnswlib"', "hnswlib")
    elif search == "auto" and P.shape[1] > FEW and len(P) > MANY:
        library = hnswlib()
    if library is not None:
        return by_hnswlib(library, P, k)[0]
    return by_tree(P, k) if P.shape[1] <= FEW else by_blocks(P, k)


def hnswlib() -> Any:
    """The library, or None where it is not installed."""
    try:
        return importlib.import_module("hnswlib")
    except ImportError:
        return None


def by_tree(P: Array, k: int) -> Any:
    from scipy.spatial import cKDTree

    return others(cKDTree(P).query(P, min(k + 1, len(P)))[1])


def others(near: Any) -> Any:
    """The k nearest others, from the k + 1 nearest, of which one is the point itself."""
    n = len(near)
    itself = near == np.arange(n)[:, None]  # not always the first: others may lie on it
    itself[~itself.any(axis=1), -1] = True  # where k + 1 others lie on it, the last one is left out
    return near[~itself].reshape(n, -1).astype(np.int64)


def by_blocks(P: Array, k: int) -> Any:
    """All distances, a block of points at a time."""
    n, squares = len(P), np.einsum("ij,ij->i", P, P)
    found, step = np.empty((n, k), np.int64), max(1, BLOCK // n)
    began = time.monotonic()
    for begin in range(0, n, step):
        rows = np.arange(begin, min(n, begin + step))
        found[rows] = nearest_rows(P, squares, P[rows], k, rows)
        if begin == 0 and (expected := (time.monotonic() - began) * n / len(rows)) > LONG:
            warnings.warn(
                f"all distances of {n:,} points in {P.shape[1]} coordinates take about {expected:.0f} s; "
                "with hnswlib installed the search is faster, and not quite exact",
                SlowSearch,
                stacklevel=2,
            )
    return found


def nearest_rows(P: Array, squares: Array, Q: Array, k: int, itself: Any = None) -> Any:
    """The k nearest points of each row of Q, nearest first; `itself`: which point each row is, that is left out."""
    D = squares[None, :] - 2.0 * (Q @ P.T)
    if itself is not None:
        D[np.arange(len(Q)), itself] = np.inf
    some = np.argpartition(D, k - 1, axis=1)[:, :k]
    last = np.take_along_axis(D, some, 1).max(axis=1)
    # where others are as far as the last one, which of them is found depends on the processor
    for r in np.flatnonzero((last[:, None] >= D).sum(axis=1) > k):
        nearer, as_far = np.flatnonzero(D[r] < last[r]), np.flatnonzero(D[r] == last[r])
        some[r] = np.concatenate([nearer, as_far[: k - len(nearer)]])
    order = np.lexsort((some, np.take_along_axis(D, some, 1)), axis=1)
    return np.take_along_axis(some, order, 1)


def by_hnswlib(library: Any, P: Array, k: int) -> tuple[Any, float]:
    """The k nearest others of each point, nearly all of them, and which part of a sample's neighbours was found.

    Malkov & Yashunin (2018). One thread and a fixed seed: the same points give the same neighbours.
    """
    n, squares = len(P), np.einsum("ij,ij->i", P, P)
    index = library.Index(space="l2", dim=P.shape[1])
    index.init_index(max_elements=n, ef_construction=100, M=16, random_seed=0)
    index.set_num_threads(1)
    index.add_items(np.asarray(P, np.float32), np.arange(n))
    some = np.sort(np.random.default_rng(0).choice(n, min(n, SAMPLE), replace=False))
    exact = nearest_rows(P, squares, P[some], k, some)
    wide = 4 * (k + 1)
    while True:
        index.set_ef(wide)
        part = index.knn_query(np.asarray(P[some], np.float32), min(k + 1, n))[0].astype(np.int64)
        hits = sum(len(np.intersect1d(a, b)) for a, b in zip(part, exact, strict=True))
        recall = hits / exact.size
        if recall >= RECALL:
            break
        if wide >= n:
            return by_blocks(P, k), 1.0
        wide *= 2
    near = index.knn_query(np.asarray(P, np.float32), min(k + 1, n))[0].astype(np.int64)
    return others(near), recall


def nearest_of(P: Array, Q: Array, k: int) -> tuple[Array, Any]:
    """How far the k nearest points of each row of Q are, and which they are, nearest first."""
    if P.shape[1] <= FEW:
        from scipy.spatial import cKDTree

        far, near = cKDTree(P).query(Q, k)
        return np.reshape(far, (-1, k)), np.reshape(near, (-1, k))
    squares, step = np.einsum("ij,ij->i", P, P), max(1, BLOCK // len(P))
    near = np.concatenate(
        [nearest_rows(P, squares, Q[b : b + step], k) for b in range(0, len(Q), step)]
    )
    far = np.stack([np.linalg.norm(Q - P[near[:, j]], axis=1) for j in range(k)], axis=1)
    return far, near
