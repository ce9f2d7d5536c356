"""Where each feature lies and how far it spreads, learned as examples come, so that no scaler is needed.

A coordinate that is there in every round is centred, z = (v - centre) / spread. One that comes and goes is not,
z = v / spread: a sparse example says nothing of those that it leaves out (a dense one says that they are 0).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.stream import Array
from ...core.vectors import index, size, value
from ...engine.lanes import four, lanes, put

FAR = 10.0  # spreads from the centre: a value further out counts as if it were there

# What is known of a coordinate: its centre, the mean distance from it, how many rounds these stand for, and in all of
# how many rounds it was there (-1 once it has missed one).
CENTRE, SPREAD, TURNS, THROUGH, COLUMNS = 0, 1, 2, 3, 4
# Of a coordinate of the last example: the same with this example in it; its number; its value as read, and in units.
AT, READ, Z, LINES = 4, 5, 6, 8


class Standing(NamedTuple):
    place: Array  # coordinates x COLUMNS: a sparse example reads a few rows, each in one piece
    last: Array  # coordinates x LINES, in the order of the last example
    look: Array  # its round, its size, and how many of its coordinates begin again


def unplaced(n: int) -> Standing:
    """Nothing is known of n coordinates."""
    return Standing(np.zeros((n, COLUMNS)), np.zeros((n, LINES)), np.array([-1.0, 0.0, 0.0]))


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
    far = v - centre
    if far == 0.0 and spread == 0.0:
        return centre, spread, turns
    if turns == 1.0:
        if not always:
            return 0.0, spread if v == 0.0 else min(spread, abs(v)), 2.0
        near = v if abs(v) < abs(centre) else centre
        return near, abs(far) if near == 0.0 else min(abs(far), abs(near)), 2.0
    if abs(far) == spread and not always:  # nothing moves
        return 0.0, spread, turns + 1.0
    if abs(far) > FAR * spread > 0.0:
        turns *= 0.5
        far = FAR * spread if far > 0.0 else -FAR * spread
    turns += 1.0
    rate = 3.0 / (turns + 2.0)
    return centre + rate * far if always else 0.0, spread + rate * (abs(far) - spread), turns


def met(standing: Standing, x: Any, t: int) -> bool:
    """Is this the example that was standardised last, in the same round?"""
    last = standing.last
    if standing.look[0] != t or standing.look[1] != size(x):
        return False
    same = 0
    for k in range(size(x)):
        same += (last[k, AT] == index(x, k)) & (last[k, READ] == value(x, k))
    return same == size(x)


def standardise(standing: Standing, x: Any, t: int) -> None:
    """Read the example of round t, in units that know it already."""
    place, last, again = standing.place, standing.last, 0
    for k in range(size(x)):  # all at once, so that one does not wait for the memory of another
        put(last, k, 0, four(place, index(x, k), 0))
    for k in range(size(x)):
        v, through, z = value(x, k), last[k, THROUGH], 0.0
        if late(through, t):
            centre, spread, turns = 0.0, abs(v), 1.0
            again += 1
        else:
            centre, spread, turns = placed(
                v, through == t, last[k, CENTRE], last[k, SPREAD], last[k, TURNS]
            )
            z = away(v - centre, spread)
        put(last, k, 0, lanes(centre, spread, turns, t + 1.0 if through == t else -1.0))
        last[k, AT], last[k, READ], last[k, Z] = index(x, k), v, z
    standing.look[0], standing.look[1], standing.look[2] = t, size(x), again


def away(v: float, spread: float) -> float:
    """A distance in spreads, FAR at most. Features that are 0 or 1 are frequent, and divisions slow."""
    if abs(v) == spread:
        return 1.0 if v > 0.0 else 0.0 if v == 0.0 else -1.0
    return min(max(v, -FAR * spread), FAR * spread) / spread if spread > 0.0 else 0.0


def late(through: float, t: int) -> bool:
    """Was it always there, and then missed a round? It begins again, uncentred."""
    return through > 0.0 and through != t


def keep(standing: Standing, x: Any) -> None:
    """Let the units know the example that was standardised last."""
    for k in range(size(x)):
        put(standing.place, index(x, k), 0, four(standing.last, k, 0))
