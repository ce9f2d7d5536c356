"""Mirror descent with the entropy, on a simplex: exponentiated gradient."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np

from ..core.convex_sets.shapes import Set, Simplex
from ..core.errors import BadInput
from ..core.guarantee import Guarantee
from ..core.numeric import decay
from ..core.stream import Array
from ..games import Game, Gradient, Shape
from .pace import Pace, fresh, summed
from .point import Descent, anytime, fixed, origin, seen


class State(NamedTuple):
    theta: Array  # the point
    G: Array  # the sum of the subgradients
    prior: Array  # ln(first / total)
    t: int
    lip: float  # the widest subgradient so far: its largest entry less its smallest
    far: float  # the largest relative entropy of a point to the first one
    pace: Pace


T_EG = Guarantee(
    "T-MD-ENTROPY",
    "exponentiated gradient",
    "loss - sum_t f_t(theta) <= s (K / eta + eta L^2 T / 8) for every theta of the simplex of sum s, which is "
    "s L sqrt(K T / 2) for eta = sqrt(8 K / T) / L; K = ln n from the centre, L the widest subgradient",
    "Kivinen and Warmuth 1997; Cesa-Bianchi and Lugosi 2006, theorem 2.2",
    lambda s: s.total * (s.entropy / s.eta + s.eta * s.lip**2 * s.T / 8),
    against="convex",
    when=fixed,
    uses=("T", "total", "entropy", "lip", "eta"),
)
T_EG_ANY = Guarantee(
    "T-MD-ENTROPY-ANY",
    "exponentiated gradient without a horizon",
    "loss - sum_t f_t(theta) <= s L sqrt(K T) for every theta of the simplex of sum s, at eta_t = 2 sqrt(K / t) / L; "
    "(1 + (L'/L)^2) / 2 times that where subgradients are as wide as L'",
    "Bubeck 2011, theorem 2.3",
    lambda s: s.total * np.sqrt(s.T * s.entropy) * (s.lipschitz + s.lip**2 / s.lipschitz) / 2,
    against="convex",
    when=anytime,
    uses=("T", "total", "entropy", "lip", "lipschitz"),
)
T_EG_SEEN = Guarantee(
    "T-MD-ENTROPY-SEEN",
    "exponentiated gradient at the scale of the subgradients seen",
    "loss - sum_t f_t(theta) <= s (K (rises of 1/eta_t) + (1/8) sum_t eta_t range(g_t)^2 + (ranges cut off)) for every "
    "theta of the simplex of sum s",
    "after Bubeck 2011, with rates that may rise",
    lambda s: s.price,
    against="convex",
    when=seen,
    uses=("price",),
)


class MirrorDescent(Descent[State]):
    """Play weights proportional to first times exp(-eta times the sum of all subgradients).

        G = 0
        each round:  play theta, see a subgradient g of the loss there;  G += g
                     theta_i = first_i exp(-eta G_i), scaled to the sum of the simplex

    Mirror descent with the entropy as its distance, where the gradient enters the weights by multiplication; with
    linear losses it is Hedge. O(n) a round; sums are kept and not weights, so nothing underflows for ever. How long a
    subgradient is means here its range, the largest entry less the smallest: `lipschitz` bounds that. With it
    eta = sqrt(8 K / T) / L where T is known, 2 sqrt(K / t) / L otherwise; without it as in lazy-ftrl.

    >>> learner = MirrorDescent(eta=1.0).start(2)
    >>> learner.update([0.0, 1.0], 0).state.theta.round(4).tolist()
    [0.7311, 0.2689]

    Nemirovski and Yudin (1983); Kivinen and Warmuth (1997).
    Ledger: A-MD-ENTROPY; T-MD-ENTROPY, T-MD-ENTROPY-ANY, T-MD-ENTROPY-SEEN.
    """

    set: Set | str = Simplex(1.0)
    diagnostics = ("entropy", "lip", "price")
    guarantees = (T_EG, T_EG_ANY, T_EG_SEEN)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.set, Simplex):
            raise BadInput(
                f"{self.key}: set must be a simplex, not {self.set!r:.80}; "
                "for other sets there are projected-gradient and lazy-ftrl"
            )

    def begin(self, shape: Shape) -> State:
        theta = origin(self, shape.n)
        p = theta / theta.sum()
        if not (p > 0.0).all():
            raise BadInput(f"{self.key}: first must be positive in every coordinate")
        K = -math.log(p.min()) if shape.n > 1 else 0.0
        return State(theta, np.zeros(shape.n), np.log(p), 0, 0.0, K, fresh())

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.eta is not None or self.lipschitz is None or not shape.T or shape.n < 2:
            return self
        K = self.begin(shape).far
        return self.replace(eta=math.sqrt(8.0 * K / shape.T) / self.lipschitz)

    def learn(self, state: State, x: Array, theta: Array, f: Gradient) -> State:
        low, high = f.ell[0], f.ell[0]
        for i in range(f.ell.shape[0]):
            low, high = min(low, f.ell[i]), max(high, f.ell[i])
        wide, t, K, given = high - low, state.t + 1, state.far, self.eta
        if not given > 0.0 and self.lipschitz > 0.0:  # type: ignore[operator]
            given = 2.0 * math.sqrt(K / (t + 1.0)) / self.lipschitz  # type: ignore[operator]
        c = 0.5 / math.sqrt(K) if K > 0.0 else 0.0
        pace, share, eta = summed(state.pace, wide, given, c)  # type: ignore[arg-type]
        for i in range(f.ell.shape[0]):
            state.G[i] += share * (f.ell[i] - low)  # a constant in all entries changes nothing
        tilt(state.G, eta, state.prior, self.set.total, state.theta)  # type: ignore[union-attr]
        return State(state.theta, state.G, state.prior, t, max(state.lip, wide), K, pace)

    def write_diagnostics(self, state: State, M: Array) -> None:
        p, K = state.pace, state.far
        M[0] = K
        M[1] = state.lip
        M[2] = self.set.total * (K * p.rise + 0.125 * p.spent + p.cut)  # type: ignore[union-attr]

    def symbols(self) -> dict[str, Any]:
        return {"total": self.set.total}  # type: ignore[union-attr]


def tilt(G: Array, eta: float, prior: Array, total: float, p: Array) -> None:
    """p_i proportional to exp(prior_i - eta G_i), of sum `total`; only differences matter, so nothing overflows."""
    top, s = -math.inf, 0.0
    for i in range(G.shape[0]):
        top = max(top, prior[i] - eta * G[i])
    for i in range(G.shape[0]):
        p[i] = decay(prior[i] - eta * G[i] - top)
        s += p[i]
    for i in range(G.shape[0]):
        p[i] *= total / s
