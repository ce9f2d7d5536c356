"""Losses of a score f for regularised fits: the loss, its two derivatives, and its concave conjugate for the dual.

`conjugate(u, y)` is `min_f V(y, f) + u f`: weak duality says that for every u with u_i where that is finite

    sum_i conjugate(u_i, y_i) - u' K u / (4 lambda)  <=  sum_i V(y_i, f(x_i)) + lambda |f|^2    for every f.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class DualLoss(NamedTuple):
    """Functions of arrays of outcomes y and scores f; u stands for -V'(y, f)."""

    name: str
    labels: bool  # is y -1 or 1?
    value: Callable[[Any, Any], Any]
    slope: Callable[[Any, Any], Any]  # the derivative in f; any subgradient where there is a corner
    bend: Callable[[Any, Any], Any] | None  # the second derivative; None for a loss with corners
    conjugate: Callable[[Any, Any], Any]  # -inf where it is not finite
    box: tuple[float, float]  # the range of y u for labels, of u for numbers


def where(inside: Any, v: Any) -> Any:
    return np.where(inside, v, -np.inf)


def xlogx(b: Any) -> Any:
    return np.where(b > 0.0, b * np.log(np.maximum(b, 1e-300)), 0.0)


def expit(z: Any) -> Any:
    from scipy.special import expit as sigmoid

    return sigmoid(z)


def logistic_conjugate(u: Any, y: Any) -> Any:
    b = y * u
    inside = (b >= -1e-12) & (b <= 1.0 + 1e-12)
    b = np.clip(b, 0.0, 1.0)
    return where(inside, -xlogx(b) - xlogx(1.0 - b))


def exponential_conjugate(u: Any, y: Any) -> Any:
    b = y * u
    return where(b >= -1e-12, np.maximum(b, 0.0) - xlogx(np.maximum(b, 0.0)))


def insensitive(epsilon: float) -> DualLoss:
    """max(|y - f| - epsilon, 0)."""
    return DualLoss(
        "epsilon-insensitive", False,
        lambda y, f: np.maximum(np.abs(y - f) - epsilon, 0.0),
        lambda y, f: np.where(np.abs(y - f) > epsilon, -np.sign(y - f), 0.0), None,
        lambda u, y: where(np.abs(u) <= 1.0 + 1e-12, u * y - epsilon * np.abs(u)), (-1.0, 1.0),
    )  # fmt: skip


LOSSES: dict[str, DualLoss] = {
    "square": DualLoss(
        "square", False, lambda y, f: (y - f) ** 2, lambda y, f: 2.0 * (f - y), lambda y, f: np.full_like(f, 2.0),
        lambda u, y: u * y - u**2 / 4.0, (-np.inf, np.inf),
    ),
    "hinge": DualLoss(
        "hinge", True, lambda y, f: np.maximum(1.0 - y * f, 0.0), lambda y, f: np.where(y * f < 1.0, -y, 0.0), None,
        lambda u, y: where((y * u >= -1e-12) & (y * u <= 1.0 + 1e-12), y * u), (0.0, 1.0),
    ),
    "squared hinge": DualLoss(
        "squared hinge", True, lambda y, f: np.maximum(1.0 - y * f, 0.0) ** 2,
        lambda y, f: -2.0 * y * np.maximum(1.0 - y * f, 0.0), lambda y, f: np.where(y * f < 1.0, 2.0, 0.0),
        lambda u, y: where(y * u >= -1e-12, y * u - u**2 / 4.0), (0.0, np.inf),
    ),
    "logistic": DualLoss(
        "logistic", True, lambda y, f: np.logaddexp(0.0, -y * f), lambda y, f: -y * expit(-y * f),
        lambda y, f: expit(f) * expit(-f), logistic_conjugate, (0.0, 1.0),
    ),
    "exponential": DualLoss(
        "exponential", True, lambda y, f: np.exp(np.minimum(-y * f, 700.0)),
        lambda y, f: -y * np.exp(np.minimum(-y * f, 700.0)), lambda y, f: np.exp(np.minimum(-y * f, 700.0)),
        exponential_conjugate, (0.0, np.inf),
    ),
}  # fmt: skip
