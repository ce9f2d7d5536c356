"""The typical magnitude of each feature, learned as examples come, so that no scaler is needed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.stream import Array
from ...core.vectors import index, size, value

MOST = 1e100  # times its typical magnitude, that a feature may be; more would overflow in a product


class Magnitude(NamedTuple):
    """The geometric mean of |x_i| over the rounds in which x_i was not 0.

    It follows any change of units, and a single example, however extreme, moves it little and not for long: 10^12 as
    one of a hundred values multiplies it by 1.3, where a maximum or a mean square would never come back.
    """

    typical: Array  # the geometric mean; 0 where the feature has not been met
    logs: Array  # its logarithm
    turns: Array  # in how many rounds it was not 0


def unmet(n: int) -> Magnitude:
    return Magnitude(np.zeros(n), np.zeros(n), np.zeros(n))


def relative(v: float, typical: float) -> float:
    """A feature in units of its typical magnitude; a sign where that is not known."""
    if v == 0.0:
        return 0.0
    if typical == 0.0:
        return 1.0 if v > 0.0 else -1.0
    return max(-MOST, min(MOST, v / typical))


def measure(m: Magnitude, x: Any) -> int:
    """Take in an example, in place; how many features had another magnitude than before?"""
    moved = 0
    for j in range(size(x)):
        v = abs(value(x, j))
        if v > 0.0:
            i = index(x, j)
            m.turns[i] += 1.0
            if m.turns[i] == 1.0:
                m.typical[i] = v
                m.logs[i] = np.log(v)
            elif v != m.typical[i]:
                moved += 1
                m.logs[i] += (np.log(v) - m.logs[i]) / m.turns[i]
                m.typical[i] = np.exp(m.logs[i])
    return moved


def unseen(m: Magnitude, x: Any) -> int:
    """How many features of an example have not been met before?"""
    fresh = 0
    for j in range(size(x)):
        if value(x, j) != 0.0 and m.turns[index(x, j)] == 0.0:
            fresh += 1
    return fresh
