"""The path-tree kernel: a kernel over time, for which a sequence that seldom changes has a small norm.

    a path of T positions is the first T leaves of a complete binary tree of height h = ceil(log2 T);
    P = the inverse of its positive definite Laplacian, at the leaves
    P(t, u) = 2 R_L - (height of the lowest common ancestor of t and u)

So an entry costs O(log T), and no matrix is ever inverted. R_L is the largest entry on the diagonal of the
pseudo-inverse of the Laplacian. Herbster, Lever & Pontil (2009). Ledger: A-PATH-TREE; T-PATHTREE, E-PATHTREE,
X-PATHTREE.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array


def height(T: int) -> int:
    """ceil(log2 T), of the tree over T >= 2 positions.

    >>> height(2), height(5), height(8)
    (1, 3, 3)
    """
    if not isinstance(T, (int, np.integer)) or isinstance(T, bool) or T < 2:
        raise BadInput(f"a path must have a whole number of positions, at least 2, not {T!r}")
    return (int(T) - 1).bit_length()


def leaf_resistance(T: int) -> Fraction:
    """R_L, exactly: the mean resistance from a leaf, less half the mean over all pairs of vertices.

    In a tree the resistance between two vertices is their distance. O(log T).

    >>> leaf_resistance(8)
    Fraction(487, 225)
    """
    h = height(T)
    N = 2 ** (h + 1) - 1
    leaf = 0  # the distances from a leaf: to each ancestor, and to what hangs on the ancestor's other side
    for g in range(1, h + 1):
        leaf += g + sum(2**e * (g + 1 + e) for e in range(g))
    pairs = 0  # the distances of all pairs: an edge lies between s and N - s vertices
    for g in range(h):
        s = 2 ** (g + 1) - 1
        pairs += 2 ** (h - g) * s * (N - s)
    return Fraction(leaf, N) - Fraction(pairs, N * N)


def entry(t: int, u: int, T: int) -> Fraction:
    """P(t, u), exactly, for positions counted from 0.

    >>> [str(entry(0, u, 8)) for u in (0, 1, 2, 4)]
    ['974/225', '749/225', '524/225', '299/225']
    """
    for v in (t, u):
        if not 0 <= v < T:
            raise BadInput(f"a position must be a whole number from 0 to {T - 1}, not {v!r}")
    return 2 * leaf_resistance(T) - (int(t) ^ int(u)).bit_length()


def path_tree(T: int, positions: Any = None) -> Array:
    """The kernel as a matrix, over all T positions or those asked for.

    >>> path_tree(2).round(4).tolist()
    [[1.1111, 0.1111], [0.1111, 1.1111]]
    """
    top = 2.0 * float(leaf_resistance(T))
    at = np.arange(T) if positions is None else np.asarray(positions, dtype=np.int64)
    if at.size and not (at.min() >= 0 and at.max() < T):
        raise BadInput(f"positions must be from 0 to {T - 1}")
    _, heights = np.frexp((at[:, None] ^ at[None, :]).astype(np.float64))  # bits of a whole number
    made: Array = top - heights
    return made


def cuts(f: Any) -> int:
    """How often a sequence changes: k(f).

    >>> cuts([0, 0, 1, 1, 0])
    2
    """
    v = np.asarray(f)
    return int(np.count_nonzero(v[1:] != v[:-1]))


def norm_bound(f: Any) -> int:
    """What |f|_P^2 max P(t, t) is at most, for f of zeros and ones: k(f) ceil(log2 T)^2 + 2 (T-PATHTREE).

    >>> norm_bound([0, 0, 0, 0, 1, 1, 1, 1])
    11
    """
    return cuts(f) * height(len(f)) ** 2 + 2
