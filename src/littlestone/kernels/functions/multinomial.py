"""The features of the polynomial kernel, written out: monomials with the square roots of their multinomial weights."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.stream import Array
from .examples import matrix

MOST = 1_000_000  # features


def polynomial_features(X: Any, degree: int, constant: float = 1.0) -> Array:
    """phi with <phi(x), phi(z)> = (constant + <x, z>)^degree, exactly.

    scikit-learn's PolynomialFeatures has the same monomials with weights of 1, which give another kernel.

    >>> polynomial_features([[1.0, 2.0]], 2).round(
    ...     3
    ... ).tolist()  # 1, sqrt 2 x1, sqrt 2 x2, x1^2, sqrt 2 x1 x2, x2^2
    [[1.0, 1.414, 2.828, 1.0, 2.828, 4.0]]

    Ledger: A-MULTINOMIAL; A2.8-A2.10, T2.7, T2.8.
    """
    M = matrix(X, "X")
    M = as_dense(M)
    if isinstance(degree, bool) or not isinstance(degree, (int, np.integer)) or degree < 0:
        raise BadInput(
            f"polynomial_features: degree must be a whole number, 0 or more, not {degree!r}"
        )
    if not 0.0 <= constant < math.inf:
        raise BadInput(f"polynomial_features: constant must be 0 or more, not {constant!r}")
    wide = M.shape[1] + (constant > 0.0)
    many = math.comb(wide + degree - 1, degree)
    if many > MOST:
        raise BadInput(f"polynomial_features: {many:,} features are too many: use the kernel")
    if constant > 0.0:
        M = np.hstack([np.full((len(M), 1), math.sqrt(constant)), M])
    columns = []
    for chosen in combinations_with_replacement(range(wide), degree):
        weight = math.factorial(degree)
        for j in set(chosen):
            weight //= math.factorial(chosen.count(j))
        columns.append(math.sqrt(weight) * M[:, list(chosen)].prod(axis=1))
    return np.column_stack(columns) if columns else np.zeros((len(M), 0))
