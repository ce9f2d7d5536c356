"""`boost_loop.boost`, compiled by Numba on its first call and cached on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from .boost_loop import boost

try:
    compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True)(boost)
except RuntimeError:  # "no locator available": no directory for the cache can be written
    compiled = numba.njit(nogil=True)(boost)
