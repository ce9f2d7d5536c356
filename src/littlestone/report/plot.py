"""Figures, by the kind of thing that is plotted."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from ..core.calibration import Calibration
from ..run.run import Run
from ..run.seeds import SeedRuns
from . import bands
from .figure import figure
from .reliability import plot_calibration


@singledispatch
def plot(thing: object) -> Any:
    """A matplotlib figure of a run, of runs with many seeds, or of a calibration."""
    raise TypeError(f"a {type(thing).__name__} has no figure")


plot.register(Run, figure)
plot.register(Calibration, plot_calibration)


@plot.register
def plot_seeds(runs: SeedRuns) -> Any:
    """Mean regret and band of runs with many seeds."""
    return bands.figure([runs])
