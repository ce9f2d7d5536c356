"""Losses of a score f for regularised fits: the loss, its two derivatives, and its concave conjugate for the dual.

`conjugate(u, y)` is `min_f V(y, f) + u f`: weak duality says that for every u with u_i where that is finite

    sum_i conjugate(u_i, y_i) - u' K u / (4 lambda)  <=  sum_i V(y_i, f(x_i)) + lambda |f|^2    for every f.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput


class DualLoss(NamedTuple):
    """Functions of arrays of outcomes y and scores f; u stands for -V'(y, f)."""

    name: str
    labels: bool  # is y -1 or 1?
    value: Callable[[Any, Any], Any]
    slope: Callable[[Any, Any], Any]  # the derivative in f; any subgradient where there is a corner
    bend: Callable[[Any, Any], Any] | None  # the second derivative; None for a loss with corners
    conjugate: (
        Callable[[Any, Any], Any] | None
    )  # -inf where it is not finite; None for a loss of the user's own
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


PROBES = np.array([-30.0, -10.0, -3.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 3.0, 10.0, 30.0])


def own_loss(owner: str, functions: Any, labels: bool, y: Any) -> DualLoss:
    """A loss of the user's own: (value, slope) or (value, slope, bend), functions of arrays of outcomes and scores.

    At u = -V'(y, f) the conjugate is V(y, f) + u f, as V is convex: so it need not be known. The loss is looked at on
    a few scores for each outcome: it must be 0 or more, and its slope must not fall.
    """
    if (
        not isinstance(functions, tuple)
        or len(functions) not in (2, 3)
        or not all(map(callable, functions))
    ):
        raise BadInput(
            f"{owner}: a loss of your own is (value, slope) or (value, slope, bend), functions of y and f, "
            f"not {functions!r:.80}"
        )
    value, slope = functions[:2]

    def difference(y: Any, f: Any) -> Any:
        step = 1e-5 * (1.0 + np.abs(f))
        return np.maximum((slope(y, f + step) - slope(y, f - step)) / (2.0 * step), 0.0)

    for one in np.unique(y)[:50]:
        at = np.full(len(PROBES), one)
        v, g = np.asarray(value(at, PROBES), float), np.asarray(slope(at, PROBES), float)
        for name, found in (("value", v), ("slope", g)):
            if found.shape != PROBES.shape or not np.isfinite(found).all():
                raise BadInput(
                    f"{owner}: the {name} of your loss must be one finite number a row, at y = {one:g}"
                )
        if v.min() < 0.0:
            raise BadInput(
                f"{owner}: your loss is {v.min():g} at y = {one:g}; it must be 0 or more"
            )
        wrong = np.flatnonzero(np.diff(g) < -1e-9 * (1.0 + np.abs(g[1:])))
        # between two scores a convex loss rises at least by its slope at the first, at most by that at the second
        rise, gap = np.diff(v), np.diff(PROBES)
        slack = 1e-9 * (1.0 + np.abs(v[1:]) + np.abs(v[:-1]))
        other = np.flatnonzero((rise < g[:-1] * gap - slack) | (rise > g[1:] * gap + slack))
        if len(wrong) or len(other):
            k = int((wrong if len(wrong) else other)[0])
            raise BadInput(
                f"{owner}: your loss is not convex with this slope: "
                f"look at y = {one:g}, f from {PROBES[k]:g} to {PROBES[k + 1]:g}"
            )
    bend = functions[2] if len(functions) == 3 else difference
    return DualLoss("your own", labels, value, slope, bend, None, (-np.inf, np.inf))


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
