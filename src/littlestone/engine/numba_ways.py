"""How Numba is asked to compile: by its private parts where these work (`probe.py`), else by its public ways."""

from __future__ import annotations

from typing import Any

from . import probe
from .announce import Plays

# Options of functions that compiled code alone calls, and of those that Python calls.
INNER: Any = {}
OUTER: Any = {}
if probe.used():
    from . import numba_internals

    INNER, OUTER = numba_internals.INNER, numba_internals.OUTER


def compiles_for_target(made: Any) -> Any:
    """The function that Numba compiles when it is called: for the declared target, or for the host."""
    return numba_internals.compiles_for_target(made) if probe.used() else made


def cached(made: Any, plays: Plays | None) -> None:
    """Keep its machine code on disk; `plays`: a learner, for users who wait."""
    if probe.used():
        numba_internals.cached(made, plays)
    else:
        made.enable_caching()
