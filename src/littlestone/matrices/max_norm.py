"""The max-norm of a matrix, between two certificates.

    |U|_max = min over P Q' = U of (longest row of P) (longest row of Q)
    from above: any factorisation;  from below: |sqrt(a) U sqrt(b)|_trace for any weights a of rows and b of columns

    a, b uniform
    repeat:  sqrt(a) U sqrt(b) = S Sigma T';  P = U sqrt(b) T Sigma^(-1/2),  Q = U' sqrt(a) S Sigma^(-1/2)
             a_i *= |P_i|^2,  b_j *= |Q_j|^2,  each brought back to the sum 1

At the best weights every row that has weight is equally long, and the two certificates meet. One singular value
decomposition a step. Srebro & Shraibman (2005); Linial et al. (2007). Ledger: A-MAXNORM; T-MAXNORM, T-SIMILARITY,
E-MAXNORM.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array


class MaxNorm(NamedTuple):
    """What was found out: lower <= |U|_max <= upper."""

    lower: float
    upper: float
    P: Array  # P Q' = U, rows of P and Q no longer than sqrt(upper)
    Q: Array
    a: Array  # weights of rows and columns that certify the lower bound
    b: Array

    @property
    def gap(self) -> float:
        return self.upper - self.lower


def max_norm(U: Any, gap: float = 1e-6, steps: int = 2000) -> MaxNorm:
    """Certificates of the max-norm, at most `gap` apart where `steps` are enough.

    >>> found = max_norm([[1, 1, 1], [1, -1, 1], [1, 1, -1]])  # X-MAXNORM3: 5/3
    >>> round(found.lower, 5), round(found.upper, 5)
    (1.66667, 1.66667)
    """
    M = matrix(U)
    m, n = M.shape
    a, b = np.full(m, 1.0 / m), np.full(n, 1.0 / n)
    best = MaxNorm(0.0, math.inf, np.zeros((m, 1)), np.zeros((n, 1)), a, b)
    if not M.any():
        return best._replace(upper=0.0)
    power = 1.0  # a longer step where the last one was none too long
    for _ in range(steps):
        lower, P, Q = certificates(M, a, b)
        if lower < best.lower and power > 1.0:  # too far: go back, and on in shorter steps
            power, a, b = 1.0, best.a, best.b
            continue
        upper = certified(M, P, Q)
        if lower > best.lower:
            best = best._replace(lower=lower, a=a, b=b)
        if upper < best.upper:
            best = best._replace(upper=upper, P=P, Q=Q)
        if best.gap <= gap:
            break
        a, b = reweighed(a, P, power), reweighed(b, Q, power)
        power = min(power * 1.1, 8.0)
    return best._replace(upper=max(best.upper, best.lower))


def certificates(M: Array, a: Array, b: Array) -> tuple[float, Array, Array]:
    """The trace norm for these weights, and the factors that it makes."""
    ra, rb = np.sqrt(a), np.sqrt(b)
    S, s, Tt = np.linalg.svd(ra[:, None] * M * rb[None, :], full_matrices=False)
    keep = s > 1e-13 * s[0]
    S, s, Tt = S[:, keep], s[keep], Tt[keep]
    root = 1.0 / np.sqrt(s)
    return float(s.sum()), (M * rb[None, :]) @ Tt.T * root, (M.T * ra[None, :]) @ S * root


def certified(M: Array, P: Array, Q: Array) -> float:
    """A bound from above: what the factors say, and the longest row of what they leave of U."""
    rest = M - P @ Q.T
    longest = math.sqrt(float((P**2).sum(axis=1).max()) * float((Q**2).sum(axis=1).max()))
    return longest + math.sqrt(float((rest**2).sum(axis=1).max()))


def reweighed(a: Array, P: Array, power: float) -> Array:
    long = (P**2).sum(axis=1)
    made: Array = a * np.maximum(long / long.max(), 1e-12) ** power
    made = np.maximum(made / made.sum(), 1e-14)
    made /= made.sum()
    return made


def lower_bound(U: Any, a: Any, b: Any) -> float:
    """|U o sqrt(a b')|_trace, for weights that add up to 1 each.

    >>> lower_bound([[1.0, 1.0], [1.0, -1.0]], [0.5, 0.5], [0.5, 0.5]).__round__(6)  # sqrt(2)
    1.414214
    """
    M, a, b = matrix(U), np.asarray(a, float), np.asarray(b, float)
    return float(np.linalg.svd(np.sqrt(a)[:, None] * M * np.sqrt(b), compute_uv=False).sum())


def matrix(U: Any) -> Array:
    M = np.array(U, dtype=np.float64)
    if M.ndim != 2 or not M.size or not np.isfinite(M).all():
        raise BadInput(f"a matrix of finite numbers is needed, not one of shape {M.shape}")
    return M
