"""Pictures with matplotlib, an extra (`littlestone[plot]`): boosting round by round, and curves over a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.extras import import_extra

if TYPE_CHECKING:
    from .adaboost import AdaBoost


def panels(many: int) -> tuple[Any, Any]:
    """A figure, and so many charts side by side."""
    Figure = import_extra("a plot", "matplotlib.figure").Figure
    picture = Figure(figsize=(5.2 * many, 4), layout="constrained")
    return picture, picture.subplots(1, many, squeeze=False)[0]


def boosting(model: AdaBoost) -> Any:
    """Left: the training error and its two bounds. Right: the share of rows with a margin of at most theta."""
    picture, (left, right) = panels(2)
    t = np.arange(1, len(model.rounds_) + 1)
    left.plot(t, model.rounds_.training, color="black", label="training error")
    left.plot(t, model.rounds_.bounds, color="#0072B2", label="prod Z")
    left.plot(
        t, model.rounds_.edge_bounds, color="#D55E00", linestyle="--", label="exp(-2 sum of edges²)"
    )
    left.set_xlabel("rounds")
    left.set_ylim(0.0)
    left.legend(fontsize=8)
    for rounds, sorted_margins in model.margins_.items():
        share = np.arange(1, len(sorted_margins) + 1) / len(sorted_margins)
        right.step(sorted_margins, share, where="post", label=f"after {rounds:,} rounds")
    right.set_xlabel("margin")
    right.set_ylabel("share of the rows")
    right.axvline(0.0, color="grey", linewidth=0.5)
    right.legend(fontsize=8)
    return picture


def curve(
    x: Any,
    series: dict[str, Any],
    label: str,
    value: str,
    mark: float | None = None,
    log: bool = True,
) -> Any:
    """Lines over a parameter, and a mark at the one that was chosen."""
    picture, (axes,) = panels(1)
    for name, values in series.items():
        axes.plot(x, values, label=name)
    if mark is not None:
        axes.axvline(mark, color="grey", linestyle=":", label=f"chosen: {mark:.4g}")
    if log:
        axes.set_xscale("log")
    axes.set_xlabel(label)
    axes.set_ylabel(value)
    axes.legend(fontsize=8)
    return picture
