"""Where each feature lies and how far it spreads, learned as examples come, so that no scaler is needed.

A coordinate that is there in every round is centred, z = (v - centre) / spread. One that comes and goes is not,
z = v / spread: a sparse example says nothing of those that it leaves out. A dense example says that they are 0. But
where most coordinates of dense examples are 0 in more than three rounds of four, these come and go too, and their zeros
are left out, as if the examples were sparse. Centred they are learned worse: the spread of a feature that is 1 in one
round of 30 is a fifteenth, so that its 1 is cut at FAR, and counts for a hundred of the features that are not rare.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.scratch import Buffer
from ...core.stream import Array
from ...core.vectors import dense, expect, index, size, value
from ...engine.lanes import (
    four,
    higher,
    lanes,
    lower,
    pick,
    positive,
    put,
    put_block,
    rows_of,
    total,
    values,
)

FAR = 10.0  # spreads from the centre: a value further out counts as if it were there
MOSTLY = 4.0  # rounds for one in which a coordinate is not 0: with more of them it comes and goes
WIDE = 16  # coordinates: a first example of so many of which few are not 0 is believed to be one of many such
EARLY = 8.0  # values other than 0 that a coordinate is granted, so that a few zeros at the beginning mean nothing

# What is known of a coordinate: its centre, the mean distance from it, how many rounds these stand for, and in how
# many rounds it was there (-1: it comes and goes). In a dense example it is there where it is not 0.
CENTRE, SPREAD, TURNS, THROUGH, COLUMNS = 0, 1, 2, 3, 4
# Of the last example: the numbers of its coordinates, its values as read, and in units. Where zeros of a dense example
# are left out, numbers and units (and `now`) are of the others, side by side; `listed` and `at` know which they are.
AT, READ, Z, LINES = 0, 1, 2, 3
# Of the last example: its round, its size, how many of its coordinates begin again, and whether none begins or ends: 1,
# or else minus the number of zeros that were left out.
ROUND, SIZE, AGAIN, STEADY = 0, 1, 2, 3
HUGE = 1e300


class Standing(NamedTuple):
    place: Array  # coordinates x COLUMNS: a sparse example reads a few rows, each in one piece
    now: Buffer  # the same with the last example in it, in its order
    last: Buffer  # LINES x coordinates, in the order of the last example
    look: Buffer

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
    places, read = standing.last[AT], standing.last[READ]
    if standing.look[ROUND] != t or standing.look[SIZE] != size(x):
        return False
    if dense(x) and size(x) >= 4:
        apart = lanes(0.0, 0.0, 0.0, 0.0)
        for j in range(0, size(x), 4):
            k = min(j, size(x) - 4)
            off = values(x, k) - four(standing.last, READ, k)
            apart = higher(apart, higher(off, 0.0 - off))
        return total(apart) == 0.0
    same = 0
    for k in range(size(x)):
        same += (dense(x) or places[k] == index(x, k)) & (read[k] == value(x, k))
    return same == size(x)


def standardise(standing: Standing, x: Any, t: int) -> None:
    """Read the example of round t, in units that know it already."""
    look = standing.look
    if size(x) >= 4 and looks_steady(standing, x, t) and steadily(standing, x, t):
        look[AGAIN], look[STEADY] = 0.0, 1.0
    else:
        one_by_one(standing, x, t)
    look[ROUND], look[SIZE] = t, size(x)


def looks_steady(standing: Standing, x: Any, t: int) -> bool:
    """Are four coordinates of the example, spread over it, there in every round? Then all of them may be.

    This must not depend on the last example: a prediction in between would change the last bits of what is learned.
    """
    for j in range(4):
        through = standing.place[index(x, j * (size(x) - 1) // 3), THROUGH]
        if through <= 0.0 if dense(x) else through != t:
            return False
    return True


def one_by_one(standing: Standing, x: Any, t: int) -> None:
    """Standardise coordinates that may begin, begin again, or be there for once."""
    place, now, last, again, always = standing.place, standing.now, standing.last, 0, 0
    m, sparse = size(x), False
    if dense(x):
        m, sparse = sift(standing, x, t)
    for k in range(m):  # all at once, so that one does not wait for the memory of another
        expect(place, x, k, 0)
        i = int(last[AT, k]) if dense(x) else index(x, k)
        put(now, k, 0, four(place, i, 0))
    for k in range(m):
        i = int(last[AT, k]) if dense(x) else k
        v, through, z = value(x, i), now[k, THROUGH], 0.0
        stays = through == t
        if dense(x) and (stays or through > 0.0):
            through += 1.0 if v != 0.0 or t == 0 else 0.0
            stays = not sparse or seldom(through, t) <= 0.0
        if (
            through > 0.0 and not stays
        ):  # it missed a round, or was 0 too often: it begins again, uncentred
            centre, spread, turns = 0.0, abs(v), 0.0 if v == 0.0 else 1.0
            again += 1
        else:
            centre, spread, turns = placed(v, stays, now[k, CENTRE], now[k, SPREAD], now[k, TURNS])
            z = away(v - centre, spread)
        always += stays
        put(now, k, 0, lanes(centre, spread, turns, there(through, stays, dense(x), t)))
        last[Z, k] = z
        if not dense(x):
            last[AT, k], last[READ, k] = index(x, k), v
    standing.look[AGAIN] = again
    standing.look[STEADY] = 1.0 if always == size(x) else 1.0 * (m - size(x))


def sift(standing: Standing, x: Any, t: int) -> tuple[int, bool]:
    """List the coordinates of a dense example without the zeros of those that come and go.

    How many are they, and have examples so far been mostly zeros?
    """
    place, last, m, rare, some = standing.place, standing.last, 0, 0, 0
    for k in range(size(x)):
        there = value(x, k) != 0.0
        some += there
        rare += (place[k, THROUGH] <= 0.0) | (seldom(place[k, THROUGH] + there, t) > 0.0)
    sparse = 2 * rare > size(x)
    if t == 0:
        sparse = size(x) >= WIDE and MOSTLY * some < size(x)
    new = 0.0 if t > 0 or sparse else -1.0  # does one that was never there come and go?
    for k in range(size(x)):
        last[AT, m], last[READ, k] = k, value(x, k)
        m += (value(x, k) != 0.0) | (place[k, THROUGH] > new)
    return m, sparse


def seldom(through: Any, t: int) -> Any:
    """Positive where a coordinate of dense examples was 0 in so many of the rounds up to t that it comes and goes."""
    return (t + 1.0) - MOSTLY * (through + EARLY)


def there(through: float, stays: bool, whole: bool, t: int) -> float:
    """In how many rounds a coordinate was there, this one among them."""
    if not stays:
        return -1.0
    return through if whole else t + 1.0


def left_out(standing: Standing) -> float:
    """How many zeros of the last example, which was dense, are of coordinates that come and go?"""
    return -min(standing.look[STEADY], 0.0)  # type: ignore[no-any-return]


def whole(standing: Standing, x: Any) -> bool:
    """Does every coordinate of the last example say something: is it dense, and was nothing left out?"""
    return dense(x) and standing.look[STEADY] >= 0.0


def listed(standing: Standing, x: Any) -> int:
    """How many coordinates of the last example say something?"""
    return size(x) - int(left_out(standing)) if dense(x) else size(x)


def at(standing: Standing, x: Any, k: int) -> int:
    """Which coordinate is the k-th of them?"""
    if dense(x) and standing.look[STEADY] < 0.0:
        return int(standing.last[AT, k])
    return index(x, k)


def steadily(standing: Standing, x: Any, t: int) -> bool:
    """Standardise coordinates that are all centred, four at a time; False where one is not, or begins."""
    place, now, last, odd = standing.place, standing.now, standing.last, lanes(0.0, 0.0, 0.0, 0.0)
    rare = odd
    for j in range(0, size(x), 4):
        k = min(j, size(x) - 4)  # the last four may overlap with those before
        v = values(x, k)
        centre, spread, turns, through = rows_of(place, x, k, 0)
        far, missed = v - centre, through - t
        size_of = higher(far, 0.0 - far)
        usual = lower(FAR * spread - size_of, turns - 1.5)
        if dense(x):
            new = through + pick(0.0, higher(v, 0.0 - v), 1.0, 0.0)
            usual = lower(usual, lower(through - 0.5, 0.0 - seldom(through, t)))
        else:
            new = 0.0 * turns + (t + 1.0)
            usual = lower(usual, 0.5 - missed * missed)
        if positive(usual):  # `placed` and `away` of values that are not far out
            z = far * turns / (spread * turns + 3.0 * size_of)
            turns, more, less = turns + 1.0, far, size_of - spread
            there = turns + 2.0
        else:  # of any, without a branch
            moves = size_of + spread  # 0 where all values so far were alike
            top = pick(0.0, spread, FAR * spread, HUGE)
            if dense(x):
                missed = pick(through, 1.0, 1.0, 0.0)
                rare = rare + pick(0.0, seldom(new, t), 1.0, 0.0)
            odd = odd + (pick(turns, 2.0, moves, 0.0) + missed * missed)
            turns = pick(0.0, moves, pick(top, size_of, 0.5 * turns, turns) + 1.0, turns)
            more, less = lower(higher(far, 0.0 - top), top), lower(size_of, top) - spread
            there = turns + 2.0
            # distance and spread times `there`, so that one division does not wait for the other
            wide = spread * there + 3.0 * less
            top = FAR * wide
            z = lower(higher(far * there - 3.0 * more, 0.0 - top), top) / pick(0.0, wide, wide, 1.0)
        rate = 3.0 / there
        centre, spread, through = centre + rate * more, spread + rate * less, new
        put_block(now, k, centre, spread, turns, through)
        put(last, READ, k, v)
        put(last, Z, k, z)
    if not dense(x):  # else they are those of the round before
        for k in range(size(x)):
            last[AT, k] = index(x, k)
    return total(odd) == 0.0 and 2.0 * total(rare) <= size(x)


def away(v: float, spread: float) -> float:
    """A distance in spreads, FAR at most. Features that are 0 or 1 are frequent, and divisions slow."""
    if abs(v) == spread:
        return 1.0 if v > 0.0 else 0.0 if v == 0.0 else -1.0
    return min(max(v, -FAR * spread), FAR * spread) / spread if spread > 0.0 else 0.0


def keep(standing: Standing, x: Any) -> None:
    """Let the units know the example that was standardised last."""
    place, now = standing.place, standing.now
    if whole(standing, x):
        for k in range(size(x)):
            put(place, k, 0, four(now, k, 0))
    else:
        for k in range(listed(standing, x)):
            put(place, at(standing, x, k), 0, four(now, k, 0))


def comes_and_goes(standing: Standing) -> Array:
    """1 for each coordinate that comes and goes, else 0."""
    return (standing.place[:, THROUGH] < 0.0).astype(float)
