"""What the experiments share: sizes of a full and a quick run, rows beside what was noted, pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from littlestone_lectures.experiments.experiment import summary

BLUE, RED, GREY, GREEN = "#2a6fb5", "#b5542a", "#9a9a9a", "#3c8a4e"


class Row(NamedTuple):
    """A number of an experiment: its mean over seeds, its standard error, and what was noted of a single run."""

    label: str
    mean: float
    error: float
    noted: float | None

    @property
    def close(self) -> bool:
        """Within 3 standard errors or 10% of what was noted."""
        if self.noted is None:
            return True
        return abs(self.mean - self.noted) <= max(3.0 * self.error, 0.1 * abs(self.noted)) + 1e-12


class Show:
    """Prints rows as an experiment finds them, and gives it charts where there is a folder for pictures."""

    def __init__(self, quick: bool = False, out: Path | None = None) -> None:
        self.quick, self.out = quick, out
        self.rows: dict[str, list[Row]] = {}
        self.part = ""

    def size(self, full: Any, quick: Any) -> Any:
        return quick if self.quick else full

    def title(self, part: str, text: str) -> None:
        self.part = part
        self.rows[part] = []
        print(f"{part}: {text}")

    def row(self, label: str, values: Any, noted: float | None = None, median: bool = False) -> Row:
        """The mean of the values over seeds, or their median, beside what was noted."""
        mean, error = summary(values, median)
        row = Row(label, mean, error, noted)
        self.rows[self.part].append(row)
        spread = f" +- {error:.4f}" if np.size(values) > 1 else " " * 10
        self.printed(row, spread)
        return row

    def printed(self, row: Row, spread: str) -> None:
        """Print a row; a quick run has other sizes, and is not compared with what was noted of the full one."""
        beside = ""
        if row.noted is not None and not self.quick:
            beside = f"   noted {row.noted:.4g}" + ("" if row.close else "   OFF")
        print(f"  {row.label:50s} {row.mean:10.4f}{spread}{beside}")

    def experiment(self, run: Any, noted: Mapping[str, float | None] | None = None) -> None:
        """The rows of an experiment of littlestone_lectures, beside what was noted."""
        for one in run.rows:
            row = Row(one.label, one.mean, one.error, (noted or {}).get(one.label))
            self.rows[self.part].append(row)
            self.printed(row, f" +- {row.error:.4f}" if row.error else " " * 10)

    def value(self, label: str) -> float:
        return next(r.mean for r in self.rows[self.part] if r.label == label)

    def charts(self, many: int = 1) -> Any:
        """So many charts side by side, or None where no pictures are wanted; `save` writes them."""
        if self.out is None:
            return None
        from matplotlib.figure import Figure

        self.figure = Figure(
            figsize=(6.4 if many == 1 else 3.6 * many, 3.8), dpi=100, layout="constrained"
        )
        axes = self.figure.subplots(1, many, squeeze=False)[0]
        for ax in axes:
            for side in ("top", "right"):
                ax.spines[side].set_visible(False)
        return axes

    def save(self) -> None:
        if self.out is not None:
            self.out.mkdir(parents=True, exist_ok=True)
            self.figure.savefig(self.out / f"supervised-{self.part}.png")
