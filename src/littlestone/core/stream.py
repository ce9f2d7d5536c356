"""Consecutive rounds, as learners and games get them."""

from __future__ import annotations

from collections.abc import Sequence
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
    # T x (the first n) columns of examples: True where a table has no number, and x has 0; None: there is no such place
    gaps: NDArray[np.bool_] | None = None


def join_gaps(
    parts: Sequence[NDArray[np.bool_] | None], rows: Sequence[int]
) -> NDArray[np.bool_] | None:
    """The gaps of batches that follow each other and have so many rows.

    >>> join_gaps([None, np.array([[True, False]])], [1, 1]).tolist()
    [[False, False], [True, False]]
    """
    some = next((gaps for gaps in parts if gaps is not None), None)
    if some is None:
        return None
    none = [np.zeros((n, some.shape[1]), bool) for n in rows]
    return np.concatenate([a if a is not None else b for a, b in zip(parts, none, strict=True)])
