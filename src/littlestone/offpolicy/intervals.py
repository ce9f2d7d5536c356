"""How far a mean of bounded numbers may be from what it estimates: limits for logged decisions.

Those that hold surely are in core/intervals.py; the normal approximation, which may fail, is here.
"""

from __future__ import annotations

import math

from ..core.intervals import (
    Interval,
    adaptive,
    bernstein,
    bernstein_half,
    binomial,
    confidence,
    spread,
)
from ..core.stream import Array

NONE = Interval(math.nan, math.nan)


def quantile(delta: float) -> float:
    """z with P(|N(0, 1)| > z) = delta.

    >>> round(quantile(0.05), 2)
    1.96
    """
    from scipy.special import ndtri

    return float(-ndtri(delta / 2.0))


def normal(z: Array, delta: float) -> Interval:
    """The mean of z, with normal limits: right for many rows, too narrow where few rows have weight."""
    half = quantile(delta) * math.sqrt(spread(z) / len(z))
    mean = float(z.mean())
    return Interval(mean - half, mean + half)


__all__ = [
    "NONE",
    "Interval",
    "adaptive",
    "bernstein",
    "bernstein_half",
    "binomial",
    "confidence",
    "normal",
    "quantile",
    "spread",
]
