"""How long this process has spent on machine code, so that it is not counted as the time of a run; and how much."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class Spent:
    """Seconds that this process has spent on machine code."""

    compiling: float = 0.0
    loading: float = 0.0  # and looking for it in the cache


SPENT = Spent()
_counts = {"compiled": 0, "found": 0, "found in the package": 0}  # functions
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
            SPENT.compiling = getattr(self, "_duration", 0.0)
            _counts["compiled"] += 1

    _listeners.append(Listener())
    events.register("numba:compile", _listeners[0])


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Machine code is being looked for in the cache, and loaded."""
    began = time.perf_counter()
    try:
        yield
    finally:
        SPENT.loading += time.perf_counter() - began


def compile_seconds() -> tuple[float, float]:
    """Seconds of compiling in this process, and of loading what was compiled before."""
    return SPENT.compiling, SPENT.loading


def loaded(from_package: bool) -> None:
    """A function was found, and need not be compiled."""
    _counts["found"] += 1
    _counts["found in the package"] += from_package


def counts() -> dict[str, int]:
    """How many functions this process has compiled, those that they call among them, and how many it has found."""
    return dict(_counts)
