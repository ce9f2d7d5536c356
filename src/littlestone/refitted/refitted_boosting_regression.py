"""RefittedBoostingRegression: boosted trees, fitted anew to the rows so far, predict numbers."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.learner import Learner
from ..core.losses import Square
from ..core.outcome import Outcome
from ..core.parameters import Interval
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Game, Regression, Shape
from .boosted_model import (
    BoostedModel,
    init_boosted_model,
    is_fitted,
    learn_row,
    model_without,
)
from .boosted_trees import set_scores
from .forgetting import KeepsRows
from .row_window import write_row

# Entries of `outcomes`: the least, the largest, their mean by importance, and the sum of the importances.
LEAST, LARGEST, MEAN, WEIGHT, OUTCOME_ENTRIES = range(5)


class State(NamedTuple):
    model: BoostedModel
    outcomes: Array
    z: Buffer  # the row of this round
    t: int


class RefittedBoostingRegression(Learner[State, Any, float, Outcome], KeepsRows):
    """Predict numbers by boosted trees that are fitted anew to the rows so far, at rounds that a schedule says.

        each round:  go down each tree with x;  add up the leaves
                     predict the sum, clipped to the range of the outcomes so far;  before the first fit their mean
                     keep the row;  at `first`, 2 first, 4 first, ... rows, from 6,400 on every 2,000 or quarter:
                         begin to fit 100 iterations of gradient boosting to the rows that are kept
                     a twentieth of these rows later:  use that fit

    As RefittedBoosting. O(100 depth) a round; a fit takes .03 s at 100 rows and .2 s at 10,000 (ten features), on a
    thread of its own. It has no theorem of its own: as a part of mixture-regression it is certified by that. A file of
    this learner holds the rows that it keeps.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(250, 2))
    >>> learner = RefittedBoostingRegression()
    >>> for row in X:
    ...     learner = learner.update(row, 10.0 * (row[0] > 0))
    >>> round(learner.predict([-1.0, 0.0]), 1), round(learner.predict([1.0, 0.0]), 1)
    (0.0, 10.0)

    Friedman (2001), gradient boosting; Ke et al. (2017), histograms. Ledger: A-REFITTED.
    """

    first: Annotated[int, Interval(2, 1 << 20, "[]", True)] = 100
    window: Annotated[int, Interval(64, 1 << 20, "[]", True)] = 50_000
    examples = True
    categories = True
    own_constant = True
    fixed = False
    keeps_rows = True

    def begin(self, shape: Shape) -> State:
        return State(
            model=init_boosted_model(shape.n, 0, self.first, self.window),
            outcomes=np.zeros(OUTCOME_ENTRIES),
            z=np.zeros(shape.n),
            t=0,
        )

    def decide(self, state: State, x: Any) -> float:
        outcomes = state.outcomes
        write_row(x, state.z)
        if not is_fitted(state.model):
            mean: float = outcomes[MEAN]
            return mean
        set_scores(state.model.trees, state.z)
        inside: float = min(max(state.model.trees.scores[0], outcomes[LEAST]), outcomes[LARGEST])
        return inside

    def learn(self, state: State, x: Any, d: float, f: Outcome) -> State:
        write_row(x, state.z)
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: float, f: Outcome) -> State:
        see_outcome(state.outcomes, f.y, f.h)
        return State(
            model=learn_row(state.model, state.z, f.y, f.h, self.window, 1),
            outcomes=state.outcomes,
            z=state.z,
            t=state.t + 1,
        )

    def read_last_row(self, state: State) -> Array:
        return state.z

    def without_rows(self, state: State, rows: Array) -> tuple[State, int]:
        model, removed = model_without(state.model, rows, self.first, self.window, 1)
        return state._replace(model=model), removed

    def game(self, allocation: bool) -> Game:
        return Regression(Square())


def see_outcome(outcomes: Array, y: float, h: float) -> None:
    """Count an outcome of importance h: their range and their mean."""
    if h == 0.0:
        return
    first = outcomes[WEIGHT] == 0.0
    outcomes[LEAST] = y if first else min(outcomes[LEAST], y)
    outcomes[LARGEST] = y if first else max(outcomes[LARGEST], y)
    outcomes[WEIGHT] += h
    outcomes[MEAN] += (y - outcomes[MEAN]) * (h / outcomes[WEIGHT])
