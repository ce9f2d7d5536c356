"""Indices with large gaps: those that occur get places 0, 1, … in the order in which they occur.

So a state grows with what is used: two lines of libsvm with the index 67,108,863 take a few places. The table
(index -> place) is that of named features, so that weights, files and later rows go by the index itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.rows import count, width_of
from ..core.vectors import Rows

if TYPE_CHECKING:
    from ..core.stream import Batch

AT_ONCE = 1 << 22  # coordinates that a learner begins with at most: one round of more takes seconds
GAPS = 256  # places for each number that was met: more are gaps
KEPT = 1 << 17  # places that there may be before: each of their indices keeps its place


def sparse_indices(width: int, met: int, room: int) -> bool:
    """Are the gaps so large that indices should get places as they occur?

    `met`: how many numbers sparse examples held so far; `room`: how many places there were before.
    """
    return width > AT_ONCE and width > GAPS * max(met, room) and room <= KEPT


def begin_table(room: int) -> dict[Any, int]:
    """A table in which the first indices have their own places, as before."""
    return {i: i for i in range(room)}


def places(table: dict[Any, int], index: Any, new: bool) -> Any:
    """The places of indices; -1 where one has none. `new` ones get the next places.

    >>> table = {7: 0}
    >>> places(table, np.array([50, 7, 9]), False), places(table, np.array([50, 7, 9]), True), table
    (array([-1,  0, -1]), array([1, 0, 2]), {7: 0, 50: 1, 9: 2})
    """
    each, first, where = np.unique(index, return_index=True, return_inverse=True)
    if new:
        for i in each[np.argsort(first)].tolist():
            if i not in table:
                table[i] = len(table)
    return np.array([table.get(i, -1) for i in each.tolist()], np.int64)[where]


def compact(table: dict[Any, int], X: Rows, new: bool) -> Rows:
    """Rows with places instead of indices, in rising order; what has no place is left out."""
    if not len(X.index):
        return X
    place, T = places(table, X.index, new), count(X)
    of = np.repeat(np.arange(T), np.diff(X.indptr))
    order = np.lexsort((place, of))
    order = order[place[order] >= 0]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(of[order], minlength=T))]).astype(np.int64)
    return Rows(indptr, place[order].astype(np.int32), X.value[order])


class CompactPlaces:
    """Gives the indices of a stream's batches places as they occur, from the first batch on with large gaps."""

    def __init__(self, table: dict[Any, int] | None, room: int = 0, met: int = 0) -> None:
        """`table`: that of a learner that goes on; `room`: the places that it has otherwise, `met`: its numbers."""
        self.table, self.room, self.met = table, room, met

    def batch(self, batch: Batch) -> Batch:
        """The batch, with places where its indices have gaps."""
        if not isinstance(batch.x, Rows):
            return batch
        width = batch.width or width_of(batch.x)
        self.met += len(batch.x.index)
        if self.table is None and sparse_indices(width, self.met, self.room):
            self.table = begin_table(self.room)
        if self.table is None:
            self.room = max(self.room, width)
            return batch
        x = compact(self.table, batch.x, True)
        return batch._replace(x=x, width=max(1, len(self.table)))
