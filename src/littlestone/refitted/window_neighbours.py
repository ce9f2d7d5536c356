"""WindowNeighbours: the nearest of the last rows tell classes apart."""

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
from .forgetting import KeepsRows
from .refitted_boosting import T_REFITTED
from .row_window import RowWindow, init_window, keep_row, rows_kept, window_without, write_row

# Rows of `features`: how many rows there were, the mean, the sum of squared deviations, 1 over the spread.
ROWS, MEAN, DEVIATION, SCALE, FEATURE_ROWS = range(5)
MOST_NUMBERS = 1 << 18  # that the rows hold: what a round goes over


class State(NamedTuple):
    window: RowWindow
    features: Array  # FEATURE_ROWS x features
    calibration: Calibration
    nearest: Buffer  # 2 x neighbours: squared distances, and outcomes
    z: Buffer  # the row of this round
    log_probabilities: Buffer
    loss: float
    t: int


class WindowNeighbours(Learner[State, Any, Array, Outcome], KeepsRows):
    """Tell classes apart by the nearest of the last rows, each feature over its spread.

        each round:  the `neighbours` rows of the window that are nearest to x:  sum_i ((x_i - z_i) / spread_i)^2
                     p_c = the share of class c among them
                     predict the mixture of p, to the powers 1/4, 1/2 and 1, and of the frequencies of the classes
                     keep the row, in place of the oldest of `window`

    The window is shorter for wide rows: it holds 262,144 numbers at most. O(window d) a round, whatever the number of
    classes. A file of this learner holds the rows that it keeps.

    >>> learner = WindowNeighbours(neighbours=1)
    >>> for t in range(40):
    ...     learner = learner.update([t % 4, 1000.0 * (t % 2)], "abcd"[t % 4])
    >>> learner.predict([2.1, 0.0]), learner.predict([3.1, 1000.0])
    ('c', 'd')

    Fix & Hodges (1951), nearest neighbours. Ledger: A-REFITTED; T-REFITTED.
    """

    neighbours: Annotated[int, Interval(1, 1000, "[]", True)] = 5
    window: Annotated[int, Interval(2, 1 << 20, "[]", True)] = 4_000
    examples = True
    categories = True
    labels = True
    fixed = False
    keeps_rows = True
    smallest = 1e-140
    diagnostics = ("excess",)
    guarantees = (T_REFITTED,)

    def begin(self, shape: Shape) -> State:
        K = max(1, shape.classes)
        return State(
            window=init_window(shape.n, narrower(self.window, shape.n)),
            features=np.zeros((FEATURE_ROWS, shape.n)),
            calibration=init_calibration(K),
            nearest=np.zeros((2, self.neighbours)),
            z=np.zeros(shape.n),
            log_probabilities=np.zeros(K),
            loss=0.0,
            t=0,
        )

    def decide(self, state: State, x: Any) -> Array:
        p, nearest = state.log_probabilities, state.nearest
        write_row(x, state.z)
        found = find_nearest(state.window, state.features, state.z, nearest)
        for c in range(p.shape[0]):
            p[c] = 0.0
        for k in range(found):
            p[int(nearest[1, k])] += 1.0 / found
        mix_calibrations(state.calibration, p, found > 0)
        for c in range(p.shape[0]):
            p[c] = log_one(p[c])
        return p

    def learn(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        self.decide(state, x)  # another row may have been scored since
        return self.learn_now(state, x, d, f)

    def learn_now(self, state: State, x: Any, d: Array, f: Outcome) -> State:
        update_calibrations(state.calibration, int(f.y), f.h, state.t)
        learn_spreads(state.features, state.z)
        return State(
            window=keep_row(
                state.window, state.z, f.y, f.h, narrower(self.window, state.z.shape[0])
            ),
            features=state.features,
            calibration=state.calibration,
            nearest=state.nearest,
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
        window, removed = window_without(state.window, rows)
        return state._replace(window=window), removed

    def game(self, allocation: bool) -> Game:
        return Classes(True)


def narrower(window: int, n: int) -> int:
    """How many rows of n features are compared.

    >>> narrower(4000, 10), narrower(4000, 512)
    (4000, 512)
    """
    return max(1, min(window, MOST_NUMBERS // max(1, n)))


def find_nearest(window: RowWindow, features: Array, z: Array, nearest: Array) -> int:
    """Write the squared distances and outcomes of the nearest rows, the nearest first; how many there are."""
    found, most, rows, scale = 0, nearest.shape[1], window.rows, features[SCALE]
    for t in range(rows_kept(window)):
        far = 0.0
        for i in range(z.shape[0]):
            e = (z[i] - rows[t, i]) * scale[i]
            far += e * e
        if found < most or far < nearest[0, most - 1]:
            at = min(found, most - 1)
            while at > 0 and nearest[0, at - 1] > far:
                nearest[0, at], nearest[1, at] = nearest[0, at - 1], nearest[1, at - 1]
                at -= 1
            nearest[0, at], nearest[1, at] = far, window.outcomes[t]
            found = min(found + 1, most)
    return found


def learn_spreads(features: Array, z: Array) -> None:
    """Spreads of the features with this row; a feature that is always the same has none, and does not count."""
    for i in range(z.shape[0]):
        features[ROWS, i] += 1.0
        e = z[i] - features[MEAN, i]
        features[MEAN, i] += e / features[ROWS, i]
        features[DEVIATION, i] += e * (z[i] - features[MEAN, i])
        spread = np.sqrt(features[DEVIATION, i] / features[ROWS, i])
        features[SCALE, i] = 1.0 / spread if spread > 1e-150 else 0.0
