"""The checks of `checks.py`, compiled: without branches, so that they run at the speed of memory."""

from __future__ import annotations

from typing import Any

from .compiled_borrow import maximum, minimum
from .compiled_cache import kept


def _outside(v: Any, low: float, high: float) -> int:
    bad = 0
    for i in range(v.shape[0]):
        bad += 1 - ((v[i] >= low) & (v[i] <= high))  # NaN compares false: it counts
    return bad


def _reach(v: Any) -> tuple[float, float]:
    low, high = v[0], v[0]
    for i in range(v.shape[0]):
        low, high = minimum(low, v[i]), maximum(high, v[i])  # both hand on NaN
    return low, high


OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"reassoc", "nsz"}}
outside, reach = kept(_outside, **OPTIONS), kept(_reach, **OPTIONS)
