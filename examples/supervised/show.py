"""What the experiments share: sizes of a full and a quick run, rows beside what was noted, pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

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
        v = np.sort(np.atleast_1d(np.asarray(values, float)))
        error, off = 0.0, round(np.sqrt(len(v)) / 2)
        if (
            len(v) > 1 and median
        ):  # half the distance of the order statistics one standard error away
            error = float(v[len(v) // 2 + off] - v[len(v) // 2 - off]) / 2
        elif len(v) > 1:
            error = float(v.std(ddof=1) / np.sqrt(len(v)))
        row = Row(label, float(np.median(v) if median else v.mean()), error, noted)
        self.rows[self.part].append(row)
        spread = f" +- {error:.4f}" if len(v) > 1 else " " * 10
        beside = "" if noted is None else f"   noted {noted:.4g}" + ("" if row.close else "   OFF")
        print(f"  {label:50s} {row.mean:10.4f}{spread}{beside}")
        return row

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
            self.figure.savefig(self.out / f"supervised-{self.part}.png")
