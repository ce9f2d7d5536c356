"""The checks of `checks.py`, compiled: without branches, so that they run at the speed of memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from .compiled_borrow import maximum, minimum


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


def compiled(f: Callable[..., Any]) -> Callable[..., Any]:
    """Kept on disk where a directory for it can be written."""
    options: dict[str, Any] = {"nogil": True, "fastmath": {"reassoc", "nsz"}}
    try:
        return numba.njit(cache=True, **options)(f)  # type: ignore[no-any-return]
    except RuntimeError:  # no directory that a cache could be written to
        return numba.njit(**options)(f)  # type: ignore[no-any-return]


outside, reach = compiled(_outside), compiled(_reach)
