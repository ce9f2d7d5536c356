"""How long this process has spent on machine code, so that it is not counted as the time of a run."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

_listeners: list[Any] = []
_spent = {"loading": 0.0}


def start() -> None:
    """Measure from now on what Numba's compiler takes; what is found in the cache is loaded, not compiled."""
    if not _listeners:
        from numba.core import event

        events: Any = event
        _listeners.append(events.TimingListener())
        events.register("numba:compile", _listeners[0])


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Machine code is being looked for in the cache, and loaded."""
    began = time.perf_counter()
    try:
        yield
    finally:
        _spent["loading"] += time.perf_counter() - began


def compiling() -> float:
    """Seconds of compiling in this process."""
    return sum((float(one.duration) for one in _listeners if one.done), 0.0)


def preparing() -> float:
    """Seconds of compiling, and of loading what was compiled before."""
    return compiling() + _spent["loading"]
