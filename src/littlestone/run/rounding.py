"""What rounding adds to losses where predictions are far from 0 and close to their outcomes.

A mixture of n numbers of size 1e8 is off by about n 1e-8 in floating point, and its loss may be smaller than that:
prices of 1e8 that are forecast to within 1e-6 have square losses of 1e-12, of which no digit is right.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import losses

EPS = float(np.finfo(float).eps)


def blur(loss: Any, far: float, n: int, T: float, total: float) -> float:
    """What the losses of T rounds may be off by, where outcomes are up to `far` from 0 and `total` was lost.

    A prediction is off by at most (n + 2) eps far; a square loss d^2 then by twice that times d, and all d add up to at
    most sqrt(T total).

    >>> 1e-9 < blur(losses.Absolute(), 1e6, 3, 1, 1.0) < 2e-9
    True
    >>> blur(losses.Square(), 0.0, 3, 1, 1.0)
    0.0
    """
    if not (math.isfinite(far) and math.isfinite(total)):
        return 0.0
    off = (n + 2) * EPS * far
    if isinstance(loss, losses.Square):
        return 2.0 * off * math.sqrt(T * abs(total)) + T * off * off
    return T * off


def farthest(y: Any) -> float:
    """The largest |y| of numbers some of which may be NaN."""
    v = np.asarray(y, float)
    return float(np.fmax(np.fmax.reduce(v, initial=0.0), -np.fmin.reduce(v, initial=0.0)))
