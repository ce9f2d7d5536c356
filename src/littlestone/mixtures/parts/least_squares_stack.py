"""A stack of predictions of numbers: recursive least squares with forgetting, from equal weights.

    minimise over w:  |w - 1/m|^2 + sum_s .999^(t-s) (y_s - <w, f_s>)^2,  all in units of the spread of the outcomes

Haykin (2002), Adaptive Filter Theory, chapter 9. Forgetting stops where little is learned, or the matrix would grow.

>>> stack = init_stack(2)
>>> for f, y in (([1.0, 0.0], 1.0), ([0.0, 1.0], 0.0)):
...     update_stack(stack, np.array(f), y, 1.0)
>>> stack.w.round(3).tolist()  # (1/2 + 1)/2 and (1/2 + 0)/2
[0.75, 0.25]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.scratch import Buffer
from ...core.stream import Array

FORGETTING = 0.999
MAX_TRACE = 1e3  # of the covariance, for each part: beyond it nothing is forgotten


class LeastSquares(NamedTuple):
    w: Array
    covariance: Array
    step: Buffer


def init_stack(m: int) -> LeastSquares:
    """Before the first outcome, of m predictions."""
    return LeastSquares(w=np.full(m, 1.0 / m), covariance=np.eye(m), step=np.zeros(m))


def stacked(stack: LeastSquares, f: Array) -> float:
    """The prediction of the stack."""
    total = 0.0
    for j in range(stack.w.shape[0]):
        total += stack.w[j] * f[j]
    return total


def update_stack(stack: LeastSquares, f: Array, y: float, h: float) -> None:
    """Learn from the outcome y of predictions f, of importance h."""
    w, P, g = stack.w, stack.covariance, stack.step
    m, trace, variance, error = w.shape[0], 0.0, 1.0 / h, y - stacked(stack, f)
    for i in range(m):
        g[i] = 0.0
        for j in range(m):
            g[i] += P[i, j] * f[j]
        variance += g[i] * f[i]
        trace += P[i, i]
    forget = FORGETTING if trace < MAX_TRACE * m else 1.0
    variance += (forget - 1.0) / h
    for i in range(m):
        w[i] += g[i] * error / variance
    for i in range(m):
        for j in range(i + 1):
            P[i, j] = (P[i, j] - g[i] * g[j] / variance) / forget
            P[j, i] = P[i, j]
