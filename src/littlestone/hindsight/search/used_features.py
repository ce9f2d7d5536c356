"""Sparse examples without the features that never occur: hashed words fill a few of 2^18 places.

A search keeps vectors of one number a feature, dozens of them, and works on all of them in each step. Over 3,000
examples of 6 words each, 45 words in 2^18 places, the search for the best linear predictor takes .04 s instead of 1 s.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from littlestone.core.stream import Array
from littlestone.core.vectors import Rows

SHARE = 2  # examples are narrowed where fewer than one in so many features occur


class Narrowed(NamedTuple):
    """Examples over the features that occur."""

    rows: Rows
    places: Any  # which features these are, in order
    width: int  # how many features there are in all

    def whole(self, u: Array) -> Array:
        """Weights of all features from weights of those that occur; a constant, if there is one more, comes first."""
        first = u.shape[-1] - len(self.places)
        made = np.zeros((*u.shape[:-1], first + self.width))
        made[..., :first] = u[..., :first]
        made[..., first + self.places] = u[..., first:]
        return made


def narrow_to_used(X: Any, width: int) -> Narrowed | None:
    """The examples over the features that occur, where these are few; None where they are many, or X is not sparse.

    >>> x = Rows(np.array([0, 2, 3]), np.array([7, 90, 7]), np.array([1.0, 2.0, 3.0]))
    >>> few = narrow_to_used(x, 100)
    >>> few.rows.index.tolist(), few.places.tolist()
    ([0, 1, 0], [7, 90])
    >>> few.whole(np.array([0.5, 4.0, 5.0]))[[0, 8, 91]].tolist()  # a constant comes first
    [0.5, 4.0, 5.0]
    """
    if not isinstance(X, Rows) or not len(X.index) or int(X.index.min()) < 0:
        return None
    width = max(width, int(X.index.max()) + 1)
    occurs = np.zeros(width, bool)
    occurs[X.index] = True
    places = np.flatnonzero(occurs)
    if SHARE * len(places) >= width:
        return None
    place_of = np.zeros(width, X.index.dtype)
    place_of[places] = np.arange(len(places))
    return Narrowed(Rows(X.indptr, place_of[X.index], X.value), places, width)
