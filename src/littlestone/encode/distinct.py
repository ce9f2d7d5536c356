"""The distinct values of outcomes: which labels there are, and where one occurs first."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput

MANY = 100  # more labels than this, not all of them whole numbers or text, are no labels
FEW = 8
# Numbers coded at a time. Their temporaries stay below 256 kB: of longer ones the system takes the memory back each
# time, and hands it out again page by page (12 ns a number with 1 << 16, 2 ns with 1 << 14).
BLOCK = 1 << 14
SOME = 256  # numbers that are sorted to begin with


def distinct_numbers(flat: NDArray[Any], most: float = np.inf) -> NDArray[Any]:
    """The distinct numbers of an array, in order; once there are more than `most`, the search ends.

    >>> distinct_numbers(np.array([2, 1, 2])), len(distinct_numbers(np.arange(1e6), most=20)) > 20
    (array([1, 2]), True)
    """
    known = np.unique(flat[:SOME])
    for i in range(SOME, flat.size, BLOCK):  # classes are few: look before sorting
        if known.size > most:
            break
        piece = flat[i : i + BLOCK]
        if known.size <= FEW:
            if sum(np.count_nonzero(piece == value) for value in known) == piece.size:
                continue
            strange = piece == piece  # all but NaN
            for value in known:
                strange &= piece != value
        else:
            at = np.minimum(np.searchsorted(known, piece), known.size - 1)
            strange = (known[at] != piece) & (piece == piece)
        new = piece[strange]
        if new.size:
            known = np.union1d(known, new)
    return known


def first_places(y: Any, codes: Any) -> list[int]:
    """Where labels without a code occur first, in the order in which they do; y holds places in `codes`, or NaN."""
    there = np.flatnonzero(~np.isnan(y))
    strange = there[np.isnan(codes[y[there].astype(int)])]
    _, first = np.unique(y[strange], return_index=True)
    return sorted(strange[first].tolist())


def refuse_measurements(labels: Collection[object]) -> None:
    """Refuse so many different values, fractions among them, that they are measured rather than classes."""
    if len(labels) > MANY and any(isinstance(v, float) for v in labels):
        raise BadInput(
            f"{len(labels):,} different values, fractions among them, are numbers rather than "
            "classes; name the columns that hold classes with experts="
        )
