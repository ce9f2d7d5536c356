"""The sum of an example as one more feature, where features come and go.

Such features are not centred, and mostly of one sign: all of them together say how much there is in an example, and the
intercept says nearly the same. A diagonal belief about weights, which moves one at a time, learns that slowly. The
sum of the standardised coordinates that come and go, centred and standardised in its turn, has a weight of its own: one
that moves all of them at once. The model stays linear. Where nothing comes and goes the sum is 0.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.scratch import Scratch
from ...core.stream import Array
from ...engine.lanes import four, lanes, put
from .feature_scaling import (
    ALL_DENSE,
    NONZERO_COUNT,
    Scaler,
    Z,
    count_entries,
    observe_value,
    to_spreads,
)
from .memories import KEPT, PULL, SCORE, SHARP, SPREAD, M

# The sum: its centre, the mean distance from it, how many rounds these stand for; the same with the last example in it;
# the unit, and the sum of that example in it.
CENTRE, DISTANCE, TURNS, NEXT, UNIT, UNITS, PLACES = 0, 1, 2, 3, 6, 7, 8
# The unit is the distance, but at least so many roots of the number of coordinates. Where the sum hardly varies it has
# nothing to say that the intercept does not, and its last digits would be blown up.
LEAST = 0.5
STIFF = 10.0  # its weight is believed to be near 0 with so many times the precision of others: it begins slowly


class Sums(NamedTuple):
    beliefs: (
        Array  # classes x 1 x what the memories believe of its weight; no classes: it is not used
    )
    place: Annotated[Array, Scratch(np.s_[NEXT:])]


def unsummed(classes: int) -> Sums:
    """Nothing is known of the sum."""
    return Sums(np.zeros((classes, 1, 2 * M)), np.zeros(PLACES))


def in_use(sums: Sums) -> bool:
    """Has anything come and gone?"""
    return sums.beliefs.shape[0] > 0 and sums.place[TURNS] > 0.0  # type: ignore[no-any-return]


def add_up(sums: Sums, scaler: Scaler, x: Any, length: float) -> None:
    """Read the sum of the example that was standardised last; examples have about so many coordinates."""
    place = sums.place
    place[UNITS] = 0.0
    for k in range(NEXT):
        place[NEXT + k] = place[k]
    if scaler.cache[ALL_DENSE] <= 0.0 or place[TURNS] > 0.0:
        add_up_some(place, scaler, x, length)


def add_up_some(place: Array, scaler: Scaler, x: Any, length: float) -> None:
    """`add_up`, where coordinates may come and go."""
    s, some = 0.0, 0
    if scaler.cache[ALL_DENSE] <= 0.0:
        for k in range(count_entries(scaler, x)):
            goes = scaler.new_stats[k, NONZERO_COUNT] < 0.0
            s += scaler.last_row[Z, k] if goes else 0.0
            some += goes
    if some > 0 or place[TURNS] > 0.0:
        place[NEXT], place[NEXT + 1], place[NEXT + 2] = observe_value(
            s, some >= 0, place[CENTRE], place[DISTANCE], place[TURNS]
        )
        place[UNIT] = max(place[NEXT + 1], LEAST * math.sqrt(length))
        place[UNITS] = to_spreads(s - place[NEXT], place[UNIT])


def look_at_sum(sums: Sums, c: int, prior: float, view: Array) -> None:
    """Its part of the scores of the memories, and of their variances."""
    z, b = sums.place[UNITS], sums.beliefs[c]
    if z != 0.0:
        put(view, SCORE, 0, four(view, SCORE, 0) + z * four(b, 0, 0))
        put(view, SPREAD, 0, four(view, SPREAD, 0) + z * z / (STIFF * prior + four(b, 0, M)))


def part_of_sum(sums: Sums, c: int) -> float:
    """Its part of the score of the memory that forgets nothing."""
    return sums.place[UNITS] * sums.beliefs[c, 0, 0]  # type: ignore[no-any-return]


def step_of_sum(sums: Sums, c: int, prior: float, view: Array) -> None:
    """Its weight learns as those of the coordinates do."""
    z, b = sums.place[UNITS], sums.beliefs[c]
    if z != 0.0:
        info = four(b, 0, M)
        put(b, 0, 0, four(b, 0, 0) + z * four(view, PULL, 0) / (STIFF * prior + info))
        put(b, 0, M, lanes(*KEPT) * (info + z * z * four(view, SHARP, 0)))


def keep_sum(sums: Sums) -> None:
    """Let its units know the last example."""
    for k in range(NEXT):
        sums.place[k] = sums.place[NEXT + k]


def weight_of_sum(sums: Sums, q: Array, length: float) -> Array:
    """What it adds to the weight of each standardised coordinate that comes and goes, for each class.

    q has the shares of the memories; examples have about `length` coordinates.
    """
    found: Array = sums.beliefs[:, 0, :M] @ q
    if not in_use(sums):
        return 0.0 * found
    return found / max(float(sums.place[DISTANCE]), LEAST * math.sqrt(length))
