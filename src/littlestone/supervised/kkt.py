"""The conditions of Karush, Kuhn and Tucker for a convex program with linear constraints, checked number by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array


@dataclass
class KKT:
    """How far a point and its multipliers are from the four conditions, and what follows for the value of the point."""

    stationarity: float  # |gradient + A' alpha + E' mu|
    infeasible: float  # the largest (A z - b)_i above 0, or |E z - e|
    negative: float  # the most negative multiplier of an inequality, as a size
    slackness: float  # the largest |alpha_i (A z - b)_i|
    gap: float  # alpha' (b - A z): the duality gap, where the gradient of the Lagrangian is 0
    active: Any  # which inequalities hold with equality

    @property
    def worst(self) -> float:
        return max(self.stationarity, self.infeasible, self.negative, self.slackness)

    def optimal(self, tol: float = 1e-6) -> bool:
        """Do all four conditions hold up to tol? For a convex objective they are necessary and sufficient."""
        return bool(self.worst <= tol)

    def __str__(self) -> str:
        names = ("stationarity", "infeasible", "negative", "slackness")
        parts = ", ".join(f"{n} {getattr(self, n):.2g}" for n in names)
        return f"{parts}; duality gap {self.gap:.6g}, {int(self.active.sum())} of {len(self.active)} constraints active"


def kkt(
    gradient: Any, z: Any, A: Any, b: Any, alpha: Any, E: Any = None, e: Any = None, mu: Any = None
) -> KKT:
    """Check the conditions of optimality of `min f(z)` subject to `A z <= b` (and `E z = e`), f convex.

    gradient  of f at z: numbers, or a function of z
    alpha     a multiplier for each inequality; mu one for each equation

        gradient + A' alpha + E' mu = 0,   A z <= b,   alpha >= 0,   alpha_i (A z - b)_i = 0

    With a stationary Lagrangian `f(z) - alpha' (b - A z)` is a lower limit of f over all feasible points (weak
    duality), so z is at most `gap` above the least, whatever made it.

    The six points of the SVM report: the plane w = (2, 2), b = -3, and multipliers 2, 2, 4, 0 on four of them:

    >>> X = np.array([[1, 1], [2, 2], [2, 0], [0, 0], [1, 0], [0, 1]])
    >>> y = np.array([1, 1, 1, -1, -1, -1])
    >>> A = -y[:, None] * np.column_stack([X, np.ones(6)])  # y (w.x + b) >= 1
    >>> found = kkt([2, 2, 0], [2, 2, -3], A, -np.ones(6), [2, 0, 2, 0, 4, 0])
    >>> print(found)
    stationarity 0, infeasible 0, negative 0, slackness 0; duality gap 0, 4 of 6 constraints active
    >>> kkt([2, 2, 0], [2, 2, -3], A, -np.ones(6), [2, 0, 2, 0, 3, 0]).optimal()
    False

    Ledger: A-KKT, T-KKT; A3.14.
    """
    z, b, alpha = (as_vector(v, name) for v, name in ((z, "z"), (b, "b"), (alpha, "alpha")))
    A = as_matrix(A, "A", len(b), len(z))
    g = as_vector(gradient(z) if callable(gradient) else gradient, "gradient")
    if g.shape != z.shape or alpha.shape != b.shape:
        raise BadInput(
            f"kkt: the gradient must have {len(z)} numbers and alpha {len(b)}, not {len(g)} and {len(alpha)}"
        )
    off, equations = A @ z - b, 0.0
    total = g + A.T @ alpha
    if E is not None:
        e, mu = as_vector(e, "e"), as_vector(mu, "mu")
        E = as_matrix(E, "E", len(e), len(z))
        if mu.shape != e.shape:
            raise BadInput(f"kkt: mu must have {len(e)} numbers, not {len(mu)}")
        total = total + E.T @ mu
        equations = float(np.abs(E @ z - e).max(initial=0.0))
    scale = 1e-9 * (1.0 + np.abs(b) + np.abs(A) @ np.abs(z))
    return KKT(
        stationarity=float(np.linalg.norm(total)),
        infeasible=max(float(off.max(initial=0.0)), equations),
        negative=float(np.maximum(-alpha, 0.0).max(initial=0.0)) + 0.0,
        slackness=float(np.abs(alpha * off).max(initial=0.0)),
        gap=float(-alpha @ off) + 0.0,
        active=np.abs(off) <= scale,
    )


def as_vector(v: Any, name: str) -> Array:
    try:
        found = np.atleast_1d(np.asarray(v, np.float64))
    except (TypeError, ValueError):
        raise BadInput(f"kkt: {name} must be a vector of numbers, not {v!r:.60}") from None
    if found.ndim != 1 or not np.isfinite(found).all():
        raise BadInput(
            f"kkt: {name} must be a vector of finite numbers, not of shape {found.shape}"
        )
    return found


def as_matrix(M: Any, name: str, rows: int, columns: int) -> Array:
    found = np.asarray(M, np.float64)
    if found.shape != (rows, columns) or not np.isfinite(found).all():
        raise BadInput(
            f"kkt: {name} must be a matrix of {rows} x {columns} finite numbers, not of shape {found.shape}"
        )
    return found
