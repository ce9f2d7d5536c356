"""RefittedRegression: any estimator that predicts numbers, fitted anew to the rows so far."""

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
from .estimator import parse_estimator
from .fitted_rows import (
    FittedRows,
    fit_to,
    init_fitted_rows,
    next_fit,
    predict_number,
    state_without,
)
from .forgetting import KeepsRows
from .refitted_boosting_regression import LARGEST, LEAST, MEAN, OUTCOME_ENTRIES, see_outcome
from .row_window import RowWindow, init_window, keep_row, most_rows, write_row

LINE = '{"estimator": "sklearn.linear_model._base:LinearRegression", "parameters": {}}'


class State(NamedTuple):
    window: RowWindow
    fitted: FittedRows
    outcomes: Array
    refit_at: int  # rows: the next fit is due when so many have come
    refits: int
    z: Buffer  # the row of this round
    t: int


class RefittedRegression(Learner[State, Any, float, Outcome], KeepsRows):
    """Predict numbers by any estimator of scikit-learn's kind, fitted anew to the rows so far.

        each round:  predict what the estimator says, clipped to the range of the outcomes;  before the first fit their
                     mean
                     keep the row;  at `first` rows, and then every `every` rows, or when they are a tenth more:
                         fit the estimator to the last `window` rows

    `estimator` is one that is not fitted, such as Ridge(); `ls.play` takes it in place of a learner. As Refitted; it
    has no theorem of its own.

    >>> from sklearn.linear_model import LinearRegression
    >>> learner = RefittedRegression(estimator=LinearRegression(), first=3)
    >>> for x in (0.0, 1.0, 3.0):
    ...     learner = learner.update([x], 1 + 2 * x)
    >>> round(learner.predict([2.0]), 9)
    5.0

    Ledger: A-REFITTED.
    """

    estimator: Any = LINE
    first: Annotated[int, Interval(2, 1 << 20, "[]", True)] = 20
    every: Annotated[int, Interval(0, 1 << 20, "[]", True)] = 0
    window: Annotated[int, Interval(2, 1 << 20, "[]", True)] = 10_000
    examples = True
    categories = True
    own_constant = True
    fixed = False
    keeps_rows = True
    smallest = 1e-140

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimator", parse_estimator(self.key, self.estimator, True))
        super().__post_init__()

    def begin(self, shape: Shape) -> State:
        return State(
            window=init_window(shape.n, most_rows(self.window, shape.n)),
            fitted=init_fitted_rows(self.estimator, shape.n),
            outcomes=np.zeros(OUTCOME_ENTRIES),
            refit_at=self.first,
            refits=0,
            z=np.zeros(shape.n),
            t=0,
        )

    def decide(self, state: State, x: Any) -> float:
        outcomes, fitted = state.outcomes, state.fitted
        write_row(x, state.z)
        if fitted.fingerprint == 0:
            mean: float = outcomes[MEAN]
            return mean
        said = predict_number(
            fitted.text, fitted.rows, fitted.outcomes, fitted.importances, fitted.features, fitted.fingerprint,
            state.z,
        )  # fmt: skip
        inside: float = min(max(said, outcomes[LEAST]), outcomes[LARGEST])
        return inside

    def learn(self, state: State, x: Any, d: float, f: Outcome) -> State:
        write_row(x, state.z)
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: float, f: Outcome) -> State:
        fitted, refit_at, refits = state.fitted, state.refit_at, state.refits
        if f.h > 0.0 and state.window.seen + 1 >= refit_at:
            refit_at = next_fit(state.window.seen + 1, self.first, self.every)
            if state.z.shape[0] > 0:
                fitted = fit_to(fitted.text, state.window, state.z, f.y, f.h)
                refits += 1
        see_outcome(state.outcomes, f.y, f.h)
        return State(
            window=keep_row(
                state.window, state.z, f.y, f.h, most_rows(self.window, state.z.shape[0])
            ),
            fitted=fitted,
            outcomes=state.outcomes,
            refit_at=refit_at,
            refits=refits,
            z=state.z,
            t=state.t + 1,
        )

    def read_last_row(self, state: State) -> Array:
        return state.z

    def without_rows(self, state: State, rows: Array) -> tuple[State, int]:
        return state_without(state, rows, True)

    def game(self, allocation: bool) -> Game:
        return Regression(Square())
