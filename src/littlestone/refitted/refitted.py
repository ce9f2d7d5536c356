"""Refitted: any estimator that tells classes apart, fitted anew to the rows so far."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.learner import Learner
from ..core.numeric import least, log_one
from ..core.outcome import Outcome
from ..core.parameters import Interval
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Classes, Game, Shape
from .calibration import Calibration, init_calibration, mix_calibrations, update_calibrations
from .estimator import parse_estimator
from .fitted_rows import (
    FittedRows,
    fit_to,
    init_fitted_rows,
    next_fit,
    set_class_probabilities,
    state_without,
)
from .forgetting import KeepsRows
from .refitted_boosting import T_REFITTED
from .row_window import (
    RowWindow,
    init_window,
    keep_row,
    most_rows,
    rows_kept,
    write_row,
)

BAYES = '{"estimator": "sklearn.naive_bayes:GaussianNB", "parameters": {}}'


class State(NamedTuple):
    window: RowWindow
    fitted: FittedRows
    calibration: Calibration
    refit_at: int  # rows: the next fit is due when so many have come
    refits: int
    z: Buffer  # the row of this round
    log_probabilities: Buffer
    loss: float
    t: int


class Refitted(Learner[State, Any, Array, Outcome], KeepsRows):
    """Tell classes apart by any estimator of scikit-learn's kind, fitted anew to the rows so far.

        each round:  predict the mixture of the estimator's probabilities, to the powers 1/4, 1/2 and 1, and of the
                     frequencies of the classes;  an estimator without `predict_proba` is sure of the class it predicts
                     keep the row;  at `first` rows, and then every `every` rows, or when they are a tenth more:
                         fit the estimator to the last `window` rows

    `estimator` is one that is not fitted, such as KNeighborsClassifier(3); `ls.play` takes it in place of a learner.
    Before the first fit it predicts the frequencies. A call of an estimator for one row takes .1 to 20 ms. Files hold
    the parameters of the estimator and the rows, from which it is fitted again when it is asked for the first time.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> learner = Refitted(estimator=KNeighborsClassifier(1), first=4)
    >>> for x, y in ((0, "a"), (1, "b"), (0, "a"), (1, "b"), (0, "a")):
    ...     learner = learner.update([x], y)
    >>> learner.predict([0.9])
    'b'

    Krichevsky & Trofimov (1981); Vovk (1990). Ledger: A-REFITTED; T-REFITTED.
    """

    estimator: Any = BAYES
    first: Annotated[int, Interval(2, 1 << 20, "[]", True)] = 20
    every: Annotated[int, Interval(0, 1 << 20, "[]", True)] = 0
    window: Annotated[int, Interval(2, 1 << 20, "[]", True)] = 10_000
    examples = True
    categories = True
    labels = True
    fixed = False
    keeps_rows = True
    smallest = 1e-140
    diagnostics = ("excess",)
    guarantees = (T_REFITTED,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimator", parse_estimator(self.key, self.estimator, False))
        super().__post_init__()

    def begin(self, shape: Shape) -> State:
        K = max(1, shape.classes)
        return State(
            window=init_window(shape.n, most_rows(self.window, shape.n)),
            fitted=init_fitted_rows(self.estimator, shape.n),
            calibration=init_calibration(K),
            refit_at=self.first,
            refits=0,
            z=np.zeros(shape.n),
            log_probabilities=np.zeros(K),
            loss=0.0,
            t=0,
        )

    def decide(self, state: State, x: Any) -> Array:
        p, fitted = state.log_probabilities, state.fitted
        write_row(x, state.z)
        if fitted.fingerprint != 0:
            set_class_probabilities(
                fitted.text, fitted.rows, fitted.outcomes, fitted.importances, fitted.features, fitted.fingerprint,
                state.z, p,
            )  # fmt: skip
        mix_calibrations(state.calibration, p, fitted.fingerprint != 0)
        for c in range(p.shape[0]):
            p[c] = log_one(p[c])
        return p

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        self.decide(state, x)  # another row may have been scored since
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        fitted, refit_at, refits = state.fitted, state.refit_at, state.refits
        if f.h > 0.0 and state.window.seen + 1 >= refit_at:
            refit_at = next_fit(state.window.seen + 1, self.first, self.every)
            if state.z.shape[0] > 0 and differ(state.window, f.y):
                fitted = fit_to(fitted.text, state.window, state.z, f.y, f.h)
                refits += 1
        update_calibrations(state.calibration, int(f.y), f.h, state.t)
        return State(
            window=keep_row(
                state.window, state.z, f.y, f.h, most_rows(self.window, state.z.shape[0])
            ),
            fitted=fitted,
            calibration=state.calibration,
            refit_at=refit_at,
            refits=refits,
            z=state.z,
            log_probabilities=state.log_probabilities,
            loss=state.loss - f.h * d[int(f.y)],
            t=state.t + 1,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.loss - least(state.calibration.losses)

    def read_last_row(self, state: State) -> Array:
        return state.z

    def without_rows(self, state: State, rows: Array) -> tuple[State, int]:
        return state_without(state, rows, False)

    def game(self, allocation: bool) -> Game:
        return Classes(True)


def differ(window: RowWindow, y: float) -> bool:
    """Is there another class than y in the window?"""
    found = False
    for t in range(rows_kept(window)):
        found = found or window.outcomes[t] != y
    return found
