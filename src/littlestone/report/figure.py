"""The picture of a run with matplotlib, for notebooks (`pip install "littlestone[plot]"`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.extras import import_extra
from ..run.run import Run
from .accuracy import accuracy
from .payload import regret, thinned
from .readers import reader

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999", "#F0E442")


def figure(run: Run) -> Any:
    """Three panels: mean loss so far, regret with its bound, weights (over examples: accuracy)."""
    Figure = import_extra("a plot", "matplotlib.figure").Figure
    colormaps = import_extra("a plot", "matplotlib").colormaps
    at = thinned(len(run.trace["t"]))
    t = run.trace["t"][at]
    picture = Figure(figsize=(9, 9), layout="constrained")
    top, middle, bottom = picture.subplots(3, 1, sharex=True)
    read = reader(run)
    seen: dict[str, Any] = {"others": "lightgrey"}

    def colour(name: str) -> Any:
        """The colour of an expert: the same in all charts; the first twenty experts have different ones."""
        return seen.setdefault(name, colormaps["tab20"]((len(seen) - 1) % 20))

    dots = iter(["--", "-.", ":", (0, (3, 1, 1, 1))])
    for curve in read.cumulative(run, at):
        styles: dict[str, dict[str, Any]] = {
            "learner": {"color": "black", "linewidth": 2.2, "zorder": 3},
            "expert": {"linewidth": 0.8, "alpha": 0.7},
            "comparator": {"linewidth": 1.4, "color": "dimgrey"},
        }
        style = styles[curve["kind"]]
        if curve["kind"] == "expert":
            style["color"] = colour(curve["name"])
        elif curve["kind"] == "comparator":
            style["linestyle"] = next(dots, ":")
        top.plot(t, np.array(curve["values"]) / t, label=curve["name"], **style)
    top.set_ylabel("mean loss so far")
    top.legend(fontsize=7, ncols=2)
    for color, v in zip(COLORS, run.certificate, strict=False):
        one = regret(run, v, at)
        if one is not None:
            what = f"{one['what'].lower()} {one['name']}".strip()
            middle.plot(t, one["values"], color=color, label=what)
            middle.plot(t, one["bound"], color=color, linestyle="--", label=one["theorem"])
    middle.axhline(0, color="grey", linewidth=0.5)
    middle.set_ylabel("regret and its bound")
    if middle.get_legend_handles_labels()[0]:
        middle.legend(fontsize=7)
    share, right = read.weights(run), accuracy(run) if run.classifies else None
    if share is not None:
        names = share["names"]
        bottom.stackplot(
            share["t"], share["values"], labels=names, colors=[colour(name) for name in names]
        )
    elif right is not None:
        for line in right["lines"]:
            thick = {"linewidth": 2.2} if line["kind"] == "learner" else {"linewidth": 0.8}
            bottom.plot(right["t"], line["values"], label=line["name"], **thick)
    if bottom.get_legend_handles_labels()[0]:
        bottom.legend(fontsize=7, ncols=2, loc="lower left")
    bottom.set_ylabel("weights" if share is not None else "accuracy, in blocks")
    bottom.set_xlabel("round")
    picture.suptitle(run.label)
    return picture
