"""A learner against today's policy: one number a round, whose mean given the past is how much better the learner is.

    mixed     a share of the decisions is the baseline's: with probability `share` its arm b is taken, or else one that
              the learner draws from p. So an arm has probability q(a) = share [a = b] + (1 - share) p(a), and
                  d = (p(A) - [A = b]) (r - g) / q(A)        E d = sum_a p(a) r(a) - r(b), whatever g is
    beside    the baseline alone decides, and took A with probability q; s = min(p(A) / q, most):
                  low = (s - 1) r,  high = (1 - s) (1 - r)   E low <= sum_a p(a) r(a) - value of the baseline <= E high

Rewards r are in [0, 1]; p and g are known before A is drawn. Ledger: T-BETTING, T-BASELINE.
"""

from __future__ import annotations

from typing import NamedTuple

LEAST = 1e-9  # reach of a round in which nothing can be seen


class Contrast(NamedTuple):
    """How much better a learner did than the baseline in a round: limits that hold on average, and how low each goes.

    `low` is at least -reach_low, and `-high` at least -reach_high: known before the arm is drawn.
    """

    low: float
    high: float
    reach_low: float
    reach_high: float


def probability(own: float, baseline: bool, share: float) -> float:
    """The probability of an arm that the learner takes with probability `own`; `baseline`: it is the baseline's arm.

    >>> probability(0.5, True, 0.2), probability(0.5, False, 0.2)
    (0.6000000000000001, 0.4)
    """
    return share * baseline + (1.0 - share) * own


def mixed(
    reward: float, taken: bool, own: float, own_baseline: float, share: float, centre: float
) -> Contrast:
    """A round in which the baseline decided with probability `share`.

    taken          the arm was the baseline's
    own            the probability with which the learner would have taken that arm
    own_baseline   the probability with which it would have taken the baseline's
    centre         g, in [0, 1]: the mean reward before this round makes it vary little

    >>> mixed(1.0, taken=True, own=0.0, own_baseline=0.0, share=0.5, centre=0.5)
    Contrast(low=-1.0, high=-1.0, reach_low=1.0, reach_high=1.0)
    """
    d = (own - taken) * (reward - centre) / probability(own, taken, share)
    # d is p/q (r - g) <= (r - g) / (1 - share) of other arms, and -back (r - g) of the baseline's
    forth, back = 1.0 / (1.0 - share), (1.0 - own_baseline) / probability(own_baseline, True, share)
    low = max(forth * centre, back * (1.0 - centre), LEAST)
    high = max(forth * (1.0 - centre), back * centre, LEAST)
    return Contrast(d, d, low, high)


def beside(reward: float, own: float, propensity: float, most: float) -> Contrast:
    """A round in which the baseline alone decided, and took its arm with this propensity.

    >>> beside(1.0, own=0.9, propensity=0.3, most=10.0)
    Contrast(low=2.0, high=-0.0, reach_low=1.0, reach_high=1.0)
    """
    s = min(own / propensity, most)
    return Contrast((s - 1.0) * reward, (1.0 - s) * (1.0 - reward), 1.0, 1.0)


def widest(share: float) -> float:
    """No contrast of a round that is mixed is larger than this; weights of others are cut off one above it."""
    return 1.0 / min(share, 1.0 - share)
