"""Neighbours with ever more rows: the factor 2, and what dimensions cost (X5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from littlestone_lectures import knn_consistency
from show import BLUE, GREY, RED, Show

from littlestone import theory

WAYS = ("1 neighbour", "3 neighbours", "sqrt(m) neighbours")


def constant(X: Any) -> Any:
    return np.full(len(X), 0.9)


def consistency(show: Show) -> None:
    """One neighbour errs up to twice as often as the best rule, sqrt(m) neighbours as often; and the dimension (X5)."""
    seeds, sizes = show.size(20, 3), show.size((100, 1000, 10_000, 100_000), (100, 1000))
    few, p = sizes[:3], [0.9, 0.1]
    show.title(
        "consistency", f"uniform x, P(y = 1) = .9 and P(y = 1) = x; {seeds} draws, 2,000 test rows"
    )
    runs = {
        "constant .9": knn_consistency(constant, sizes=sizes, draws=seeds),
        "chance x": knn_consistency(sizes=sizes, draws=seeds, seed=1),
    }
    errors = [float(theory.neighbour_error(p)), float(theory.neighbour_error(p, 3)), 0.1]
    # of the chance x: integrals of 2 x (1 - x) and min(x, 1 - x); three neighbours: .3
    limits = {"constant .9": errors, "chance x": [1 / 3, 0.3, 0.25]}
    for name, run in runs.items():
        last = [f"{sizes[-1]} rows, {way}" for way in WAYS]
        found = [row for row in run.rows if row.label in last]
        run.rows = [row._replace(label=f"{name}, {row.label}") for row in found]
        show.experiment(run, dict(zip((row.label for row in run.rows), limits[name], strict=True)))
    cubes = knn_consistency(sizes=few, dimensions=(2, 5, 10), draws=seeds, seed=2)
    ends = (f"{few[0]} rows, {WAYS[2]}", f"{few[-1]} rows, {WAYS[2]}")
    cubes.rows = [
        row._replace(label=f"chance x, {row.label}")
        for row in cubes.rows
        if row.label.startswith(ends)
    ]
    show.experiment(cubes)
    axes = show.charts(2)
    if axes is not None:
        for ax, (name, run) in zip(axes, runs.items(), strict=True):
            for curve, colour in zip(run.curves, (RED, GREY, BLUE), strict=True):
                ax.plot(curve.x, curve.y, "o-", color=colour, label=curve.label)
            ax.axhline(limits[name][2], color="black", lw=0.7)
            ax.set(xscale="log", xlabel="rows", ylabel="error", title=name)
        for curve in cubes.curves:
            if curve.label.startswith(WAYS[2]):
                axes[1].plot(curve.x, curve.y, ":", color=BLUE, label=curve.label)
        for ax in axes:
            ax.legend(fontsize=7)
        show.save()
