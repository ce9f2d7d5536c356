"""Boolean features: literals, monomials, De Morgan's laws, thresholds; and real features made Boolean.

Every map takes a row or a matrix of 0 and 1 and gives a new array; none has a state.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from ..core.csr import is_sparse
from ..core.errors import BadInput
from ..core.stream import Array

LIMIT = 1 << 24  # numbers that a map may make


def bits(X: Any) -> Array:
    """The features as numbers, all of them 0 or 1, or a refusal that names the first that is not.

    >>> bits([[0, 1], [1, 1]]).tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    a: Array = np.asarray(X, dtype=np.float64)
    grey = (a != 0.0) & (a != 1.0)
    if grey.any():
        at = tuple(int(i) for i in np.argwhere(grey)[0])
        where = f"feature {at[-1]}" if a.ndim == 1 else f"row {at[0]}, feature {at[-1]}"
        raise BadInput(f"{where} is {a[at]:g}; Boolean features are 0 or 1 (binarise makes them)")
    return a


def binarise(X: Any) -> Any:
    """Real features as Boolean ones: 1 where the number is above 0, else 0. A sparse matrix stays sparse.

    It has no parameters and no memory, so an example is mapped the same way whenever it comes; centre the features
    first if 0 says nothing about them.

    >>> binarise([[0.5, -2.0, 0.0]]).tolist()
    [[1.0, 0.0, 0.0]]
    """
    if is_sparse(X):
        on = X.tocsr() > 0
        return on.astype(np.float64)
    a = np.asarray(X, dtype=np.float64)
    if np.isnan(a).any():
        raise BadInput("binarise: a feature is NaN, which is neither above 0 nor not")
    return (a > 0.0).astype(np.float64)


def literals(X: Any) -> Array:
    """(x_1, 1 - x_1, …, x_n, 1 - x_n): any disjunction of literals is a monotone one of these (A-LITERALS).

    >>> literals([1, 0]).tolist()
    [1.0, 0.0, 0.0, 1.0]
    """
    a = bits(X)
    both: Array = np.stack((a, 1.0 - a), axis=-1).reshape(*a.shape[:-1], 2 * a.shape[-1])
    return both


def de_morgan(X: Any, y: Any) -> tuple[Array, Any]:
    """Negate inputs and labels: a conjunction of literals becomes the disjunction of their negations.

    y may hold -1 and +1, or 0 and 1. Twice is the identity.

    >>> X, y = de_morgan([[1, 1], [1, 0]], [1, -1])  # x_1 and x_2
    >>> X.tolist(), y.tolist()  # not x_1 or not x_2
    ([[0.0, 0.0], [0.0, 1.0]], [-1, 1])
    """
    labels = np.asarray(y)
    return 1.0 - bits(X), -labels if (labels == -1).any() or not (labels == 0).any() else 1 - labels


def monomials(X: Any, degree: int | None = None) -> Array:
    """The product of every set of at most `degree` features, the empty one first; all 2^n without `degree`.

    A disjunction of these is a monotone DNF whose terms have at most `degree` variables; give it `literals` for any.
    They come by size, then in lexicographic order:

    >>> monomials([1, 0, 1]).tolist()  # 1, a, b, c, ab, ac, bc, abc
    [1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    """
    a = bits(X)
    n = a.shape[-1]
    most = n if degree is None else min(degree, n)
    columns = sum(comb(n, j) for j in range(most + 1))
    rows = a.size // max(1, n)
    if columns * max(1, rows) > LIMIT:
        raise BadInput(
            f"monomials: {rows:,} rows of {columns:,} products of at most {most} of {n} features; there is room for "
            f"{LIMIT:,} numbers: choose a smaller degree (the ANOVA kernel needs no products)"
        )
    sets = (s for j in range(most + 1) for s in combinations(range(n), j))
    products: Array = np.stack([a[..., list(s)].prod(axis=-1) for s in sets], axis=-1)
    return products


def disjunction(X: Any, features: Any) -> Array:
    """1 where one of the features is 1, else 0.

    >>> disjunction([[1, 0, 0], [0, 0, 1]], [0, 1]).tolist()
    [1.0, 0.0]
    """
    found: Array = bits(X)[..., list(features)].max(axis=-1, initial=0.0)
    return found


def conjunction(X: Any, features: Any) -> Array:
    """1 where all of the features are 1, else 0."""
    found: Array = bits(X)[..., list(features)].min(axis=-1, initial=1.0)
    return found


def threshold(features: Any, n: int, conjunctive: bool = False) -> tuple[Array, float]:
    """The weights u and the offset b with u . x - b > 0 just where the disjunction (conjunction) holds.

    u is 1 on the k features, b is 1/2 (k - 1/2 for a conjunction); the margin is 1/2 either way. A-LTF-DISJ.

    >>> u, b = threshold([0, 2], 3)
    >>> u.tolist(), b
    ([1.0, 0.0, 1.0], 0.5)
    """
    u = np.zeros(n)
    u[list(features)] = 1.0
    return u, float(u.sum()) - 0.5 if conjunctive else 0.5
