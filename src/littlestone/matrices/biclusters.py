"""Matrices of blocks: U_ij depends on the class of row i and the class of column j alone.

    U = R U* C',  R and C one-hot;   similarity matrices: U_ij = +1 iff i and j are of one class

Ledger: A-BICLUSTER; T-SIMILARITY, E-BICLUSTER, E-SIMRANK.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array


class Blocks(NamedTuple):
    """A matrix of latent blocks."""

    U: Array  # m x n, of -1 and +1
    core: Array  # k x l
    row_class: Any  # of each row
    column_class: Any


def one_hot(classes: Any, k: int | None = None) -> Array:
    """The block expansion matrix of class labels 0, 1, …

    >>> one_hot([0, 1, 0]).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    c = np.asarray(classes, dtype=np.int64)
    made: Array = np.eye(k or int(c.max(initial=0)) + 1)[c]
    return made


def latent_blocks(m: int, n: int, k: int, l: int, seed: int = 0) -> Blocks:  # noqa: E741  as in the notes
    """A random matrix of k classes of rows and l of columns, every class used.

    >>> made = latent_blocks(6, 4, 2, 2, seed=1)
    >>> made.U.shape, bool((made.U == made.core[made.row_class][:, made.column_class]).all())
    ((6, 4), True)
    """
    if not (1 <= k <= m and 1 <= l <= n):
        raise BadInput(f"{k} x {l} blocks do not fit into a matrix of {m} x {n}")
    rng = np.random.default_rng(seed)
    r = rng.permutation(np.append(np.arange(k), rng.integers(k, size=m - k)))
    c = rng.permutation(np.append(np.arange(l), rng.integers(l, size=n - l)))
    core = rng.choice([-1.0, 1.0], (k, l))
    return Blocks(core[r][:, c], core, r, c)


def similarity(classes: Any) -> Array:
    """+1 where row and column are of one class, else -1.

    >>> similarity([0, 0, 1]).tolist()
    [[1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]
    """
    c = np.asarray(classes)
    return np.where(c[:, None] == c[None, :], 1.0, -1.0)


def bcd(U: Any) -> int:
    """The biclustering dimension: the number of different rows, or of different columns, whichever is smaller.

    >>> bcd([[1, 1, -1], [1, 1, -1], [-1, 1, 1]])
    2
    """
    M = np.asarray(U)
    return min(len(np.unique(M, axis=0)), len(np.unique(M, axis=1).T))


def neighbours(classes: Any, degree: int = 4, wrong: float = 0.1, seed: int = 0) -> Array:
    """A connected graph whose edges mostly join members of one class: side information for rows or columns.

    Every vertex draws `degree` neighbours, of another class with probability `wrong`; a ring of weight 0.01 through all
    vertices keeps the graph connected.
    """
    c, rng = np.asarray(classes), np.random.default_rng(seed)
    m = len(c)
    W = np.zeros((m, m))
    for i in range(m):
        same = np.flatnonzero((c == c[i]) & (np.arange(m) != i))
        other = np.flatnonzero(c != c[i])
        for _ in range(degree):
            pool = other if len(other) and (rng.random() < wrong or not len(same)) else same
            if len(pool):
                j = int(rng.choice(pool))
                W[i, j] = W[j, i] = 1.0
    for i in range(m):
        j = (i + 1) % m
        if j != i and W[i, j] == 0.0:
            W[i, j] = W[j, i] = 0.01
    return W
