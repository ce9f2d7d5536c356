"""Sums of floating-point numbers without rounding: every float is a whole number times a power of two."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np


def whole(values: Any) -> tuple[Any, int]:
    """Whole numbers (Python's, of any length) and the exponent e: values = numbers * 2^e, exactly."""
    m, e = np.frexp(np.asarray(values, float))
    least = int(e[m != 0].min(initial=0)) if np.any(m != 0) else 0
    digits = (m * 2.0**53).astype(np.int64).astype(object)
    up = np.where(m != 0, e - least, 0).astype(object)
    return digits << up, least - 53


def times_power(v: int, e: int) -> Fraction:
    """v * 2^e."""
    return Fraction(v << e) if e >= 0 else Fraction(v, 1 << -e)


def nearest(v: Fraction) -> float:
    """The float nearest to v; infinite where it is too large."""
    try:
        return float(v)
    except OverflowError:
        return float("inf") if v > 0 else float("-inf")
