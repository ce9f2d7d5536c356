"""Estimators by enumeration: the tank problem, a weighted coin, and a sample mean that is not right on average.

The tank problem is the smallest example of an estimator that is right on average and of one that is not;
`adaptive_mean` shows that a sample mean is right on average only where nobody looked at the sample before taking more.

Ledger: A-TANK; T-IW, T-TANK, T-IWCOIN; E-SAMPLE-MEAN; X-TANK.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from littlestone.core.errors import BadInput


def expected(p: Any, f: Callable[[int], Any]) -> Any:
    """The mean of f(arm) over the draw of an arm from p, by enumeration."""
    return sum(w * f(i) for i, w in enumerate(p) if w > 0)


def coin(x: Any, heads: bool, p: Any) -> Any:
    """x / p if a coin of probability p shows heads, else 0: on average x, whatever p is."""
    return x / p if heads else x * 0


def largest_seen(x: int) -> int:
    """The number of tanks by maximum likelihood, after tank number x was seen: x itself, which is too small."""
    return x


def twice_less_one(x: int) -> int:
    """The number of tanks, 2 x - 1: right on average."""
    return 2 * x - 1


def over_tanks(estimator: Callable[[int], int], n: int) -> Fraction:
    """The mean of an estimator where each of n tanks is as likely to be seen.

    >>> over_tanks(largest_seen, 5), over_tanks(twice_less_one, 5)
    (Fraction(3, 1), Fraction(5, 1))
    """
    if n < 1:
        raise BadInput(f"n must be a number of tanks, 1 or more, not {n!r}")
    return Fraction(sum(estimator(x) for x in range(1, n + 1)), n)


def adaptive_mean(mu: Any) -> Any:
    """The mean of a sample mean: losses are 1 with probability mu, and a second is drawn only if the first was 0.

    >>> adaptive_mean(Fraction(1, 2))
    Fraction(5, 8)
    """
    second = expected([1 - mu, mu], lambda y: (0 + y) / (mu * 0 + 2))
    return mu * 1 + (1 - mu) * second
