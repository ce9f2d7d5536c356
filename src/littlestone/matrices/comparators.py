"""Simple matrices to compare with, made of the entries that a run has seen.

Constant ones, the majority of each row, of each column, and blocks of k classes of rows and of columns, found by
alternating between the two; each with its mistakes, a bound on its max-norm and one on its quasi-dimension (over the
rows and columns that were seen: the others were never asked about). Whatever the classes are, these numbers belong
to a matrix, so a bound that holds for every matrix may be checked at it: nothing here has to be optimal to be right.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import Comparators
from ..hindsight.search.kept_rounds import KeptRounds
from .biclusters import one_hot
from .max_norm import max_norm
from .path_tree import path_tree
from .side_information import Side

LIMIT = 1500  # rows, or columns, seen up to which a kernel among them is inverted
CLASSES = (2, 3, 4, 6, 8, 12)  # of blocks
SWEEPS = 20


class Entries(NamedTuple):
    """The entries of a run, with rows and columns numbered as they are met."""

    i: Any
    j: Any
    y: Any  # -1 or +1, times its importance
    m: int
    n: int


def comparators(learner: Any, rounds: KeptRounds) -> Comparators:
    """The matrices that the rounds of one run are compared with."""
    known = rounds.known
    if not known.any():
        return Comparators("own", str, np.zeros(0), why="no round had an answer")
    X = np.asarray(rounds.x)[known].astype(np.int64)
    rows, i = np.unique(X[:, 0], return_inverse=True)
    columns, j = np.unique(X[:, 1], return_inverse=True)
    e = Entries(i, j, (rounds.signed * rounds.h)[known], len(rows), len(columns))
    row_norms = Norms(learner.row_kernel, rows)
    column_norms = Norms(learner.column_kernel, columns)
    names, L, maxnorm, quasi = [], [], [], []
    for name, r, c in classes(e, row_norms, column_norms):
        core = signs(e, r, c)
        names.append(name)
        L.append(float(np.abs(e.y)[core[r[e.i], c[e.j]] != np.sign(e.y)].sum()) * rounds.passes)
        maxnorm.append(simple(core))
        quasi.append(row_norms.of(r) + column_norms.of(c))
    more = {"maxnorm": np.array(maxnorm), "quasi": np.array(quasi)}
    return Comparators("own", names.__getitem__, np.array(L), more)


def classes(e: Entries, row_norms: Norms, column_norms: Norms) -> Any:
    """Classes of rows and columns, by name."""
    one_row, one_column = np.zeros(e.m, np.int64), np.zeros(e.n, np.int64)
    row_side = (np.bincount(e.i, e.y, e.m) > 0).astype(np.int64)
    column_side = (np.bincount(e.j, e.y, e.n) > 0).astype(np.int64)
    yield "one label for all", one_row, one_column
    yield "the majority of each row", row_side, one_column
    yield "the majority of each column", one_row, column_side
    profile = np.sign(np.bincount(e.i * e.n + e.j, e.y, e.m * e.n).reshape(e.m, e.n))
    for k in CLASSES:
        if k <= min(e.m, e.n):
            yield f"{k} x {k} blocks", *blocks(profile, k)
    if row_norms.plain and column_norms.plain:
        return
    smooth = row_norms.smoothed(column_norms.smoothed(profile.T).T)
    for k in CLASSES:
        if k <= min(e.m, e.n):
            yield f"{k} x {k} blocks, smoothed by the kernels", *blocks(smooth, k)


def table(e: Entries, r: Any, c: Any) -> Any:
    """The sums of the labels of each block."""
    k, n = int(r.max()) + 1, int(c.max()) + 1
    return np.bincount(r[e.i] * n + c[e.j], e.y, k * n).reshape(k, n)


def signs(e: Entries, r: Any, c: Any) -> Any:
    return np.where(table(e, r, c) > 0, 1.0, -1.0)


def blocks(profile: Any, k: int) -> tuple[Any, Any]:
    """k classes of rows and of columns: begin with rows far apart, then each goes where it fits best, in turns."""
    r = spread(profile, k)
    c = spread(profile.T, k)
    for _ in range(SWEEPS):
        before = r, c
        r = np.argmax((profile @ one_hot(c, k)) @ core(profile, r, c, k).T, axis=1)
        c = np.argmax((profile.T @ one_hot(r, k)) @ core(profile, r, c, k), axis=1)
        if (before[0] == r).all() and (before[1] == c).all():
            break
    return compact(r), compact(c)


def core(profile: Any, r: Any, c: Any, k: int) -> Any:
    return np.where(one_hot(r, k).T @ profile @ one_hot(c, k) > 0, 1.0, -1.0)


def spread(profile: Any, k: int) -> Any:
    """Classes by the nearest of k rows that are far from each other, in the space of the first singular vectors."""
    S, s, _ = np.linalg.svd(profile, full_matrices=False)
    Z = S[:, :k] * s[:k]
    chosen = [int(np.argmax((Z**2).sum(axis=1)))]
    far = ((Z - Z[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < k:
        chosen.append(int(np.argmax(far)))
        far = np.minimum(far, ((Z - Z[chosen[-1]]) ** 2).sum(axis=1))
    return np.argmin(((Z[:, None] - Z[chosen][None]) ** 2).sum(axis=2), axis=1)


def compact(labels: Any) -> Any:
    """The same classes, numbered without gaps."""
    return np.unique(labels, return_inverse=True)[1]


def simple(core: Any) -> float:
    """A bound on the max-norm: that of the core, for repeating rows and columns does not change it."""
    small = np.unique(np.unique(core, axis=0), axis=1)
    return min(math.sqrt(min(small.shape)), max_norm(small, 1e-9, 500).upper)


class Norms:
    """Half of the quasi-dimension, of classes of the rows (or columns) that were seen: k R tr(R' K^-1 R) at most."""

    def __init__(self, kernel: Side, seen: Any) -> None:
        self.top, self.K = kernel.top, None
        self.plain = not kernel.is_known
        if self.plain or len(seen) > LIMIT:
            return
        if len(kernel.dense):
            self.K = kernel.dense[np.ix_(seen, seen)]
        elif kernel.levels:
            self.K = path_tree(2**kernel.levels, seen)
        else:
            from scipy.sparse import csr_array

            size = len(kernel.begins) - 1
            whole = csr_array((kernel.entry, kernel.index, kernel.begins), shape=(size, size))
            self.K = whole[seen][:, seen].toarray()
        w, E = np.linalg.eigh(self.K)
        good = w > len(w) * np.finfo(float).eps * max(float(w[-1]), 0.0)
        self.inverse = (E[:, good] / w[good]) @ E[:, good].T

    def smoothed(self, profile: Any) -> Any:
        """Each row as the mean of those that are like it."""
        if self.K is None:
            return profile
        alike = self.K - self.K.min()
        np.fill_diagonal(alike, np.maximum(alike.diagonal(), 1e-12))
        return (alike / alike.sum(axis=1, keepdims=True)) @ profile

    def of(self, labels: Any) -> float:
        R = one_hot(labels)
        if self.plain:
            return float(len(labels))
        if self.K is None:
            return math.inf
        C = self.inverse @ R
        if np.abs(self.K @ C - R).max() > 1e-6:  # no function of this kernel has these values
            return math.inf
        return float(R.shape[1] * self.top * np.einsum("ij,ij->", R, C))
