"""Projected gradient descent: step against the subgradient, then back to the nearest point of the set."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.convex_sets.shapes import length, room
from ..core.guarantee import TOLD, Guarantee
from ..core.stream import Array
from ..games import Gradient, Shape
from .pace import GREAT, TINY, Pace, fresh, paced
from .point import BOUNDED_SET, Descent, anytime, fixed, seen, sizes, write_sizes


class State(NamedTuple):
    theta: Array  # the point
    Y: Array  # scratch space of the set
    t: int
    lip: float  # the longest subgradient so far
    D: float  # how far the set reaches from the first point
    wide: float  # the diameter of the set
    pace: Pace


T_PGD = Guarantee(
    "T-PGD",
    "projected gradient descent",
    "loss - sum_t f_t(theta) <= D^2 / (2 eta) + eta L^2 T / 2 for every theta of the set, which is D L sqrt(T) for "
    "eta = D / (L sqrt(T)); D is the largest distance from the first point, L the longest subgradient",
    "Zinkevich 2003; MIT 6.7900, notes 09",
    lambda s: s.D**2 / (2 * s.eta) + s.eta * s.lip**2 * s.T / 2,
    against="convex",
    assumptions=(BOUNDED_SET,),
    when=fixed,
    uses=("T", "D", "lip", "eta"),
)
T_DELAY_PGD = Guarantee(
    "T-DELAY-PGD",
    "projected gradient descent that learns late",
    "loss - sum_t f_t(theta) <= D^2 / (2 eta) + eta L^2 (T + 2 lags) / 2 for every theta of the set, one copy, "
    "outcomes in any order; lags <= the sum of the delays: eta = D / (L sqrt((1 + 2d) T)) makes it "
    "D L sqrt((1 + 2d) T)",
    "after Quanrud & Khashabi 2015; proved as T-DELAY-OGD, with every subgradient as long as the longest",
    lambda s: s.D**2 / (2 * s.eta) + s.eta * s.lip**2 * (s.T + 2 * s.lags) / 2,
    against="convex",
    assumptions=(BOUNDED_SET, TOLD),
    when=fixed,
    uses=("T", "D", "lip", "eta", "lags"),
    delayed=True,
)
T_PGD_ANY = Guarantee(
    "T-PGD-ANY",
    "projected gradient descent without a horizon",
    "loss - sum_t f_t(theta) <= (3/2) D L sqrt(T) for every theta of the set, at eta_t = D / (L sqrt(t)), "
    "where D is the diameter; (1/2 + (L'/L)^2) D L sqrt(T) where subgradients are as long as L'",
    "Hazan 2016, theorem 3.1",
    lambda s: s.diameter * np.sqrt(s.T) * (s.lipschitz / 2 + s.lip**2 / s.lipschitz),
    against="convex",
    assumptions=(BOUNDED_SET,),
    when=anytime,
    uses=("T", "diameter", "lip", "lipschitz"),
)
T_PGD_SEEN = Guarantee(
    "T-PGD-SEEN",
    "projected gradient descent at the scale of the subgradients seen",
    "loss - sum_t f_t(theta) <= (D^2/2) (rises of 1/eta_t) + (1/2) sum_t eta_t |g_t|^2 + D (lengths cut off) for every "
    "theta of the set; sqrt(2) D L sqrt(T) where the scale never falls and nothing is cut",
    "after Zinkevich 2003, with rates that may rise",
    lambda s: s.price,
    against="convex",
    assumptions=(BOUNDED_SET,),
    when=seen,
    uses=("price",),
)


class ProjectedGradient(Descent[State]):
    """Step against the subgradient of the round's loss, and return to the nearest point of the set.

        theta = first
        each round:  play theta, see a subgradient g of the loss there
                     theta = nearest point of the set to theta - eta g

    O(n) a round and a projection. With `lipschitz` (L, the longest that subgradients get): eta = D / (L sqrt(T)) where
    the number of rounds is known, D / (L sqrt(t)) otherwise. Without it L is that of the subgradients seen lately, and
    one that is more than twice as long as those is cut, so no round can stop the learning of others (T-PGD-SEEN).

    On [-1, 1], f(theta) = theta in every round, from 1 at eta = 1/2:

    >>> learner = ProjectedGradient(set="box", first=[1.0], eta=0.5).start(1)
    >>> for _ in range(5):
    ...     learner = learner.update([1.0], 0)
    >>> learner.state.theta.tolist()
    [-1.0]

    Zinkevich (2003). Notes call it "follow the regularized leader", which is LazyFTRL (E-FTRL).
    Ledger: A-PGD; T-PGD, T-PGD-ANY, T-PGD-SEEN, T-PGD-ROUND, T-DELAY-PGD; E-PGD-PROJ, E-PGD-DIAM, E-ANYTIME-C.
    """

    diagnostics = ("D", "diameter", "lip", "price")
    guarantees = (T_PGD, T_PGD_ANY, T_PGD_SEEN, T_DELAY_PGD)
    delay_factor = 2.0  # T-DELAY-PGD

    def begin(self, shape: Shape) -> State:
        theta, D, wide = sizes(self, shape.n)
        return State(theta, room(self.set, shape.n), 0, 0.0, D, wide, fresh())

    def learn(self, state: State, x: Array, theta: Array, f: Gradient) -> State:
        far, t, pace, eta = length(f.ell), state.t + 1, state.pace, 0.0
        if self.eta > 0.0:  # type: ignore[operator]
            eta = self.eta  # type: ignore[assignment]
        elif self.lipschitz > 0.0:  # type: ignore[operator]
            eta = state.wide / (self.lipschitz * math.sqrt(t))  # type: ignore[operator]
        elif far > TINY and state.wide > 0.0:
            pace = paced(pace, far, math.sqrt(2.0) / state.wide, False)
            eta = pace.kept / far / pace.w
        if eta > 0.0 and far > 0.0:
            if far > 1.0:
                eta = min(eta, GREAT / far)
            for i in range(state.theta.shape[0]):
                state.theta[i] -= eta * f.ell[i]
            self.set.project(state.theta, state.Y)  # type: ignore[union-attr]
        return State(state.theta, state.Y, t, max(state.lip, far), state.D, state.wide, pace)

    def write_diagnostics(self, state: State, M: Array) -> None:
        write_sizes(state, state.wide, M)
