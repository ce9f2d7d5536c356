"""A stream of rounds: what `play` reads, wherever it came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Batch(NamedTuple):
    """Consecutive rounds: in memory all of them, from a file a piece at a time."""

    x: Array | None  # T x n advice (NaN: that expert sleeps); None in the allocation game
    y: Array  # T outcomes (NaN: no feedback), or T x n losses in the allocation game
    first: int = 0  # the number of the first row in its source, counted from 0
    key: NDArray[np.object_] | None = None  # T keys, when the run is split `by` a column


@dataclass
class Stream:
    """Batches, and what is known about them. `batches` may be a one-shot iterator or a list."""

    batches: Iterable[Batch]
    names: tuple[str, ...]  # of the experts (or features), in column order
    outcome: str = "outcome"  # the name of what is predicted
    rounds: int | None = None  # how many there will be, where that is known before reading
    whole: bool = False  # all rounds are in memory, in a list of one batch
    source: str = "arrays"
    notes: tuple[str, ...] = ()  # what was left out, and why
    labels: tuple[object, ...] | None = None  # when outcomes are classes: code -> the user's label
