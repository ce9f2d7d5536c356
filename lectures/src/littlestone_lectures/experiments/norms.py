"""Unit balls of norms, and of the correlation map; lecture 2 (X-BALLS)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .experiment import Curve, Experiment, at_least

Norm = Callable[[Any], Any]
NORMS: dict[str, Norm] = {
    "sum of sizes": lambda P: np.abs(P).sum(axis=-1),
    "Euclidean": lambda P: np.sqrt((P**2).sum(axis=-1)),
    "largest size": lambda P: np.abs(P).max(axis=-1),
    "M = diag(1, 3)": lambda P: np.sqrt(P[..., 0] ** 2 + 3.0 * P[..., 1] ** 2),
}


def correlated(centre: tuple[float, float]) -> Norm:
    """The distance to a point with x_1 x_2 as a third feature, as a function of the difference."""

    def distance(P: Any) -> Any:
        x = P + np.asarray(centre)
        product = x[..., 0] * x[..., 1] - centre[0] * centre[1]
        return np.sqrt((P**2).sum(axis=-1) + product**2)

    return distance


def unit_balls(norms: Mapping[str, Norm] | None = None, *, points: int = 2001) -> Experiment:
    """The areas of unit balls in the plane, counted on a grid of points x points; `plot` draws their borders.

    norms   functions of an array whose last axis has two coordinates, by name; by default those of the lecture

    >>> unit_balls({"twice": lambda P: 2 * np.abs(P).max(axis=-1)}, points=401).rows[0].mean < 1.03
    True
    """
    at_least("points", points, 11)
    if norms is None:
        maps = {f"correlation map at {c}": correlated(c) for c in ((0.0, 0.0), (1.0, 1.0))}
        norms = NORMS | maps
    fine = np.linspace(-2.5, 2.5, points)
    P = np.stack(np.meshgrid(fine, fine), axis=-1)
    run = Experiment("areas of unit balls", "x1", "x2", equal=True)
    for name, norm in norms.items():
        run.add(name, (fine[1] - fine[0]) ** 2 * (norm(P) <= 1.0).sum())
        run.curves.append(Curve(name, *border(norm)))
    return run


def border(norm: Norm, angles: int = 361) -> tuple[Any, Any]:
    """The first point of norm 1 in each direction, by bisection."""
    angle = np.linspace(0.0, 2.0 * np.pi, angles)
    way = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    low, high = np.zeros(angles), np.full(angles, 10.0)
    for _ in range(60):
        middle = (low + high) / 2.0
        inside = norm(middle[:, None] * way) <= 1.0
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return low * way[:, 0], low * way[:, 1]
