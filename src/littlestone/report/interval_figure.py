"""The picture of intervals with matplotlib, for notebooks (`pip install "littlestone[plot]"`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.extras import import_extra
from .figure import COLORS
from .interval_page import along, corridors, fan

if TYPE_CHECKING:
    from ..conformal.sets.interval_run import IntervalRun


def plot_intervals(found: IntervalRun) -> Any:
    """Four panels: the last rounds, misses in their corridor, coverage, and width."""
    Figure = import_extra("a plot", "matplotlib.figure").Figure
    charts = [fan(found, [found])[-1], *corridors(found), *along(found)]
    picture = Figure(figsize=(9, 2.6 * len(charts)), layout="constrained")
    panels = np.atleast_1d(picture.subplots(len(charts), 1))
    for panel, chart in zip(panels, charts, strict=True):
        draw(panel, chart)
    panels[-1].set_xlabel("round")
    picture.suptitle(f"{found.measures.name} at {found.level:.3g}: coverage {found.coverage:.4f}")
    return picture


def draw(panel: Any, chart: dict[str, Any]) -> None:
    """One chart of the page as a panel."""
    t, colours = chart["t"], iter(COLORS * 3)
    styles: dict[str, dict[str, Any]] = {
        "truth": {"color": "black", "linewidth": 1.2},
        "forecast": {"color": COLORS[2], "linewidth": 0.9},
        "edge": {"color": COLORS[0], "linewidth": 0.5},
        "bound": {"color": "dimgrey", "linestyle": "--"},
    }
    for line in chart["lines"]:
        style = styles.get(line["kind"]) or {"color": next(colours)}
        panel.plot(t, line["values"], label=line["name"], **style)
    for upper, lower in chart.get("bands") or ():
        top, bottom = chart["lines"][upper - 1]["values"], chart["lines"][lower - 1]["values"]
        panel.fill_between(t, bottom, top, color=COLORS[0], alpha=0.15, linewidth=0)
    panel.set_title(chart["title"], fontsize=9, loc="left")
    panel.legend(fontsize=7, ncols=2, loc="best")
