"""Diffusion kernels: functions of a symmetric matrix of similarities, by one eigendecomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.stream import Array


def exponential_diffusion(B: Any, rate: float = 1.0) -> Array:
    """exp(rate B) = sum_k rate^k B^k / k!: positive definite for every symmetric B.

    >>> exponential_diffusion([[0.0, 1.0], [1.0, 0.0]]).round(4).tolist()  # cosh 1, sinh 1
    [[1.5431, 1.1752], [1.1752, 1.5431]]

    Ledger: A-DIFFUSION; A2.25.
    """
    s, Q = eigen(B, rate, "exponential_diffusion")
    with np.errstate(over="raise"):
        try:
            return (Q * np.exp(rate * s)) @ Q.T
        except FloatingPointError:
            top = rate * s.max()
            raise BadInput(
                f"exponential_diffusion: exp({top:g}) is too large: take a smaller rate"
            ) from None


def von_neumann_diffusion(B: Any, rate: float) -> Array:
    """(I - rate B)^-1 = sum_k rate^k B^k, for 0 <= rate < 1 / (the largest |eigenvalue| of B).

    >>> von_neumann_diffusion([[0.0, 1.0], [1.0, 0.0]], 0.5).round(4).tolist()
    [[1.3333, 0.6667], [0.6667, 1.3333]]

    Ledger: A-DIFFUSION; A2.25.
    """
    s, Q = eigen(B, rate, "von_neumann_diffusion")
    radius = float(np.abs(s).max(initial=0.0))
    if rate * radius >= 1.0:
        raise BadInput(
            f"von_neumann_diffusion: rate must be below 1/{radius:.6g} = {1 / radius:.6g}, not {rate:g}"
        )
    return (Q / (1.0 - rate * s)) @ Q.T


def eigen(B: Any, rate: float, owner: str) -> tuple[Array, Array]:
    M = np.asarray(as_dense(B), np.float64)
    if (
        M.ndim != 2
        or M.shape[0] != M.shape[1]
        or not np.isfinite(M).all()
        or not np.allclose(M, M.T)
    ):
        raise BadInput(
            f"{owner}: B must be a symmetric matrix of finite numbers, not of shape {M.shape}"
        )
    if not 0.0 <= rate < np.inf:
        raise BadInput(f"{owner}: rate must be 0 or more, not {rate!r}")
    s, Q = np.linalg.eigh((M + M.T) / 2.0)
    return s, Q
