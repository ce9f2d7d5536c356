"""The losses of simple answers, to compare a learner's loss with."""

from __future__ import annotations

from ..run.run import Run
from .readers import reader
from .simple import Reference


def references(runs: list[Run]) -> list[Reference]:
    """Simple answers, and the best in hindsight, over one run, or over one a key together."""
    return reader(runs[0]).references(runs) if all(run.answered for run in runs) else []


def simple_references(runs: list[Run]) -> list[Reference]:
    """Those of them that need no search: the mean of the experts, a constant, the value before."""
    return reader(runs[0]).simple_references(runs) if all(run.answered for run in runs) else []
