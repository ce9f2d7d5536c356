"""Where each feature lies and how far it spreads, learned as examples come, so that no scaler is needed.

A coordinate that is there in every round is centred, z = (v - centre) / spread. One that comes and goes is not,
z = v / spread: a sparse example says nothing of those that it leaves out (a dense one says that they are 0).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.stream import Array
from ...core.vectors import dense, index, size, value
from ...engine.lanes import (
    columns,
    four,
    higher,
    lanes,
    lower,
    pick,
    put,
    put_columns,
    total,
    values,
)

FAR = 10.0  # spreads from the centre: a value further out counts as if it were there

# What is known of a coordinate: its centre, the mean distance from it, how many rounds these stand for, and in all of
# how many rounds it was there (-1 once it has missed one).
CENTRE, SPREAD, TURNS, THROUGH, COLUMNS = 0, 1, 2, 3, 4
# Of the coordinates of the last example: their numbers, their values as read, and in units.
AT, READ, Z, LINES = 0, 1, 2, 3
# Of the last example: its round, its size, how many of its coordinates begin again, and whether none begins or ends.
ROUND, SIZE, AGAIN, STEADY = 0, 1, 2, 3
HUGE = 1e300


class Standing(NamedTuple):
    place: Array  # coordinates x COLUMNS: a sparse example reads a few rows, each in one piece
    now: Array  # the same with the last example in it, in its order
    last: Array  # LINES x coordinates, in the order of the last example
    look: Array

    @classmethod
    def earlier(cls, place: Array, *_: Any) -> Standing:
        """What 0.8 and before wrote; it kept the last example in another way, which is read again."""
        return unplaced(len(place))._replace(place=place)


def unplaced(n: int) -> Standing:
    """Nothing is known of n coordinates."""
    return Standing(
        np.zeros((n, COLUMNS)),
        np.zeros((n, COLUMNS)),
        np.zeros((LINES, n)),
        np.array([-1.0, 0.0, 0.0, 0.0]),
    )


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
    at, read = standing.last[AT], standing.last[READ]
    if standing.look[ROUND] != t or standing.look[SIZE] != size(x):
        return False
    if dense(x) and size(x) >= 4 and standing.look[STEADY] > 0.0:
        apart = lanes(0.0, 0.0, 0.0, 0.0)
        for j in range(0, size(x), 4):
            k = min(j, size(x) - 4)
            off = values(x, k) - four(standing.last, READ, k)
            apart = higher(apart, higher(off, 0.0 - off))
        return total(apart) == 0.0
    same = 0
    for k in range(size(x)):
        same += (at[k] == index(x, k)) & (read[k] == value(x, k))
    return same == size(x)


def standardise(standing: Standing, x: Any, t: int) -> None:
    """Read the example of round t, in units that know it already."""
    look = standing.look
    if size(x) >= 4 and look[STEADY] > 0.0 and steadily(standing, x, t):
        look[AGAIN] = 0.0
    else:
        one_by_one(standing, x, t)
    look[ROUND], look[SIZE] = t, size(x)


def one_by_one(standing: Standing, x: Any, t: int) -> None:
    """Standardise coordinates that may begin, begin again, or be there for once."""
    place, now, last, again, always = standing.place, standing.now, standing.last, 0, 0
    for k in range(size(x)):  # all at once, so that one does not wait for the memory of another
        put(now, k, 0, four(place, index(x, k), 0))
    for k in range(size(x)):
        v, through, z = value(x, k), now[k, THROUGH], 0.0
        if late(through, t):
            centre, spread, turns = 0.0, abs(v), 1.0
            again += 1
        else:
            centre, spread, turns = placed(
                v, through == t, now[k, CENTRE], now[k, SPREAD], now[k, TURNS]
            )
            z = away(v - centre, spread)
            always += through == t
        put(now, k, 0, lanes(centre, spread, turns, t + 1.0 if through == t else -1.0))
        last[AT, k], last[READ, k], last[Z, k] = index(x, k), v, z
    standing.look[AGAIN] = again
    standing.look[STEADY] = 1.0 if always == size(x) else 0.0


def steadily(standing: Standing, x: Any, t: int) -> bool:
    """Standardise coordinates that were there in every round, four at a time; False where one was not, or begins."""
    place, now, last, odd = standing.place, standing.now, standing.last, lanes(0.0, 0.0, 0.0, 0.0)
    for j in range(0, size(x), 4):
        k = min(j, size(x) - 4)  # the last four may overlap with those before
        v = values(x, k)
        centre, spread, turns, through = columns(
            place, index(x, k), index(x, k + 1), index(x, k + 2), index(x, k + 3)
        )
        # `placed`, without a branch
        far, missed = v - centre, through - t
        size_of = higher(far, 0.0 - far)
        moves = size_of + spread  # 0 where all values so far were alike
        top = pick(0.0, spread, FAR * spread, HUGE)
        odd = odd + (pick(turns, 2.0, moves, 0.0) + missed * missed)
        turns = pick(0.0, moves, pick(top, size_of, 0.5 * turns, turns) + 1.0, turns)
        there, more, less = (
            turns + 2.0,
            lower(higher(far, 0.0 - top), top),
            lower(size_of, top) - spread,
        )
        rate = 3.0 / there
        # `away`: distance and spread times `there`, so that one division does not wait for the other
        wide = spread * there + 3.0 * less
        top = FAR * wide
        z = lower(higher(far * there - 3.0 * more, 0.0 - top), top) / pick(0.0, wide, wide, 1.0)
        centre, spread = centre + rate * more, spread + rate * less
        put_columns(now, k, k + 1, k + 2, k + 3, centre, spread, turns, 0.0 * turns + (t + 1.0))
        put(last, READ, k, v)
        put(last, Z, k, z)
    if not dense(x):  # else they are those of the round before
        for k in range(size(x)):
            last[AT, k] = index(x, k)
    return total(odd) == 0.0


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
        put(standing.place, index(x, k), 0, four(standing.now, k, 0))
