"""Follow the regularized leader on linearised losses: add subgradients up, project their sum."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.convex_sets.shapes import length, room
from ..core.guarantee import Guarantee
from ..core.stream import Array
from ..games import Gradient, Shape
from .pace import Pace, fresh, summed
from .point import BOUNDED_SET, Descent, anytime, fixed, seen, sizes, write_sizes


class State(NamedTuple):
    theta: Array  # the point
    G: Array  # the sum of the subgradients
    anchor: Array  # the first point
    Y: Array  # scratch space of the set
    t: int
    lip: float  # the longest subgradient so far
    D: float  # how far the set reaches from the first point
    wide: float  # the diameter of the set
    pace: Pace


T_LAZY = Guarantee(
    "T-FTRL-LAZY",
    "follow the regularized leader",
    "loss - sum_t f_t(theta) <= D^2 / (2 eta) + eta L^2 T / 2 for every theta of the set, which is D L sqrt(T) for "
    "eta = D / (L sqrt(T)); D is the largest distance from the first point, L the longest subgradient",
    "Shalev-Shwartz 2011, theorem 2.11",
    lambda s: s.D**2 / (2 * s.eta) + s.eta * s.lip**2 * s.T / 2,
    against="convex",
    assumptions=(BOUNDED_SET,),
    when=fixed,
    uses=("T", "D", "lip", "eta"),
)
T_LAZY_ANY = Guarantee(
    "T-FTRL-LAZY-ANY",
    "follow the regularized leader without a horizon",
    "loss - sum_t f_t(theta) <= (3/2) D L sqrt(T) for every theta of the set, at eta_t = D / (L sqrt(t)), where D is "
    "the largest distance from the first point; (1/2 + (L'/L)^2) D L sqrt(T) where subgradients are as long as L'",
    "Xiao 2010; McMahan 2017",
    lambda s: s.D * np.sqrt(s.T) * (s.lipschitz / 2 + s.lip**2 / s.lipschitz),
    against="convex",
    assumptions=(BOUNDED_SET,),
    when=anytime,
    uses=("T", "D", "lip", "lipschitz"),
)
T_LAZY_SEEN = Guarantee(
    "T-FTRL-LAZY-SEEN",
    "follow the regularized leader at the scale of the subgradients seen",
    "loss - sum_t f_t(theta) <= (D^2/2) (rises of 1/eta_t) + (1/2) sum_t eta_t |g_t|^2 + diameter (lengths cut off) "
    "for every theta of the set",
    "after McMahan 2017, with rates that may rise",
    lambda s: s.price,
    against="convex",
    assumptions=(BOUNDED_SET,),
    when=seen,
    uses=("price",),
)


class LazyFTRL(Descent[State]):
    """Play the nearest point of the set to the first point less eta times the sum of all subgradients.

        G = 0
        each round:  play theta, see a subgradient g of the loss there;  G += g
                     theta = nearest point of the set to first - eta G

    The same as minimising <G, theta> + |theta - first|^2 / (2 eta) over the set: follow the regularized leader, or
    dual averaging. It equals projected-gradient until a projection moves the point; from then on it remembers how
    far outside G went, and is slower to turn (E-FTRL). O(n) a round and a projection. Rates as in projected-gradient,
    with D the distance from the first point; the first subgradient only sets the scale where `lipschitz` is left out.

    On [-1, 1] at eta = 1/2, slopes +1 six times, then -1: after ten rounds it is still at -1.

    >>> learner = LazyFTRL(set="box", eta=0.5).start(1)
    >>> for t in range(11):
    ...     learner = learner.update([1.0 if t < 6 else -1.0], 0)
    >>> learner.state.theta.tolist()
    [-0.5]

    Nesterov (2009); Xiao (2010). Ledger: A-FTRL-LAZY; T-FTRL-LAZY, T-FTRL-LAZY-ANY, T-FTRL-LAZY-SEEN; E-FTRL.
    """

    diagnostics = ("D", "diameter", "lip", "price")
    guarantees = (T_LAZY, T_LAZY_ANY, T_LAZY_SEEN)

    def begin(self, shape: Shape) -> State:
        theta, D, wide = sizes(self, shape.n)
        return State(
            theta.copy(), np.zeros(shape.n), theta, room(self.set, shape.n), 0, 0.0, D, wide, fresh()
        )  # fmt: skip

    def learn(self, state: State, x: Array, theta: Array, f: Gradient) -> State:
        far, t, given = length(f.ell), state.t + 1, self.eta
        if not given > 0.0 and self.lipschitz > 0.0:  # type: ignore[operator]
            given = state.D / (self.lipschitz * math.sqrt(t + 1.0))  # type: ignore[operator]
        c = math.sqrt(2.0) / state.D if state.D > 0.0 else 0.0
        pace, share, eta = summed(state.pace, far, given, c)  # type: ignore[arg-type]
        for i in range(state.G.shape[0]):
            state.G[i] += share * f.ell[i]
            state.theta[i] = state.anchor[i] - eta * state.G[i]
        self.set.project(state.theta, state.Y)  # type: ignore[union-attr]
        return State(
            state.theta, state.G, state.anchor, state.Y, t, max(state.lip, far), state.D, state.wide, pace
        )  # fmt: skip

    def write_diagnostics(self, state: State, M: Array) -> None:
        write_sizes(state, state.D, M)
