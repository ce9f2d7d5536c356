"""Consecutive rounds, as learners and games get them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Batch(NamedTuple):
    """Consecutive rounds: in memory all of them, from a file a piece at a time."""

    # T x n advice (NaN: that expert sleeps), or examples, dense or sparse; None in the allocation game
    x: Any
    y: Array  # T outcomes (NaN: no feedback), or T x n losses in the allocation game
    first: int = 0  # the number of the first row in its source, counted from 0
    key: NDArray[np.object_] | None = None  # T keys, when the run is split `by` a column
    h: Array | None = None  # T importance weights; None: all are 1
    width: int = 0  # of sparse examples, more than their largest index; 0: not counted yet
