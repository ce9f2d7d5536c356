"""A scale-free learner: its predictions do not depend on the units of any feature, and it has no rate."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from ..core.guarantee import Guarantee, Symbols
from ..core.parameters import Positive
from .parts.betting import Betting, State, spread

# saved files look for the state in this module
__all__ = ["ScaleFree", "State"]

KAPPA = 1 / (2 * math.log(2))


def any_scale(s: Symbols) -> Any:
    long = s.reach * np.sqrt(s.U2)
    if not s.least > 0:
        return s.lost + s.cross * long
    with np.errstate(divide="ignore"):
        sharp = np.log(2 * math.exp(0.25) * long * s.top ** (KAPPA + 0.5) / s.least) - 1
    return s.start + 2 * spread(s) * np.maximum(sharp, 0.0) + s.lost + s.cross * long


T_SCALE_FREE = Guarantee(
    "T-SCALE-FREE",
    "a scale-free learner",
    "regret <= sum_i e_i + 2 |v_i| sqrt(S_i) (ln(2.57 |v_i| S_i^1.222 / e_i) - 1)_+ for every u, v_i = u_i unit_i, e_i "
    "the first wealth of feature i, S_i = 1 + the sum of (gradient_i / unit_i)^2; |v_i| times what was cut is added",
    "Kempka, Kotlowski and Warmuth 2019, theorem 3.2; constants derived here",
    any_scale,
    against="linear",
    uses=("U2", "U1", "start", "least", "reach", "total", "top", "lost", "cross"),
)


class ScaleFree(Betting):
    """Bet at most half of a feature's wealth on its next gradient, less the more its gradients have varied.

        wealth_i = wealth / sqrt(nonzeros), theta_i = 0, S_i = 1
        each round:  predict <w, x>, w_i = wealth_i min(|theta_i|/sqrt(S_i), 1) sign(theta_i) / (2 sqrt(S_i) unit_i)
                     coin_i = -loss' x_i / unit_i, cut to [-1, 1];  wealth_i += coin_i w_i unit_i
                     theta_i += coin_i;  S_i += coin_i^2

    O(nonzeros) a round. Like `coin-betting`, whose wealth may swing wildly, but never more than half of it is at stake,
    and S counts squares: gradients that become small cost nothing. Multiplying a feature by a constant changes no
    prediction. Units are second largest values, so that one extreme example is cut and then forgotten. Losses whose
    slope is at most 1. An importance h multiplies the coin, as in `coin-betting`.

    >>> learner = ScaleFree(loss="hinge", wealth=1.0)
    >>> learner.update([4.0], 1).state.w.round(
    ...     6
    ... ).tolist()  # theta = 1, S = 2: half of 1/sqrt(2), over sqrt(2) and 4
    [0.0625]

    Why it holds: with V = S and h(z) = z^2/2, or |z| - 1/2 beyond 1, a bet of that size keeps
    wealth >= e V^-k exp(h(theta/sqrt V)/2), k = 1/(2 ln 2), because ln(1 + c) >= c - c^2 for |c| <= 1/2.
    Kempka, Kotlowski and Warmuth (2019), "ScInOL 2". Ledger: T-SCALE-FREE.
    """

    wealth: Positive = 8.0
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_SCALE_FREE,)

    def bet(self, theta: float, S: float) -> float:
        root = math.sqrt(S)
        return 0.5 * max(-1.0, min(1.0, theta / root)) / root

    def coin_size(self, coin: float) -> float:
        return coin * coin
