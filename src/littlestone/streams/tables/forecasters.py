"""Are the columns of a table forecasts of the outcome, to be combined, or features to learn it from?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from littlestone.core.stream import Array

from ...encode.values import list_some

ROWS = 2000  # the first rows of a table tell
COLUMNS = 256  # and its first columns: to look at thousands would take as long as to read them
# Of 16 tables that people had made, features were closer to the outcome than its mean in 0 to .36 of the columns, and
# forecasts in .64 to 1.
SHARE = 0.5
FEW = 20  # rows: fewer are no reason for doubt


class Scale(NamedTuple):
    """The columns of numbers that are on the scale of the outcome, as forecasts of it are, and the others."""

    close: tuple[str, ...]
    others: tuple[str, ...]
    rows: int = 0  # in which that was seen; 0 where outcomes are all the same

    @property
    def forecasts(self) -> bool:
        """Are they forecasts?"""
        count = len(self.close) + len(self.others)
        return bool(self.close) and len(self.close) > SHARE * count

    def __str__(self) -> str:
        """
        >>> print(Scale(("a",), ("b", "c")))
        1 of 3 columns of numbers is on its scale ('a')
        >>> print(Scale((), ("b",)))
        no column of numbers is on its scale
        """
        if not self.close:
            return "no column of numbers is on its scale"
        count, there = len(self.close) + len(self.others), len(self.close)
        what = "the only column" if count == 1 else f"{there:,} of {count:,} columns"
        one = "is" if there == 1 else "are"
        return f"{what} of numbers {one} on its scale ({list_some(self.close, 3)})"


def doubts(outcome: str, scale: Scale) -> tuple[str, ...]:
    """A note where columns that nobody named are combined as forecasts, and are none."""
    if scale.forecasts or not scale.others or scale.rows < FEW:
        return ()
    return (
        f"the columns hardly look like forecasts of {outcome!r}: {scale}; where they are features, "
        "task='regression' learns from them, with a learner over examples such as online-linear",
    )


def scale_of(outcomes: Array, columns: Mapping[str, Array]) -> Scale:
    """A column is on the scale of the outcome if its squared error as a forecast is below the outcome's variance.

    >>> y = np.array([10.0, 20.0, 30.0])
    >>> scale_of(y, {"forecast": y + 2.0, "age": np.array([1.0, 2.0, 3.0])})
    Scale(close=('forecast',), others=('age',), rows=3)
    """
    close: list[str] = []
    others: list[str] = []
    for name, column in columns.items():
        known = np.isfinite(outcomes) & np.isfinite(column)
        y = outcomes[known]
        with np.errstate(over="ignore"):
            near = len(y) > 0 and bool(np.mean((column[known] - y) ** 2) < np.var(y))
        (close if near else others).append(name)
    seen = outcomes[np.isfinite(outcomes)]
    told = len(seen) if len(seen) and np.ptp(seen) > 0.0 else 0  # a constant has no scale
    return Scale(tuple(close), tuple(others), told)
