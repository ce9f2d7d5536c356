"""The mean outcome of the nearest of the last rows, each feature over its spread: a part for numbers.

>>> part = init_nearest_values(1)
>>> for t in range(12):
...     part = learn_value(part, np.array([t % 2]), 5.0 * (t % 2), 1.0)
>>> [float(mean_of_nearest(part, np.array([x]))) for x in (0.1, 1.1)]
[0.0, 5.0]
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.scratch import Buffer
from ...core.stream import Array
from ...refitted.row_window import RowWindow, init_window, keep_row, write_row
from ...refitted.window_neighbours import FEATURE_ROWS, find_nearest, learn_spreads, narrower

NEIGHBOURS, WINDOW = 5, 4_000


class NearestValues(NamedTuple):
    window: RowWindow
    features: Array  # FEATURE_ROWS x features
    nearest: Buffer  # 2 x neighbours: squared distances, and outcomes
    z: Buffer  # the row of this round


def init_nearest_values(n: int) -> NearestValues:
    """Before the first row, of n features."""
    return NearestValues(
        window=init_window(n, narrower(WINDOW, n)),
        features=np.zeros((FEATURE_ROWS, n)),
        nearest=np.zeros((2, NEIGHBOURS)),
        z=np.zeros(n),
    )


def mean_of_nearest(part: NearestValues, x: Any) -> float:
    """The mean outcome of the nearest rows; 0 before the first."""
    write_row(x, part.z)
    found, total = find_nearest(part.window, part.features, part.z, part.nearest), 0.0
    for k in range(found):
        total += part.nearest[1, k] / found
    return total


def learn_value(part: NearestValues, x: Any, y: float, h: float) -> NearestValues:
    """Keep a row with its outcome."""
    write_row(x, part.z)
    learn_spreads(part.features, part.z)
    return NearestValues(
        window=keep_row(part.window, part.z, y, h, narrower(WINDOW, part.z.shape[0])),
        features=part.features,
        nearest=part.nearest,
        z=part.z,
    )
