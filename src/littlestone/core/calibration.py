"""How often what was said to be so probable came true: the table behind a reliability diagram."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .hooks import hook
from .notebook import InNotebook

BINS = 10  # of equal width, from 0 to 1


class Bin(NamedTuple):
    """Rounds whose probability was said to be in [low, high); the last bin has 1 as well."""

    low: float
    high: float
    said: float  # the mean of the probabilities
    observed: float  # the share of the rounds in which it came true
    rounds: float  # each with its importance


@dataclass(frozen=True)
class Calibration(InNotebook):
    """Bins of probabilities, and how often each came true. Where what is said is right, the two are alike.

    >>> bins = np.zeros((3, BINS))
    >>> bins[:, 1], bins[:, 9] = (
    ...     (4, 0.6, 1),
    ...     (10, 9.5, 8),
    ... )  # rounds, sum of probabilities, came true
    >>> Calibration("yes", bins)
    probability of yes    said  observed  rounds
    0.1 to 0.2          0.1500    0.2500       4
    0.9 to 1.0          0.9500    0.8000      10
    calibration error 0.1357: the mean distance between said and observed
    """

    of: str  # what was said to be probable: a class, or the label that was predicted
    sums: Any  # a column a bin: rounds, the sum of the probabilities, those that came true

    @property
    def rows(self) -> list[Bin]:
        """The bins that have rounds."""
        return [
            Bin(j / BINS, (j + 1) / BINS, p / n, hits / n, n)
            for j, (n, p, hits) in enumerate(self.sums.T.tolist())
            if n > 0.0
        ]

    @property
    def error(self) -> float:
        """The mean over the rounds of |said - observed|, each round in its bin; NaN where there are none."""
        n, p, hits = self.sums
        return float(np.abs(p - hits).sum() / n.sum()) if n.sum() else math.nan

    def __add__(self, other: Calibration) -> Calibration:
        return Calibration(self.of, self.sums + other.sums)

    def plot(self) -> Any:
        """The reliability diagram, a matplotlib figure."""
        return hook("plot")(self)

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """The table as text, its head first."""
        heads = (f"probability of {self.of}", "said", "observed", "rounds")
        rows = [
            (f"{b.low:.1f} to {b.high:.1f}", f"{b.said:.4f}", f"{b.observed:.4f}", f"{b.rounds:,.6g}")
            for b in self.rows
        ]  # fmt: skip
        return [heads, *rows]

    def __repr__(self) -> str:
        texts = self.texts
        wide = [max(len(row[j]) for row in texts) for j in range(len(texts[0]))]
        lines = [
            "  ".join([first.ljust(wide[0]), *(v.rjust(w) for v, w in zip(more, wide[1:], strict=True))])
            for first, *more in texts
        ]  # fmt: skip
        last = f"calibration error {self.error:.4f}: the mean distance between said and observed"
        return "\n".join([*lines, last])
