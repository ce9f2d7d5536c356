"""What an experiment returns: rows of means with their standard errors, and curves to draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.extras import import_extra


class Row(NamedTuple):
    """A mean over draws, and its standard error: 0 where nothing was drawn twice."""

    label: str
    mean: float
    error: float = 0.0


class Curve(NamedTuple):
    """A line of the picture."""

    label: str
    x: Any
    y: Any


@dataclass
class Experiment:
    """The rows and the curves of an experiment."""

    title: str
    x: str = ""
    y: str = ""
    log: str = ""  # "x", "y" or "xy": which axes are logarithmic
    rows: list[Row] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    equal: bool = False  # are both axes of one scale?

    def add(self, label: str, values: Any, median: bool = False) -> float:
        """Add a row: the mean of values over draws, or their median."""
        self.rows.append(Row(label, *summary(values, median)))
        return self.rows[-1].mean

    def value(self, label: str) -> float:
        """The mean of the row of this label."""
        found = [row.mean for row in self.rows if row.label == label]
        if not found:
            raise BadInput(f"no row {label!r}; rows: {', '.join(row.label for row in self.rows)}")
        return found[0]

    def table(self) -> list[dict[str, Any]]:
        """The rows as dictionaries, which `pandas.DataFrame` takes."""
        return [row._asdict() for row in self.rows]

    def __str__(self) -> str:
        wide = max(len(row.label) for row in self.rows)
        lines = [self.title]
        for row in self.rows:
            spread = f" +- {row.error:.4f}" if row.error else ""
            lines.append(f"  {row.label:{wide}} {row.mean:10.4f}{spread}")
        return "\n".join(lines)

    def plot(self) -> Any:
        """The curves as a figure of matplotlib."""
        figure = import_extra("a plot", "matplotlib.figure").Figure(
            figsize=(6.4, 4.0), layout="constrained"
        )
        ax = figure.subplots()
        for curve in self.curves:
            ax.plot(curve.x, curve.y, "-" if len(curve.x) > 40 else "o-", label=curve.label)
        ax.set(title=self.title, xlabel=self.x, ylabel=self.y)
        if "x" in self.log:
            ax.set_xscale("log")
        if "y" in self.log:
            ax.set_yscale("log")
        if self.equal:
            ax.set_aspect("equal")
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False)
        return figure


def summary(values: Any, median: bool = False) -> tuple[float, float]:
    """The mean of values over draws and its standard error; or the median, and half the distance of the order
    statistics that are a standard error away from it.

    >>> summary([1.0, 2.0, 3.0]), summary(range(101), median=True)
    ((2.0, 0.5773502691896258), (50.0, 5.0))
    """
    v = np.sort(np.atleast_1d(np.asarray(values, float)))
    if median:
        off, half = round(np.sqrt(len(v)) / 2), len(v) // 2
        error = float(v[half + off] - v[half - off]) / 2 if len(v) > 2 else 0.0
        return float(np.median(v)), error
    return float(v.mean()), float(v.std(ddof=1) / np.sqrt(len(v))) if len(v) > 1 else 0.0


def at_least(name: str, value: int, least: int) -> int:
    """Refuse a size that is too small."""
    if value < least:
        raise BadInput(f"{name} {value}: it must be at least {least}")
    return value
