"""The ANOVA kernel by Newton's identities: power sums by matrix products, with a limit on what cancels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.stream import Array
from .examples import matrix
from .subsets import Anova

LOST = 1e-9  # of the largest entry; where more could cancel, the other recursion is taken


def newton_anova(X: Any, Z: Any = None, degree: int = 2) -> Array:
    """The matrix of `Anova(degree)`: k_d = (1/d) sum_{s=1..d} (-1)^(s+1) k_(d-s) p_s, p_s = sum_i (x_i z_i)^s.

    The power sums are matrix products, so it takes `degree` of them where `Anova` goes through the features one by one.
    Signs alternate, and digits cancel: the same recursion without signs says how many can. Where that is more than 1e-9
    of the largest entry, `Anova` is computed instead.

    >>> newton_anova([[1, 1, 1]], [[1, 2, 3]]).tolist()  # 2 + 3 + 6
    [[11.0]]

    Ledger: A-NEWTON-ANOVA; A2.16, A2.25.
    """
    if isinstance(degree, bool) or not isinstance(degree, (int, np.integer)) or degree < 0:
        raise BadInput(f"newton_anova: degree must be a whole number of at least 0, not {degree!r}")
    X = matrix(X, "X")
    Z = X if Z is None else matrix(Z, "Z")
    if Z.shape[1] != X.shape[1]:
        raise BadInput(f"Z must have {X.shape[1]} columns, as X has, not {Z.shape[1]}")
    X, Z = (as_dense(M) for M in (X, Z))
    with np.errstate(over="ignore", invalid="ignore"):
        sums = [(X**s) @ (Z**s).T for s in range(1, degree + 1)]
        sizes = [
            float(((np.abs(X) ** s) @ (np.abs(Z) ** s).T).max(initial=0.0))
            for s in range(1, degree + 1)
        ]
        k, most = [np.ones((len(X), len(Z)))], [1.0]
        for d in range(1, degree + 1):
            k.append(sum((-1.0) ** (s + 1) * k[d - s] * sums[s - 1] for s in range(1, d + 1)) / d)
            most.append(sum(most[d - s] * sizes[s - 1] for s in range(1, d + 1)) / d)
        top = float(np.abs(k[degree]).max(initial=0.0))
        lost = 4.0 * np.finfo(float).eps * (degree + X.shape[1]) * most[degree]
        safe = bool(lost <= LOST * top)
    if safe or not k[degree].size:
        return k[degree]
    found: Array = Anova(int(degree))._gram(X, Z)
    return found
