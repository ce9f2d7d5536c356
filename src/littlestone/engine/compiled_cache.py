"""Functions that are compiled once on a machine: the machine code is kept on disk, where that can be written."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from . import numba_ways
from .announce import Plays

Rule = TypeVar("Rule", bound=Callable[..., Any])


def kept(rule: Rule, learner: str = "", **options: Any) -> Rule:
    """The function, compiled by Numba on its first call and kept on disk, where a directory for that can be written."""
    # a loop is called by its learner, its own name and a hash
    plays = Plays(learner, rule.__name__.split("_")[-2]) if learner else None
    made: Any = numba_ways.compiles_for_target(numba.njit(**options)(rule))
    with contextlib.suppress(RuntimeError):  # "no locator available": there is no such directory
        numba_ways.cached(made, plays)
    return cast(Rule, made)
