"""Compile the loops of this package where there is enough work for it; else they run in plain Python."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ...engine.compile import has_numba, inner, saved
from .graph import Graph

SMALL = 2000  # for at most so many steps plain Python is as fast as compiled code


@functools.cache
def compile_function(f: Any) -> Callable[..., Any]:
    """The function, compiled; the next process finds it on disk."""
    names = ", ".join(inspect.signature(f).parameters)
    body = f"({names}): return loop({names})"
    return saved(f.__name__, body, {"loop": inner(f)}, (Graph,), "")


def compiled_if_long(f: Any, work: int) -> Callable[..., Any]:
    """The function, compiled where there is enough work for it."""
    return compile_function(f) if work > SMALL and has_numba() else f
