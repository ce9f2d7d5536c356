"""Estimators: what one loss says of all of them, and when a mean does not tell the truth.

The learner sees the loss of the arm that it drew. Divided by the probability of that draw (and 0 for the other arms) it
is, on average over the draw, the loss of every arm: `estimates`. The tank problem is the smallest example of an
estimator that is right on average and of one that is not; `adaptive_mean` is the warning that a sample mean is right
on average only where the sample was not looked at before more of it was taken.

Ledger: A-IW, A-TANK; T-IW, T-TANK, T-IWCOIN; E-IW, E-SAMPLE-MEAN; X-TANK.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array

RARE = 1e-150  # no draw has a smaller probability, but a live learner may be told of any arm


def estimate(loss: float, p: float) -> float:
    """loss / p: the estimate of the arm that was drawn, finite for every p."""
    return loss / max(p, RARE)


def estimates(losses: Any, p: Any, arm: int) -> Array:
    """The estimated losses of all arms, after one of them was drawn from p: only its own loss enters.

    >>> estimates([0.5, 1.0], [0.25, 0.75], 0).tolist()
    [2.0, 0.0]
    """
    ell, v = np.asarray(losses, float), np.asarray(p, float)
    if ell.shape != v.shape or ell.ndim != 1:
        raise BadInput(
            f"losses and probabilities must be as many, not {ell.shape} and {v.shape} of them"
        )
    if not 0 <= arm < len(v) or not v[arm] > 0.0:
        raise BadInput(f"arm {arm} cannot have been drawn: it must have a positive probability")
    e = np.zeros(len(v))
    e[arm] = ell[arm] / v[arm]
    return e


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
