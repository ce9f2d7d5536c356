"""The check of the boundary, compiled: branch-free, so that it runs at the speed of memory."""

from __future__ import annotations

from typing import Any

import numba


def _outside(v: Any, low: float, high: float) -> int:
    bad = 0
    for i in range(v.shape[0]):
        bad += 1 - ((v[i] >= low) & (v[i] <= high))  # NaN compares false: it counts
    return bad


try:
    outside = numba.njit(cache=True, nogil=True)(_outside)
except RuntimeError:  # no directory that a cache could be written to
    outside = numba.njit(nogil=True)(_outside)
