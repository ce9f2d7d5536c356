"""Where each feature lies and how far it spreads, learned as examples come, so that no scaler is needed.

A coordinate that is there in every round is centred, z = (v - centre) / spread. One that comes and goes is not,
z = v / spread: a sparse example says nothing of those that it leaves out (a dense one says that they are 0).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.stream import Array
from ..core.vectors import index, size, value

FAR = 10.0  # spreads from the centre: a value further out counts as if it were there

# What is known of a coordinate, in row i + 1: its centre, the mean distance from it, and how many rounds these stand
# for; the same with the last example in them; in all of how many rounds it was there (-1 once it has missed one); its
# last value, as read and in these units, and the look at which it was read. Row 0: the last look, its round, its size.
CENTRE, SPREAD, TURNS, AFTER, THROUGH, READ, Z, LOOK, COLUMNS = 0, 1, 2, 3, 6, 7, 8, 9, 10


def unplaced(n: int) -> Array:
    """Nothing is known of n coordinates."""
    place = np.zeros((n + 1, COLUMNS))
    place[0, 1] = -1.0
    return place


def placed(
    v: float, always: bool, centre: float, spread: float, turns: float
) -> tuple[float, float, float]:
    """Centre, spread and turns of a coordinate once a value is in.

    Rounds weigh as the square of their number, so that early ones are soon forgotten. One extreme value does little
    harm, wherever it comes: beyond FAR it moves the centre as far as a value at FAR, and halves the turns (if it was
    no accident, the next ones count for more); of the first two values the one nearer to 0 is believed, for a
    spread that is too small mends itself in a few rounds, and one that is too large does not.

    >>> placed(5.0, True, 0.0, 0.0, 0.0)
    (5.0, 0.0, 1.0)
    >>> placed(1e12, True, 5.0, 0.0, 1.0)
    (5.0, 5.0, 2.0)
    >>> placed(8.0, True, 5.0, 5.0, 2.0)
    (6.8, 3.8, 3.0)
    """
    if turns == 0.0:
        return (v, 0.0, 1.0) if always else (0.0, abs(v), 1.0)
    away = v - centre
    if away == 0.0 and spread == 0.0:
        return centre, spread, turns
    if turns == 1.0:
        if not always:
            return 0.0, spread if v == 0.0 else min(spread, abs(v)), 2.0
        near = v if abs(v) < abs(centre) else centre
        return near, abs(away) if near == 0.0 else min(abs(away), abs(near)), 2.0
    if abs(away) > FAR * spread > 0.0:
        turns *= 0.5
        away = FAR * spread if away > 0.0 else -FAR * spread
    turns += 1.0
    rate = 3.0 / (turns + 2.0)
    return centre + rate * away if always else 0.0, spread + rate * (abs(away) - spread), turns


def met(place: Array, x: Any, t: int) -> bool:
    """Is this the example that was standardised last, in the same round?"""
    if place[0, 1] != t or place[0, 2] != size(x):
        return False
    same = 0
    for k in range(size(x)):
        i = index(x, k) + 1
        same += (place[i, LOOK] == place[0, 0]) & (place[i, READ] == value(x, k))
    return same == size(x)


def standardise(place: Array, x: Any, t: int) -> None:
    """Read the example of round t, in units that know it already."""
    place[0, 0] += 1.0
    place[0, 1], place[0, 2] = t, size(x)
    for k in range(size(x)):
        i, v = index(x, k) + 1, value(x, k)
        place[i, READ], place[i, LOOK] = v, place[0, 0]
        if late(place, i, t):
            centre, spread, turns = 0.0, abs(v), 1.0
            place[i, Z] = 0.0
        else:
            centre, spread, turns = placed(
                v, place[i, THROUGH] == t, place[i, CENTRE], place[i, SPREAD], place[i, TURNS]
            )
            away = min(max(v - centre, -FAR * spread), FAR * spread)
            place[i, Z] = away / spread if spread > 0.0 else 0.0
        place[i, AFTER], place[i, AFTER + 1], place[i, AFTER + 2] = centre, spread, turns


def late(place: Array, i: int, t: int) -> bool:
    """Was it always there, and then missed a round? It begins again, uncentred."""
    return place[i, THROUGH] > 0.0 and place[i, THROUGH] != t  # type: ignore[no-any-return]


def keep(place: Array, x: Any, t: int) -> None:
    """Let the units know the example of round t."""
    for k in range(size(x)):
        i = index(x, k) + 1
        place[i, THROUGH] = t + 1.0 if place[i, THROUGH] == t else -1.0
        for u in range(3):
            place[i, u] = place[i, AFTER + u]
