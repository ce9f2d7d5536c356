"""A test by betting: evidence that a mean is above 0, and limits of a mean, which one may look at after every round.

Whoever says that a mean is at most 0 offers bets on z_t that are fair or worse. Gamblers take them. Their capital is
a nonnegative supermartingale if the saying is true, so by Ville's inequality it ever reaches 1/level with probability
at most level: the test may be looked at after each round, and stopped at any time.

Ledger: T-VILLE, T-BETTING, X-BETTING. Ville (1939); Shafer (2021), Testing by betting; Waudby-Smith and Ramdas
(2024), Estimating means of bounded random variables by betting. Limits: T-BERNSTEIN-ADAPTIVE.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .errors import BadInput
from .intervals import RATES, Interval

SIZES = tuple(2.0**-k for k in range(1, 11))  # of a bet: parts of the most that may be bet


class Evidence(NamedTuple):
    """What the gamblers have after so many rounds; one that begins has nothing but what it was given.

    `money`: of each size of a bet, the logarithm of what will be bet with in the next round. A part of the capital
    joins in every round, 1/2, 1/6, 1/12, ...: what joins late has lost nothing before, so that a change after a long
    good time is found, too.
    """

    rounds: int = 0
    money: tuple[float, ...] = (math.log(0.5),) * len(SIZES)
    most: float = 0.0  # the largest logarithm that the capital has ever had


def bet(e: Evidence, z: float, reach: float) -> Evidence:
    """Bet on a round: z >= -reach, whose mean given the past is at most 0 if there is nothing to be found.

        A(c)  <-  A(c) (1 + c z / reach) + 1 / ((t + 1) (t + 2))      for c = 1/2, 1/4, ..., after round t
        capital  =  the mean of A(c) over c, and 1 / (t + 2), which has not joined yet

    `reach` is known before z is. Under the hypothesis the capital of the next round is at most this one on average.

    >>> e = bet(Evidence(), 1.0, 1.0)
    >>> round(math.exp(log_capital(e)), 4)
    1.05
    """
    t = e.rounds + 1
    joins = -math.log((t + 1.0) * (t + 2.0))
    change = max(z / reach, -1.0)
    money = tuple(
        log_sum(logs + math.log1p(c * change), joins)
        for logs, c in zip(e.money, SIZES, strict=True)
    )
    after = Evidence(t, money, 0.0)
    return after._replace(most=max(e.most, log_capital(after)))


def log_capital(e: Evidence) -> float:
    """The logarithm of what the gamblers have together; they began with 1."""
    top = max(e.money)
    playing = top + math.log(sum(math.exp(v - top) for v in e.money) / len(e.money))
    return log_sum(playing, -math.log(e.rounds + 2.0))


def log_sum(a: float, b: float) -> float:
    """ln(e^a + e^b).

    >>> log_sum(0.0, 0.0) == math.log(2.0)
    True
    """
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


def found_at(e: Evidence, level: float) -> bool:
    """Has the capital ever reached 1/level? If there is nothing to be found: with probability at most level."""
    return e.most >= -math.log(level)


def p_value(e: Evidence) -> float:
    """The smallest level at which something was found: it holds at any time, and only falls.

    >>> e = Evidence()
    >>> for _ in range(20):
    ...     e = bet(e, 1.0, 1.0)
    >>> p_value(e) < 0.01, found_at(e, 0.01)
    (True, True)
    """
    return math.exp(-e.most)


class Sums(NamedTuple):
    """What limits of a mean need of the numbers in [0, 1] that came."""

    rounds: int = 0
    total: float = 0.0
    squares: float = 0.0  # of each number's distance to the middle of those before it


def add(s: Sums, u: float) -> Sums:
    """One more number."""
    before = (0.5 + s.total) / (s.rounds + 1)
    return Sums(s.rounds + 1, s.total + u, s.squares + (u - before) ** 2)


def limits(s: Sums, delta: float) -> Interval:
    """Limits of the mean of E[u_t | past] so far. Those of all rounds hold together, with probability 1 - delta.

    >>> s = Sums()
    >>> for u in [0.0, 1.0] * 500:
    ...     s = add(s, u)
    >>> print(limits(s, 0.05))
    [0.4381, 0.5619]

    The same numbers as `core.intervals.adaptive`, one round at a time.
    """
    if not s.rounds:
        return Interval(0.0, 1.0)
    nats = math.log(2.0 * RATES / delta)
    rates = [2.0**-k for k in range(1, RATES + 1)]
    half = min((nats + (-math.log1p(-r) - r) * s.squares) / (r * s.rounds) for r in rates)
    mean = s.total / s.rounds
    return Interval(mean - half, mean + half).within(0.0, 1.0)


def checked_level(level: object) -> float:
    """A probability of a false alarm, more than 0 and less than 1."""
    if isinstance(level, (int, float)) and not isinstance(level, bool) and 0.0 < level < 1.0:
        return float(level)
    raise BadInput(
        f"level must be the probability of a false alarm, between 0 and 1, not {level!r:.60}",
        field="level",
        value=level,
    )
