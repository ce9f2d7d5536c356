"""RefittedBoosting: boosted trees, fitted anew to the rows so far, tell classes apart."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Guarantee
from ..core.learner import Learner
from ..core.numeric import least, log_one
from ..core.outcome import Outcome
from ..core.parameters import Interval
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Classes, Game, Shape
from .boosted_model import (
    BoostedModel,
    init_boosted_model,
    is_fitted,
    learn_row,
    model_without,
)
from .boosted_trees import set_class_probabilities
from .calibration import (
    Calibration,
    calibration_price,
    init_calibration,
    mix_calibrations,
    update_calibrations,
)
from .forgetting import KeepsRows
from .row_window import write_row


class State(NamedTuple):
    model: BoostedModel
    calibration: Calibration
    z: Buffer  # the row of this round
    log_probabilities: Buffer
    loss: float
    t: int


T_REFITTED = Guarantee(
    "T-REFITTED",
    "a refitted model's probabilities to several powers, and the frequencies of the classes, mixed",
    "log loss <= ln 4 + ln T + that of each of: the frequencies of the classes so far (Krichevsky & Trofimov's "
    "estimates), and the model's probabilities, with a floor of .01/K, to the powers 1/4, 1/2 and 1",
    "Vovk 1990; Herbster & Warmuth 1998; proved in docs/refitted/index.md",
    calibration_price,
    against="none",
    measures="excess",
    assumptions=(EVEN,),
    uses=("T",),
)


class RefittedBoosting(Learner[State, Any, Array, Outcome], KeepsRows):
    """Tell classes apart by boosted trees that are fitted anew to the rows so far, at rounds that a schedule says.

        each round:  go down each tree with x;  add up the leaves: scores, from which the model's probabilities follow
                     predict the mixture of these, to the powers 1/4, 1/2 and 1, and of the frequencies of the classes
                     keep the row;  at `first`, 2 first, 4 first, ... rows, from 6,400 on every 2,000 or quarter:
                         begin to fit gradient boosting to the rows that are kept
                     a twentieth of these rows later:  use that fit

    100 trees of 31 leaves; with K > 2 classes 200/K for each, of 15 leaves. The last `window` rows are kept, and at
    most 4 million numbers. Before the first fit it predicts the frequencies. O(200 depth) a round. A fit takes .03 s at
    100 rows and .2 s at 10,000 (two classes, ten features), on a thread of its own: the round from which it is used
    does not depend on that, and waits only if it is not done by then. A file of this learner holds the rows that it
    keeps.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> learner = RefittedBoosting()
    >>> for row, label in zip(X, y):
    ...     learner = learner.update(row, int(label))
    >>> [learner.predict([a, b]) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    [1, 0, 0, 1]

    Friedman (2001), gradient boosting; Ke et al. (2017), histograms. Ledger: A-REFITTED; T-REFITTED.
    """

    first: Annotated[int, Interval(2, 1 << 20, "[]", True)] = 100
    window: Annotated[int, Interval(64, 1 << 20, "[]", True)] = 50_000
    examples = True
    categories = True
    labels = True
    fixed = False
    keeps_rows = True
    diagnostics = ("excess",)
    guarantees = (T_REFITTED,)

    def begin(self, shape: Shape) -> State:
        K = max(1, shape.classes)
        return State(
            model=init_boosted_model(shape.n, K, self.first, self.window),
            calibration=init_calibration(K),
            z=np.zeros(shape.n),
            log_probabilities=np.zeros(K),
            loss=0.0,
            t=0,
        )

    def decide(self, state: State, x: Any) -> Array:
        p, fitted = state.log_probabilities, is_fitted(state.model)
        write_row(x, state.z)
        if fitted:
            set_class_probabilities(state.model.trees, state.z, p)
        mix_calibrations(state.calibration, p, fitted)
        for c in range(p.shape[0]):
            p[c] = log_one(p[c])
        return p

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        self.decide(state, x)  # another row may have been scored since
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        update_calibrations(state.calibration, int(f.y), f.h, state.t)
        return State(
            model=learn_row(state.model, state.z, f.y, f.h, self.window, 0),
            calibration=state.calibration,
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
        model, removed = model_without(state.model, rows, self.first, self.window, 0)
        return state._replace(model=model), removed

    def game(self, allocation: bool) -> Game:
        return Classes(True)

    def for_numbers(self) -> Any:
        from .refitted_boosting_regression import RefittedBoostingRegression

        return RefittedBoostingRegression(first=self.first, window=self.window)
