"""AdaHedge: exponential weights whose rate follows the mixability gap, with no horizon and no range."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import Guarantee
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.numeric import decay
from ..core.stream import Array
from ..games import Game, Losses, Shape
from .ml_poly import mixing, refuse_large


class State(NamedTuple):
    G: Array  # total loss of each expert, less that of the best
    p: Array  # the weights that follow from it
    Delta: float  # the mixability gaps of all rounds together
    mass: float  # ln sum_i exp(-eta G_i)
    variance: float  # of the losses under the weights, summed over the rounds
    S: float  # the largest difference between two losses of a round


T_ADAHEDGE_GAP = Guarantee(
    "T-ADAHEDGE-GAP",
    "AdaHedge and its mixability gap",
    "R_i <= 2 Delta for every expert i, where Delta is the sum of the mixability gaps",
    "de Rooij, van Erven, Grünwald & Koolen 2014, Follow the leader if you can, hedge if you must, section 2",
    lambda s: 2 * s.Delta,
    measures="shown regret",
    uses=("Delta",),
)
T_ADAHEDGE = Guarantee(
    "T-ADAHEDGE",
    "AdaHedge and the variance of the losses",
    "R_i <= 2 sqrt(v ln n) + S (4/3 ln n + 2) for every expert i, where v is the variance of the losses under the "
    "weights, summed over the rounds, and S the largest difference between two losses of a round; "
    "v <= S^2 T / 4 makes it S sqrt(T ln n) + S (4/3 ln n + 2)",
    "de Rooij, van Erven, Grünwald & Koolen 2014, Follow the leader if you can, hedge if you must, section 2",
    lambda s: 2 * math.sqrt(s.variance * math.log(s.n)) + s.S * (4 / 3 * math.log(s.n) + 2),
    measures="shown regret",
    uses=("n", "variance", "S"),
)


class AdaHedge(Learner[State, Array, Array, Losses]):
    """Hedge at the rate ln n / Delta, Delta being what hedging has cost so far.

        L_i = Delta = 0
        each round:  p_i ∝ exp(-eta L_i), eta = ln n / Delta (uniform over the leaders while Delta = 0);  predict p . x;
                     Delta += p . ell + (1/eta) ln sum_i p_i exp(-eta ell_i);  L_i += ell_i

    O(n) a round. What is added to Delta is the mixability gap: p . ell is the mean of the losses, not the loss of
    the mean; the mix loss is taken from the total losses, so an expert whose weight has underflowed still counts.
    Multiplying all losses by a constant, or adding one, changes nothing.

    >>> learner = AdaHedge()
    >>> learner.update([0.0, 1.0]).predict().round(4).tolist()  # Delta = 1/2, eta = 2 ln 2
    [0.8, 0.2]

    de Rooij, van Erven, Grünwald & Koolen (2014).
    """

    key = "adahedge"
    loss: Loss | str = "square"
    gradient: bool = False
    diagnostics = ("Delta", "variance", "S")
    smallest = 1e-140
    guarantees = (T_ADAHEDGE, T_ADAHEDGE_GAP)

    def game(self, allocation: bool) -> Game:
        return mixing(self.loss, self.gradient, allocation)

    def begin(self, shape: Shape) -> State:
        n = shape.n
        return State(np.zeros(n), np.full(n, 1.0 / n), 0.0, math.log(n), 0.0, 0.0)

    def rate(self, n: int, Delta: float) -> float:
        return min(math.log(n) / Delta, 1e150) if Delta > 0.0 else 1e150

    def decide(self, state: State, x: Array) -> Array:
        return state.p

    def learn(self, state: State, x: Array, p: Array, f: Losses) -> State:
        ell, G, n = f.ell, state.G, f.ell.shape[0]
        low, high = ell[0], ell[0]
        for i in range(1, n):
            low, high = min(low, ell[i]), max(high, ell[i])
        if high == np.inf or not high - low < 1e150:
            refuse_large(self.gradient)
        h, v, best = 0.0, 0.0, np.inf
        for i in range(n):
            h += p[i] * (ell[i] - low)  # the mean of the losses, not the loss of the mean
            best = min(best, G[i] + (ell[i] - low))
        for i in range(n):
            v += p[i] * (ell[i] - low - h) ** 2
            G[i] += ell[i] - low - best
        eta = self.rate(n, state.Delta)
        m = best - (total(G, eta) - state.mass) / eta  # the mix loss
        Delta = state.Delta + max(0.0, h - m)
        eta = self.rate(n, Delta)
        mass = 0.0
        for i in range(n):
            state.p[i] = decay(-eta * G[i])
            mass += state.p[i]
        for i in range(n):
            state.p[i] /= mass
        return State(
            G, state.p, Delta, math.log(mass), state.variance + v, max(state.S, high - low)
        )

    def write_diagnostics(self, state: State, M: Any) -> None:
        M[0], M[1], M[2] = state.Delta, state.variance, state.S


def total(G: Array, eta: float) -> float:
    """ln sum_i exp(-eta G_i), where the smallest G is 0."""
    s = 0.0
    for i in range(G.shape[0]):
        s += decay(-eta * G[i])
    return math.log(s)
