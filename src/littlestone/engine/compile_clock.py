"""How long this process has spent on machine code, so that it is not counted as the time of a run."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

_spent = {"compiling": 0.0, "loading": 0.0}  # seconds
_listeners: list[Any] = []


def start() -> None:
    """Measure from now on what Numba's compiler takes; what is found in the cache is loaded, not compiled."""
    if _listeners:
        return
    from numba.core import event

    events: Any = event

    class Listener(events.TimingListener):  # type: ignore[misc]
        def on_end(self, event: Any) -> None:
            super().on_end(event)
            _spent["compiling"] = getattr(self, "_duration", 0.0)

    _listeners.append(Listener())
    events.register("numba:compile", _listeners[0])


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Machine code is being looked for in the cache, and loaded."""
    began = time.perf_counter()
    try:
        yield
    finally:
        _spent["loading"] += time.perf_counter() - began


def spent() -> tuple[float, float]:
    """Seconds of compiling in this process, and of loading what was compiled before."""
    return _spent["compiling"], _spent["loading"]
