"""Coin betting: gradient descent without a rate, as a gambler who bets on the sign of each gradient."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.guarantee import Guarantee, Symbols
from ..core.parameters import Positive
from .parts.betting import Betting, State, spread

# saved files look for the state in this module
__all__ = ["CoinBetting", "State"]


def no_rate(s: Symbols) -> Any:
    long = s.reach * np.sqrt(s.U2)
    if not s.least > 0:
        return s.lost + s.cross * long
    sharp = np.sqrt(np.log1p(np.pi / 2 * (s.top / s.least * long) ** 2))
    return s.start + spread(s) * sharp + s.lost + s.cross * long


T_COIN = Guarantee(
    "T-COIN",
    "coin betting, feature by feature",
    "regret <= sum_i e_i + |v_i| sqrt(S_i ln(1 + (pi/2) (S_i v_i / e_i)^2)) for every u, with v_i = u_i unit_i, e_i "
    "the first wealth of feature i and S_i = 1 + the sum of |gradient_i| / unit_i (and |v_i| for what was cut)",
    "Orabona and Pal 2016, with coins of any size; the potential is that of Krichevsky and Trofimov 1981",
    no_rate,
    against="linear",
    uses=("U2", "U1", "start", "least", "reach", "total", "top", "lost", "cross"),
)


class CoinBetting(Betting):
    """Gradient descent without a rate: each feature is a gambler who bets on the sign of its next gradient.

        wealth_i = wealth / sqrt(nonzeros), theta_i = 0, S_i = 1
        each round:  predict <w, x>, w_i = wealth_i theta_i / (S_i unit_i)
                     coin_i = -loss' x_i / unit_i, cut to [-1, 1]
                     wealth_i += coin_i theta_i wealth_i / S_i;  theta_i += coin_i;  S_i += |coin_i|

    O(nonzeros) a round. A gambler who is right grows rich exponentially, so the weights reach any size in a few rounds.
    Units are second largest values: an example of any length is a coin of size 1, and no unit remembers it. Losses
    whose slope is at most 1: hinge, logistic, perceptron; absolute and pinball for numbers, whose wealth is in units of
    theirs. An importance h multiplies the coin; above 1 it becomes the unit of later ones.

    >>> learner = CoinBetting(loss="hinge", wealth=1.0)
    >>> for _ in range(2):
    ...     learner = learner.update([1.0], 1)
    >>> learner.state.W.tolist(), learner.state.w.tolist()  # it bet half of 1, then 2/3 of 3/2
    ([1.5], [1.0])

    Why it holds: with P and N the sums of the coins that were heads and tails, wealth stays at least
    e 2^(P+N) B(P + 1/2, N + 1/2) / pi, also for coins between -1 and 1, because that is convex in the size of a coin
    and attained at 0 and 1. Orabona and Pal (2016); Orabona and Tommasi (2017). Ledger: T-COIN.
    """

    wealth: Positive = 3.0
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_COIN,)

    def bet(self, theta: float, S: float) -> float:
        return theta / S

    def coin_size(self, coin: float) -> float:
        return abs(coin)
