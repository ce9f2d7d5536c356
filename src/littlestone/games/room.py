"""The scratch space of a game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.game import Shape
from ..core.stream import Array


class Room(NamedTuple):
    """Scratch space of a game; the caller of the loop owns it."""

    ell: Array  # n: the losses shown
    d: Array  # n: the decision among those awake
    x: Array  # n: the advice of those awake
    votes: Array  # classes: the weight behind each label
    last: Array  # 1 x k: the last action
    stop: Array  # 1: the row at which a loop met a bad block, or -1


def make_scratch(shape: Shape, width: int = 1, scratch: bool = True) -> Room:
    """Scratch space for actions of `width` numbers, and for decisions of n numbers where a game needs that."""
    n, classes = shape.n if scratch else 1, max(2, shape.classes)
    return Room(
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(classes),
        np.full((1, width), np.nan),
        np.full(1, -1.0),
    )
