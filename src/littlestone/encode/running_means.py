"""Numbers that are missing in the rows of a table are filled in by the mean of their column's earlier values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..core.stream import Array, Batch
from .values import missing

Gaps = NDArray[np.bool_]
PARTS = 8  # sums of a column: row t is in sum t mod 8
BLOCK = 1 << 15  # numbers that are added up at a time: they stay in the cache


class Row(NamedTuple):
    """The numbers of a row, 0 where one is missing, and where that is."""

    numbers: list[Any]
    gaps: list[bool]


class RunningMeans:
    """The means of the columns of a table, over the rows that were read so far.

    >>> means = RunningMeans(2)
    >>> x, gaps = (
    ...     np.array([[0.0, 1.0], [4.0, 0.0], [0.0, 3.0]]),
    ...     [[True, False], [False, True], [True, False]],
    ... )
    >>> means.fill(x, np.array(gaps)).tolist()
    [[0.0, 1.0], [4.0, 1.0], [4.0, 3.0]]
    >>> means.read(x, np.array(gaps))
    >>> means.current().tolist()
    [4.0, 2.0]

    Each column has eight sums, in which rows take turns. So a batch is added up eight rows at once, 0.5 ns a number
    and not 1.9 (10 columns), and every sum is still added up in the order of the rows: a batch and its rows one by one
    give the same bits.
    """

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.rows = 0  # that were read
        self.sums = np.zeros((PARTS, columns))
        self.gone = np.zeros(columns, np.int64)  # how many values of each column were missing
        self.missed = 0  # and of all columns

    @classmethod
    def saved(cls, rows: int, gone: Sequence[int], sums: Sequence[Sequence[float]]) -> Self:
        """What a file holds (`to_save`)."""
        made = cls(len(gone))
        made.rows, made.gone[:], made.sums[:] = int(rows), gone, sums
        made.missed = int(made.gone.sum())
        return made

    def copied(self) -> Self:
        return self.saved(*self.to_save())

    def to_save(self) -> list[Any]:
        return [self.rows, self.gone.tolist(), self.sums.tolist()]

    def current(self) -> Array:
        """The mean of each column; 0 where no value came yet."""
        found: Array = add_parts(self.sums) / np.maximum(self.rows - self.gone, 1)
        return found

    def fill(self, x: Array, gaps: Gaps) -> Array:
        """A copy of the rows that come next, filled in where they have gaps; x is 0 there. Nothing is read."""
        filled = x.copy()
        turn = self.rows % PARTS
        for j in np.flatnonzero(gaps.any(axis=0)):
            rows = np.flatnonzero(gaps[:, j])
            column = np.zeros(-(-(turn + len(x)) // PARTS) * PARTS)
            column[turn : turn + len(x)] = x[:, j]
            blocks = np.vstack([self.sums[:, j], column.reshape(-1, PARTS)])
            before = np.cumsum(blocks, axis=0)  # the sums before each block of eight rows
            block, part = np.divmod(turn + rows, PARTS)
            own = np.where(np.arange(PARTS) < part[:, None], before[block + 1], before[block])
            count = self.rows + rows - self.gone[j] - np.arange(len(rows))
            filled[rows, j] = add_parts(own.T) / np.maximum(count, 1)
        return filled

    def fill_from_now(self, batch: Batch) -> Batch:
        """The rounds of a batch that are only predicted: all are filled in by the means as they are."""
        if batch.gaps is None:
            return batch
        x = batch.x.copy()
        here = np.nonzero(batch.gaps)
        x[here] = self.current()[here[1]]
        return batch._replace(x=x)

    def read(self, x: Array, gaps: Gaps | None = None) -> None:
        """Let rows count; what stands in their gaps does not."""
        x = x[:, : self.columns]
        if gaps is not None and gaps.any():
            x = np.where(gaps, 0.0, x)
            gone = gaps.sum(axis=0)
            self.gone, self.missed = self.gone + gone, self.missed + int(gone.sum())
        end = min(-self.rows % PARTS, len(x))
        for row in x[:end]:
            self.sums[self.rows % PARTS] += row
            self.rows += 1
        whole = end + (len(x) - end) // PARTS * PARTS
        step = max(1, BLOCK // max(1, self.sums.size))
        wide = x[end:whole].reshape(-1, self.sums.size)
        room = np.empty((step + 1, self.sums.size))
        for at in range(0, len(wide), step):
            some = wide[at : at + step]
            room[0], room[1 : len(some) + 1] = self.sums.reshape(-1), some
            # row by row: only along the last axis would NumPy add in another order
            np.add.reduce(room[: len(some) + 1], axis=0, out=self.sums.reshape(-1))
        self.rows += whole - end
        for row in x[whole:]:
            self.sums[self.rows % PARTS] += row
            self.rows += 1

    def fill_row(self, x: Array, gaps: Sequence[bool] | Gaps) -> None:
        """Fill in one row, in place."""
        here = np.flatnonzero(gaps[: self.columns])
        x[here] = self.current()[here]

    def read_row(self, x: Array, gaps: Sequence[bool] | Gaps | None = None) -> Any:
        """Let one row count; return what `take_back` needs."""
        part = self.rows % PARTS
        before = part, self.sums[part].copy(), self.gone, self.missed
        x = x[: self.columns]
        if gaps is not None:
            own = np.asarray(gaps, bool)[: self.columns]
            self.gone = self.gone + own  # a new array: the one before is what is taken back
            self.missed += int(own.sum())
            x = np.where(own, 0.0, x)
        self.sums[part] += x
        self.rows += 1
        return before

    def take_back(self, before: Any) -> None:
        """Go back to before the last row."""
        part, sums, self.gone, self.missed = before
        self.sums[part] = sums
        self.rows -= 1


def add_parts(parts: Array) -> Array:
    """The sum of each column of eight parts, always in this order."""
    total: Array = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def find_gaps(values: Sequence[Any]) -> Row | None:
    """The values of a row where some of them are missing, and where; None where none is.

    >>> find_gaps([1.0, None, float("nan")])
    Row(numbers=[1.0, 0.0, 0.0], gaps=[False, True, True])
    >>> find_gaps([1.0, 2]) is None
    True
    """
    try:
        gaps = [bool(v is None or v != v) for v in values]
    except (TypeError, ValueError):  # pandas' NA; lists
        gaps = [missing(v) for v in values]
    if True not in gaps:
        return None
    return Row([0.0 if gap else v for v, gap in zip(values, gaps, strict=True)], gaps)
