"""A baseline for matrix completion: the majority of each row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Bit
from ..core.stream import Array
from ..games import Game, Labels, Shape
from .pairs import Size, begins_with_pairs, place_of


class State(NamedTuple):
    sums: Array  # of each row: the sum of its labels, ...
    votes: Array  # ... and how many there were
    all_rows: Array  # the same two numbers of all rows together


class RowMajority(Learner[State, Any, float, Outcome]):
    """Predict the label that the row has had most often.

        each round:  score = (sum of the labels of row i) / (their number);  learn: add y to the sum of row i

    A row that is new, or undecided, has the sign of all rows together, scaled to be smaller than any row's own score.
    The column does not matter. O(1) a round. It is the baseline that any use of columns has to beat.

    >>> learner = RowMajority(rows=2, columns=3).update([0, 0], 1).update([0, 1], 1)
    >>> learner.predict([0, 2]), learner.predict([1, 2])
    (1, 1)

    Ledger: A-ROW-MAJORITY.
    """

    rows: Size = 1000
    columns: Size = 1000
    zero: Bit = 1
    examples = True
    labels = True
    sparse = False

    @property
    def limits(self) -> tuple[int, int]:
        """Features are places in a table of so many rows and columns."""
        return self.rows, self.columns

    def game(self, allocation: bool) -> Game:
        return Labels(self.zero)

    def begin(self, shape: Shape) -> State:
        begins_with_pairs(self.key, shape)
        return State(np.zeros(self.rows), np.zeros(self.rows), np.zeros(2))

    def decide(self, state: State, x: Any) -> float:
        i = place_of(x[0], self.rows)
        place_of(x[1], self.columns)
        if state.sums[i] != 0.0:
            return state.sums[i] / state.votes[i]  # type: ignore[no-any-return]
        return 1e-9 * state.all_rows[0] / max(state.all_rows[1], 1e-300)  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        i = int(x[0])
        state.sums[i] += f.h * f.y
        state.votes[i] += f.h
        state.all_rows[0] += f.h * f.y
        state.all_rows[1] += f.h
        return state
