"""The loss of the mean of the advice."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import losses


class Uniform:
    """A fold over chunks: the loss of the mean of the advice, over the experts awake; O(1) memory.

    >>> fold = Uniform(losses.Square())
    >>> fold.add(np.array([[0.0, 2.0], [np.nan, 3.0]]), np.array([1.0, 1.0]))
    >>> fold.loss
    4.0
    """

    def __init__(self, loss: losses.Loss) -> None:
        self.of, self.loss, self.last = loss, 0.0, np.nan
        self.far = 0.0  # the largest |outcome|

    def add(self, x: Any, y: Any) -> None:
        p = x @ np.full(x.shape[1], 1.0 / x.shape[1])
        if np.isnan(p.sum()):
            awake = np.count_nonzero(x == x, axis=1)
            p = np.nansum(x, axis=1) / np.maximum(awake, 1)
            p = repeat_last_good(
                p, awake > 0, self.last
            )  # when all sleep, the last prediction is repeated
        self.last = float(p[-1])
        top = np.fmax(np.fmax.reduce(y, initial=0.0), -np.fmin.reduce(y, initial=0.0))
        self.far = max(self.far, float(top))
        with np.errstate(divide="ignore", invalid="ignore"):
            cost = costs(self.of, p, y)
        self.loss += float(cost.sum() if np.isfinite(cost.sum()) else np.nansum(cost))


def repeat_last_good(p: Any, good: Any, last: float) -> Any:
    """p, with every entry that is not good replaced by the last good one before it."""
    at = np.maximum.accumulate(np.where(good, np.arange(len(p)), -1))
    return np.where(at >= 0, p[at], last)


def costs(loss: losses.Loss, p: Any, y: Any) -> Any:
    """`loss.at` for arrays; NaN where y is NaN."""
    if isinstance(loss, losses.Square):
        return (p - y) ** 2
    if isinstance(loss, losses.Absolute):
        return np.abs(p - y)
    if isinstance(loss, losses.Pinball):
        return np.maximum(loss.quantile * (y - p), (1.0 - loss.quantile) * (p - y))
    if isinstance(loss, losses.LogLoss):
        one = np.where(y > 0.0, y * np.log(y / p), 0.0)
        other = np.where(y < 1.0, (1.0 - y) * np.log((1.0 - y) / (1.0 - p)), 0.0)
        return np.where(np.isnan(y), np.nan, one + other)
    return np.where(np.isnan(y), np.nan, p != y)
