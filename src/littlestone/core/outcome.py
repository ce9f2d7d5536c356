"""The outcome of a round, and its importance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

ONES = np.empty(0)  # the array that `alike` shares and lets grow


class Outcome(NamedTuple):
    """The answer of a round and its importance; for many rounds, arrays of them.

    y is -1.0 or +1.0 with two classes, the class 0.0, 1.0, … with several, a number in regression; NaN where there
    is no answer. h is the importance of the round: twice the importance is twice the loss.
    """

    y: Any
    h: Any


def alike(rows: int) -> Any:
    """Importances of rounds that all count the same: ones, in an array that all runs share."""
    global ONES
    if len(ONES) < rows:
        ONES = np.ones(rows)
        ONES.flags.writeable = False
    return ONES[:rows]


def ones(h: Any) -> bool:
    """Are these importances the ones that all runs share?"""
    return h.base is ONES
