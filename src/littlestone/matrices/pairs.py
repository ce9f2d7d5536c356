"""Examples that are a row and a column of a matrix: [i, j], counted from 0."""

from __future__ import annotations

import math
from typing import Annotated

from ..core.errors import BadInput
from ..core.parameters import Interval
from ..games import Shape

MOST = 1 << 24  # rows, or columns, that a matrix may have
Size = Annotated[int, Interval(1, MOST, "[]", True)]


def begins_with_pairs(owner: str, shape: Shape) -> None:
    """Refuse examples that are not pairs."""
    if shape.n != 2:
        raise BadInput(f"{owner} learns from examples [row, column]; these have {shape.n} features")


def place_of(v: float, size: int) -> int:
    """A feature as an index; compiled code has no other check."""
    if not (v >= 0.0 and v < size and v == math.floor(v)):
        raise BadInput(
            "an example must be [row, column], whole numbers from 0 on, below `rows` and `columns`"
        )
    return int(v)
