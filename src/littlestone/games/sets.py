"""The game of prediction sets: the action is an interval, and what counts is whether it holds the truth.

A round brings forecasts: one number, or several, of which the least and the largest are the first interval (a pair
of quantile forecasts, say; in which order they stand does not matter). The decision is a pair of thresholds, by which
the interval is made wider on each side, or narrower where they are negative:

    lower = least forecast - d[0],   upper = largest forecast + d[1]

A learner may ask for more numbers beside the forecasts, which the game does not look at. Thresholds, and so limits,
may be infinite. Where lower > upper the set is empty, and misses whatever comes.
"""

from __future__ import annotations

from typing import NamedTuple

from ..core.game import EXAMPLES, PAIR, Traits
from ..core.outcome import OneOutcome
from ..core.shared_methods import with_methods
from ..core.stream import Array
from .examples import keep_nothing, outcome_is_known
from .room import Room


class Missed(NamedTuple):
    """What the learner is shown: on which side the truth was missed, and how far it was from the forecasts."""

    below: float  # 1 where the truth was below the lower limit, else 0
    above: float  # 1 where it was above the upper limit
    low: float  # the score of the lower side: the least forecast less the truth
    high: float  # the score of the upper side: the truth less the largest forecast


def least(x: Array, beside: int) -> float:
    """The least of the forecasts."""
    found: float = x[0]
    for i in range(1, x.shape[0] - beside):
        found = min(found, x[i])
    return found


def largest(x: Array, beside: int) -> float:
    """The largest of the forecasts."""
    found: float = x[0]
    for i in range(1, x.shape[0] - beside):
        found = max(found, x[i])
    return found


@with_methods(known=outcome_is_known, keep=keep_nothing)
class PredictionInterval(NamedTuple):
    """Say between which two numbers the truth will be; a round whose truth lies elsewhere costs 1.

    A truth that is equal to a limit is held by the interval. A round without a truth counts no miss.
    """

    level: float  # the share of the rounds whose truth the interval is to hold
    beside: int = 0  # numbers at the end of an example that are no forecasts: a spread, a clock
    numbers: int = 2  # of a decision: two thresholds, and what the learner wants to remember of it

    def traits(self) -> Traits:
        return Traits(
            EXAMPLES,
            "set",
            decision=PAIR if self.numbers == 2 else self.numbers,
            width=PAIR,
            infinite=True,
        )

    def act(self, learner: object, d: Array, x: Array, u: float, scratch: Room) -> Array:
        a: Array = scratch.last[0]
        a[0] = least(x, self.beside) - d[0]
        a[1] = largest(x, self.beside) + d[1]
        return a

    def feedback(self, d: Array, a: Array, x: Array, y: OneOutcome, scratch: Room) -> Missed:
        low, high = least(x, self.beside) - y.y, y.y - largest(x, self.beside)
        return Missed(1.0 * (y.y < a[0]), 1.0 * (y.y > a[1]), low, high)

    def cost(self, d: Array, a: Array, y: OneOutcome, f: Missed) -> float:
        return y.h * max(f.below, f.above)

    def realised_cost(self, a: Array, y: OneOutcome) -> float:
        return y.h if y.y < a[0] or y.y > a[1] else 0.0
