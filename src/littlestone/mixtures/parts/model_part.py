"""Which model of the last rows plays in a mixture, and how another takes its place as classes come.

Boosting fits a tree for each class in each iteration: with more than MOST_CLASSES the nearest rows are asked instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.rows import corner
from ...games import Shape
from ...linear.parts.fourier_scales import MAX_FEATURES
from ...refitted.calibration import init_calibration
from ...refitted.row_window import RowWindow, keep_row, rows_kept
from ...refitted.window_neighbours import State as NeighboursState
from ...refitted.window_neighbours import WindowNeighbours, learn_spreads

NO_MODEL, BOOSTING, NEIGHBOURS = 0, 1, 2
MOST_CLASSES = 10


def model_for(shape: Shape) -> int:
    """The model that plays in rounds of this shape."""
    if shape.n > MAX_FEATURES:
        return NO_MODEL
    return BOOSTING if shape.classes <= MOST_CLASSES else NEIGHBOURS


def grow_models(learner: WindowNeighbours, old: Any, new: Any, shape: Shape) -> tuple[Any, Any]:
    """The states of both models of a mixture, which had room for fewer features or classes."""
    boosting, neighbours = new.boosting, new.neighbours
    if old.model_plays == new.model_plays == BOOSTING:
        boosting = corner(old.boosting, boosting)
    elif old.model_plays == new.model_plays == NEIGHBOURS:
        neighbours = corner(old.neighbours, neighbours)
    elif new.model_plays == NEIGHBOURS:
        calibration = corner(old.boosting.calibration, neighbours.calibration)
        # arrays of `new` may lie where those of `old` do, and hold what boosting has learned
        boosting = boosting._replace(calibration=init_calibration(shape.classes))
        neighbours = with_rows(learner, neighbours, old.boosting.window)._replace(
            calibration=calibration, loss=old.boosting.loss, t=old.boosting.t
        )
    return boosting, neighbours


def with_rows(
    learner: WindowNeighbours, state: NeighboursState, rows: RowWindow
) -> NeighboursState:
    """The same with the rows of another window, which may have fewer features."""
    kept, room, window = rows_kept(rows), rows.outcomes.shape[0], state.window
    oldest = rows.seen % room if rows.seen > room else 0
    z = np.zeros(state.z.shape[0])
    for k in range(kept):
        t = (oldest + k) % room
        z[: rows.rows.shape[1]] = rows.rows[t]
        learn_spreads(state.features, z)
        window = keep_row(window, z, rows.outcomes[t], rows.importances[t], learner.window)
    return state._replace(window=window)
