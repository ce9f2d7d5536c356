"""Forward stagewise additive modelling: add one weighted stump at a time, the best for a loss, and never go back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.supervised.checked_rows import whole
from littlestone.supervised.stumps import TIE, Stump, best_stump, columns

LOSSES = ("exponential", "square")


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
    """Add, round by round, the stump h and the weight a with the least `sum_i loss(y_i, f(x_i) + a h(x_i))`, exactly.

    "exponential"  exp(-y f), labels -1 and 1: that is AdaBoost (T-BOOST-STAGEWISE). h is the stump with the least error
                   under weights exp(-y f), and a = ln((1 - e)/e)/2
    "square"       (y - f)^2, any numbers: h is the stump with the largest |<residual, h>|, and a is its mean

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
    if loss == "exponential" and not np.isin(y, (-1.0, 1.0)).all():
        r = int(np.argmax(~np.isin(y, (-1.0, 1.0))))
        raise BadInput(
            f"stagewise: labels are -1 and 1 for the exponential loss; row {r + 1} is {y[r]:g}"
        )
    sample, F = columns(X), np.zeros(len(X))
    stumps: list[Stump] = []
    weights: list[float] = []
    losses: list[float] = []
    for _ in range(whole("stagewise: rounds", rounds)):
        v = y * np.exp(-y * F) if loss == "exponential" else y - F
        size = float(np.abs(v).sum())
        if size == 0.0:
            break
        h, edge = best_stump(sample, v / size, constants)
        if edge <= TIE:
            break
        said = h.labels(X)
        if loss == "square":
            a = float((v * said).mean())
        else:
            off = said != y
            bad, good = float(np.abs(v[off]).sum()), float(np.abs(v[~off]).sum())
            if bad == 0.0:
                raise BadInput(
                    f"stagewise: {h} makes no error, so its best weight is infinite (E-BOOST-ZERO): use AdaBoost"
                )
            a = 0.5 * float(np.log(good / bad))
        F = F + a * said
        stumps.append(h)
        weights.append(a)
        losses.append(
            float(np.exp(-y * F).sum() if loss == "exponential" else ((y - F) ** 2).sum())
        )
    return Stagewise(stumps, np.array(weights), np.array(losses))
