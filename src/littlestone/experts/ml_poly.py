"""ML-Poly: polynomial weights with a learning rate for each expert, which need no tuning and no range.

Why the bound holds. Let r_i be the regret of a round (own loss less that of expert i), E the largest |r| so far,
D_i = E^2 + V_i, and Phi = sum_i max(R_i, 0)^2 / D_i. The weights make sum_i r_i max(R_i, 0) / D_i <= 0. Primes denote
the values before a round, c = E'/E: since max(R'+r, 0) <= max(R'+cr, 0) + (1-c)|r| and r_i^2 <= D_i/2, by Minkowski
    sqrt(Phi) <= sqrt(Phi' + sum_i (c r_i)^2 / D'_i) + (1-c) sqrt(n/2).
Since (c r_i)^2 <= E'^2 <= D'_i, the middle terms of all rounds add up to at most sum_i (1 + ln(D_i / E_1^2)), where
E_1 is the first E that is not 0; and max(R_i, 0) <= sqrt(Phi D_i). If E = 1 throughout, this is the paper's bound.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.numeric import normalise
from ..core.rows import corner
from ..core.stream import Array
from ..games import Advice, Allocation, Draw, Game, Losses, Shape, Tangent


class State(NamedTuple):
    R: Array  # regret to each expert
    V: Array  # the sum of its squares, round by round
    p: Array  # the weights that follow from them
    E: float  # the largest regret of a round, either way
    first: float  # the first E that was not 0
    growth: float  # the sum of 1 - E'/E over the later rounds in which E' became E


def begin_ml_poly(n: int) -> State:
    """Before the first round: uniform weights of n experts."""
    return State(np.zeros(n), np.zeros(n), np.full(n, 1.0 / n), 0.0, 0.0, 0.0)


def update_ml_poly(state: State, ell: Array, own: float, E: float) -> State:
    """After a round with losses ell of the experts and `own` of these weights; E: the largest regret of a round yet."""
    if E == 0.0:
        return state
    R, V, w, B = state.R, state.V, state.p, E * E
    for i in range(R.shape[0]):
        r = own - ell[i]
        R[i] += r
        V[i] += r * r
        w[i] = max(R[i], 0.0) / (B + V[i])
    normalise(w)
    if state.E == 0.0:
        return State(R, V, w, E, E, 0.0)
    return State(R, V, w, E, state.first, state.growth + 1.0 - state.E / E)


def grow_ml_poly(old: State, new: State) -> State:
    """An expert that slept so far has neither regret nor variance, as in a first state."""
    grown: State = corner(old, new)
    np.maximum(grown.R, 0.0, out=grown.p)
    if grown.E > 0.0:
        grown.p[:] /= grown.E**2 + grown.V
    normalise(grown.p)
    return grown


def mixing(loss: Loss | str, gradient: bool, allocation: bool) -> Game:
    """The game of a learner that mixes: over losses, over advice, or over tangents of a convex loss."""
    if allocation:
        return Allocation()
    loss = losses.parse_loss(loss)
    if isinstance(loss, losses.ZeroOne):
        return Draw(loss)  # a mean of labels is no label
    return Tangent(loss) if gradient else Advice(loss)


def refuse_large(gradient: bool) -> None:
    """Refuse a loss whose square is no number."""
    if gradient:
        raise BadInput("a loss is infinite, or too large to square: divide them by a constant")
    raise BadInput(
        "a loss is infinite, or too large to square: divide them by a constant, or, with advice, try gradient=True"
    )


def reach(ell: Array, own: float, before: float, gradient: bool) -> float:
    """The largest |own - ell_i| so far; still 0 if all losses have been equal but for rounding."""
    over, a, b = 0, 0.0, before
    if own == np.inf:  # and so is every loss that carries weight: no difference is defined
        refuse_large(gradient)
    for i in range(ell.shape[0]):
        if abs(own - ell[i]) > before:
            over += 1  # counted, not compared with a running maximum: this vectorises
    if over == 0:
        return before
    for i in range(ell.shape[0]):
        a, b = max(a, abs(ell[i])), max(b, abs(own - ell[i]))
    if not b < 1e150:
        refuse_large(gradient)
    return 0.0 if before == 0.0 and b <= max(1e-13 * a, 1e-150) else b


def poly(s: Symbols) -> Any:
    if s.E == 0:
        return np.zeros(s.n)
    D = s.E**2 + np.asarray(s.V)
    drift = math.sqrt(s.n / 2) * s.growth
    return np.sqrt(D) * (np.sqrt(np.sum(1 + np.log(D / s.first**2))) + drift)


T_ML_POLY = Guarantee(
    "T-ML-POLY",
    "polynomial weights with many learning rates",
    "R_i <= sqrt(E^2 + V_i) (sqrt(sum_j (1 + ln((E^2 + V_j) / E_1^2))) + g sqrt(n/2)) for every expert i, "
    "where E is the largest regret of a round, E_1 the first that is not 0, and g <= ln(E/E_1) the sum of 1 - E'/E "
    "over the rounds in which E' became E; E = E_1 makes it at most sqrt((E^2 + V_i) n (1 + ln(1 + T)))",
    "Gaillard, Stoltz & van Erven 2014, A second-order bound with excess losses; "
    "a range that is not known: proved in experts/ml_poly.py",
    poly,
    measures="shown regret",
    uses=("n", "V", "E", "first", "growth"),
)


class MLPoly(Learner[State, Array, Array, Losses]):
    """Weigh the experts by how much was lost by not following them, over how much that varied.

        R_i = V_i = E = 0
        each round:  p_i ∝ max(R_i, 0) / (E^2 + V_i), uniform if all are 0;  predict p . x;
                     r_i = own loss - loss_i;  R_i += r_i;  V_i += r_i^2;  E = max(E, |r_i|)

    O(n) a round, no exponentials. With gradient (the default) r_i = slope (prediction - x_i), and the bound holds
    against every fixed mixture of the experts too. Multiplying all losses by a constant, or adding one, changes
    nothing.

    >>> learner = MLPoly()
    >>> learner.update([0.0, 1.0]).predict().tolist()  # R = (1/2, -1/2)
    [1.0, 0.0]
    >>> learner.update([1.0, 0.0]).predict().round(4).tolist()  # 0.5 / 1.25 and 0.5 / 2.25
    [0.6429, 0.3571]

    Gaillard, Stoltz & van Erven (2014); the tuning is that of the R package opera.
    """

    loss: Loss | str = "square"
    gradient: bool = True
    diagnostics = ("E", "first", "growth")
    smallest = 1e-140
    guarantees = (T_ML_POLY,)

    def game(self, allocation: bool) -> Game:
        return mixing(self.loss, self.gradient, allocation)

    def begin(self, shape: Shape) -> State:
        return begin_ml_poly(shape.n)

    def newcomers(self) -> str:
        return f"as if asleep until now; {T_ML_POLY.id} covers it, in the rounds since it came"

    def grow(self, old: State, new: State, shape: Shape) -> State:
        return grow_ml_poly(old, new)

    def decide(self, state: State, x: Array) -> Array:
        return state.p

    def learn(self, state: State, x: Array, p: Array, f: Losses) -> State:
        E = reach(f.ell, f.own, state.E, self.gradient)
        return update_ml_poly(state, f.ell, f.own, E)

    def write_diagnostics(self, state: State, M: Any) -> None:
        M[0], M[1], M[2] = state.E, state.first, state.growth
