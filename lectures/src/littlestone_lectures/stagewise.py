"""Forward stagewise additive modelling: add one weighted stump at a time, the best for a loss, and never go back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.supervised.checked_rows import whole
from littlestone.supervised.stumps import TIE, Stump, best_stump, columns

LOSSES = ("exponential", "logistic", "square")


@dataclass
class Stagewise:
    """The stumps, their weights, and the total loss after each step."""

    stumps: list[Stump]
    weights: Array
    losses: Array

    def score(self, X: Any) -> Array:
        """f(x) of each row."""
        X = np.asarray(X, float)
        parts = (a * h.labels(X) for h, a in zip(self.stumps, self.weights, strict=True))
        return sum(parts, np.zeros(len(X)))


def stagewise(
    X: Any, y: Any, loss: str = "exponential", rounds: int = 100, constants: bool = True
) -> Stagewise:
    """Add, round by round, a stump h with the weight a for which `sum_i loss(y_i, f(x_i) + a h(x_i))` is least.

    "exponential"  exp(-y f), labels -1 and 1: that is AdaBoost (T-BOOST-STAGEWISE). h is the stump with the least error
                   under weights exp(-y f), and a = ln((1 - e)/e)/2
    "logistic"     ln(1 + exp(-y f)), labels -1 and 1: h is the stump along which the loss falls fastest, which has the
                   least error under weights 1/(1 + exp(y f)), and a is the best along it (Friedman, Hastie & Tibshirani
                   2000; the best pair h, a may have another h)
    "square"       (y - f)^2, any numbers: h is the stump with the largest |<residual, h>|, and a is its mean

    For the exponential and the square loss no stump with any weight does better in that round.

    >>> found = stagewise([[0.0], [1.0], [2.0]], [1.0, 1.0, 4.0], "square", rounds=3)
    >>> [f"{a:.3f} * ({h})" for h, a in zip(found.stumps, found.weights)]
    ['2.000 * (always +1)', '1.333 * (-1 if x[0] <= 1.5, else +1)', '0.444 * (always +1)']
    >>> found.losses.round(3).tolist()
    [6.0, 0.667, 0.074]

    Ledger: A-STAGEWISE; A4.10.
    """
    if loss not in LOSSES:
        raise BadInput(f"stagewise: loss must be one of {', '.join(LOSSES)}, not {loss!r}")
    X, y = np.asarray(X, float), np.asarray(y, float)
    if X.ndim != 2 or y.shape != (len(X),) or not len(X):
        raise BadInput(
            f"stagewise: X must be a matrix and y have a number a row, not {X.shape} and {y.shape}"
        )
    for name, v in (("X", X), ("y", y)):
        if not np.isfinite(v).all():
            r = int(np.argmax(~np.isfinite(v).reshape(len(v), -1).all(axis=1)))
            raise BadInput(f"stagewise: {name} of row {r + 1} is not finite")
    if loss != "square" and not np.isin(y, (-1.0, 1.0)).all():
        r = int(np.argmax(~np.isin(y, (-1.0, 1.0))))
        raise BadInput(
            f"stagewise: labels are -1 and 1 for the {loss} loss; row {r + 1} is {y[r]:g}"
        )
    sample, F = columns(X), np.zeros(len(X))
    stumps: list[Stump] = []
    weights: list[float] = []
    losses: list[float] = []
    for _ in range(whole("stagewise: rounds", rounds)):
        v = -slope(loss, y, F)
        size = float(np.abs(v).sum())
        if size == 0.0:
            break
        h, edge = best_stump(sample, v / size, constants)
        if edge <= TIE:
            break
        said = h.labels(X)
        if loss != "square" and (said == y).all():
            raise BadInput(
                f"stagewise: {h} makes no error, so its best weight is infinite (E-BOOST-ZERO): use AdaBoost"
            )
        a = best_weight(loss, y, F, said)
        F = F + a * said
        stumps.append(h)
        weights.append(a)
        losses.append(float(value(loss, y, F).sum()))
    return Stagewise(stumps, np.array(weights), np.array(losses))


def value(loss: str, y: Array, f: Array) -> Array:
    """The loss of each row."""
    made: Array = (
        np.exp(-y * f)
        if loss == "exponential"
        else np.logaddexp(0.0, -y * f)
        if loss == "logistic"
        else (y - f) ** 2
    )
    return made


def slope(loss: str, y: Array, f: Array) -> Array:
    """Its derivative in f, up to a factor."""
    if loss == "square":
        return f - y
    return -y * np.exp(-y * f if loss == "exponential" else -np.logaddexp(0.0, y * f))


def best_weight(loss: str, y: Array, f: Array, said: Array) -> float:
    """The a for which the loss of f + a h is least, for labels h that are not all right."""
    if loss == "square":
        return float(((y - f) * said).mean())
    if loss == "exponential":
        off, w = said != y, np.exp(-y * f)
        return 0.5 * float(np.log(w[~off].sum() / w[off].sum()))
    low, high = 0.0, 1.0
    while (slope(loss, y, f + high * said) * said).sum() < 0.0:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        falls = (slope(loss, y, f + middle * said) * said).sum() < 0.0
        low, high = (middle, high) if falls else (low, middle)
    return 0.5 * (low + high)
