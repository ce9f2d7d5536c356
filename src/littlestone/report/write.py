"""Reports, by the kind of runs that they are about."""

from __future__ import annotations

from pathlib import Path

from ..run.run import Run
from ..run.seeds import SeedRuns
from . import bands, payload


def write_report(runs: list[Run] | list[SeedRuns], path: str | Path) -> Path:
    """Write one self-contained page about one run or several, each played once, or each with many seeds."""
    seeds = [run for run in runs if isinstance(run, SeedRuns)]
    once = [run for run in runs if isinstance(run, Run)]
    return bands.report(seeds, path) if seeds else payload.report(once, path)
