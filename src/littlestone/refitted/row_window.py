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
from .forgetting import are_among

FIRST_ROOM = 64  # rows that there is room for at first; the room doubles when it is full
WINDOW_NUMBERS = 1 << 22  # that the rows of a window hold at most
DOUBLING = 6_400  # rows; up to here the next fit is at twice as many
LEAST_GAP, GAP = 2_000, 4  # later fits are so many rows apart, and a quarter of those there were


class RowWindow(NamedTuple):
    rows: Array  # room x features
    outcomes: Array
    importances: Array
    seen: int  # how many rows there were; the oldest is row number `seen` modulo room, where the room is full


def most_rows(wanted: int, n: int) -> int:
    """How many rows of n features are kept: as many as wanted, and WINDOW_NUMBERS numbers at most."""
    return max(1, min(wanted, WINDOW_NUMBERS // max(1, n)))


def init_window(n: int, most: int) -> RowWindow:
    """Before the first of at most so many rows, of n features."""
    room = min(FIRST_ROOM, most)
    return RowWindow(
        rows=np.zeros((room, n)), outcomes=np.zeros(room), importances=np.zeros(room), seen=0
    )


def rows_kept(window: RowWindow) -> int:
    """How many rows are kept: they are the first ones of the arrays."""
    return min(window.seen, int(window.outcomes.shape[0]))


def keep_row(window: RowWindow, z: Array, y: float, h: float, most: int) -> RowWindow:
    """Keep a row, in place of the oldest where there are `most`; one of no importance is not kept."""
    if h == 0.0:
        return window
    room = window.outcomes.shape[0]
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


def rows_in_order(window: RowWindow) -> Any:
    """The places of the rows that are kept, the oldest first."""
    return np.arange(window.seen - rows_kept(window), window.seen) % len(window.outcomes)


def window_without(window: RowWindow, rows: Array) -> tuple[RowWindow, int]:
    """The window as if it had never held these rows, and how many of them it held.

    >>> window, n = window_without(
    ...     keep_row(init_window(1, 3), np.array([7.0]), 1.0, 1.0, 3), np.array([[7.0]])
    ... )
    >>> window.seen, n, float(window.rows.max())
    (0, 1, 0.0)
    """
    order = rows_in_order(window)
    forgotten = are_among(window.rows[order], rows)
    removed = int(forgotten.sum())
    if removed == 0:
        return window, 0
    left = order[~forgotten]
    made = RowWindow(
        rows=np.zeros_like(window.rows),
        outcomes=np.zeros_like(window.outcomes),
        importances=np.zeros_like(window.importances),
        seen=len(left),
    )
    for new, old in zip(made[:3], window[:3], strict=True):
        new[: len(left)] = old[left]
    return made, removed


def write_row(x: Any, z: Array) -> None:
    """Write a row, dense or sparse, into z."""
    for i in range(z.shape[0]):
        z[i] = 0.0
    for k in range(size(x)):
        z[index(x, k)] = value(x, k)


def next_refit(count: int) -> int:
    """The number of rows at which the next fit is due, after one at `count`.

    >>> [next_refit(100), next_refit(3200), next_refit(6400), next_refit(30000)]
    [200, 6400, 8400, 37500]
    """
    if count < DOUBLING:
        return 2 * count
    return count + max(LEAST_GAP, count // GAP)
