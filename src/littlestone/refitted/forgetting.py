"""Learners that keep rows can forget some of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.live_learner import LiveLearner
from ..core.scratch import scratch_arrays
from ..core.stream import Array


class KeepsRows:
    """A learner whose state holds rows as they came."""

    def begun(self) -> LiveLearner:
        raise NotImplementedError

    def read_last_row(self, state: Any) -> Array:
        """The row that was predicted last, as the state holds it."""
        raise NotImplementedError

    def without_rows(self, state: Any, rows: Array) -> tuple[Any, int]:
        """The state without these rows, as it holds them, and how many it held; the state itself where it held none."""
        raise NotImplementedError

    def forget(self, rows: Iterable[Any]) -> int:
        """Forget rows: each of those that are kept whose features are all equal to those of one of `rows`.

        `rows` is a matrix, or a list of rows as `update` takes them. Returns how many kept rows it removed; a row that
        came twice counts twice. Models that were fitted to one of them are fitted anew, at once, to the rows that are
        left, and trees that grow online begin anew, for their boxes are made of rows. What remains is what was
        computed of all rows together: weights of linear parts and of mixtures, counts of classes, means, spreads and
        the range of the outcomes. Files and bytes that are made from now on do not hold the rows; those that were made
        before do, and so do open tickets and logs.

        >>> import littlestone as ls
        >>> learner = ls.WindowNeighbours()
        >>> for t in range(8):
        ...     learner = learner.update([t % 4, 0.5], "ab"[t % 2])
        >>> learner.forget([[3.0, 0.5], [9.0, 0.5]])
        2
        >>> learner.forget([[3.0, 0.5]])
        0
        """
        live = self.begun()
        other, asked = live.copied(), []
        for row in rows:
            other.predict(row)
            asked.append(self.read_last_row(other.state).copy())
        if not asked:
            return 0
        state, removed = self.without_rows(live.state, np.array(asked))
        for part in scratch_arrays(
            state
        ):  # they may hold the last row, and are written before they are read
            part[...] = 0
        live.replace_state(state)
        return removed


def are_among(kept: Array, rows: Array) -> Any:
    """Which of the kept rows are equal to one of `rows`?

    >>> are_among(np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 1.0]]), np.array([[0.0, 1.0]])).tolist()
    [True, True, False]
    """
    wanted = {row.tobytes() for row in rows + 0.0}  # -0.0 becomes 0.0
    return np.array([row.tobytes() in wanted for row in kept + 0.0], bool)
