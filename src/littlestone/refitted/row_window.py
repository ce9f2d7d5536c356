"""The last rows of a stream with their outcomes, and the rounds at which a model is fitted to them anew.

>>> window = init_window(2, 3)
>>> for t in range(5):
...     window = keep_row(window, np.array([t, 0.0]), float(t), 1.0, 3)
>>> window.rows[: rows_kept(window), 0].tolist(), window.seen  # the third of them is the oldest
([3.0, 4.0, 2.0], 5)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.stream import Array
from ..core.vectors import index, size, value

FIRST_ROOM = 64  # rows that there is room for at first; the room doubles when it is full
WINDOW_NUMBERS = 1 << 22  # that the rows of a window hold at most
DOUBLING = 6_400  # rows; up to here the next fit is at twice as many
LEAST_GAP = (
    1_000  # rows between later fits, for each tree of an iteration, of which at least 2 count
)


class RowWindow(NamedTuple):
    rows: Array  # room x features
    outcomes: Array
    importances: Array
    seen: int  # how many rows there were; the oldest is row number `seen` modulo room, where the room is full


def most_rows(wanted: int, n: int) -> int:
    """How many rows of n features are kept: as many as wanted, and WINDOW_NUMBERS numbers at most."""
    return max(1, min(wanted, WINDOW_NUMBERS // max(1, n)))


def init_window(n: int, wanted: int) -> RowWindow:
    """Before the first row, of n features."""
    room = min(FIRST_ROOM, most_rows(wanted, n))
    return RowWindow(
        rows=np.zeros((room, n)), outcomes=np.zeros(room), importances=np.zeros(room), seen=0
    )


def rows_kept(window: RowWindow) -> int:
    """How many rows are kept: they are the first ones of the arrays."""
    return min(window.seen, int(window.outcomes.shape[0]))


def keep_row(window: RowWindow, z: Array, y: float, h: float, wanted: int) -> RowWindow:
    """Keep a row, in place of the oldest where there is no room; one of no importance is not kept."""
    if h == 0.0:
        return window
    room, most = window.outcomes.shape[0], most_rows(wanted, z.shape[0])
    if window.seen == room and room < most:
        window = with_more_rows(window, min(2 * room, most))
        room = window.outcomes.shape[0]
    at = window.seen % room
    for i in range(z.shape[0]):
        window.rows[at, i] = z[i]
    window.outcomes[at], window.importances[at] = y, h
    return RowWindow(
        rows=window.rows,
        outcomes=window.outcomes,
        importances=window.importances,
        seen=window.seen + 1,
    )


def with_more_rows(window: RowWindow, room: int) -> RowWindow:
    """The same, with room for more rows."""
    n = window.rows.shape[1]
    rows, outcomes, importances = np.zeros((room, n)), np.zeros(room), np.zeros(room)
    for t in range(window.outcomes.shape[0]):
        outcomes[t], importances[t] = window.outcomes[t], window.importances[t]
        for i in range(n):
            rows[t, i] = window.rows[t, i]
    return RowWindow(rows=rows, outcomes=outcomes, importances=importances, seen=window.seen)


def write_row(x: Any, z: Array) -> None:
    """Write a row, dense or sparse, into z."""
    for i in range(z.shape[0]):
        z[i] = 0.0
    for k in range(size(x)):
        z[index(x, k)] = value(x, k)


def next_refit(count: int, trees: int) -> int:
    """The number of rows at which the next fit is due, after one at `count` of so many trees an iteration.

    >>> [next_refit(100, 1), next_refit(3200, 1), next_refit(6400, 1), next_refit(30000, 1)]
    [200, 6400, 8400, 33000]
    """
    if count < DOUBLING:
        return 2 * count
    return count + max(LEAST_GAP * max(2, trees), count // 10)
