"""BOA: exponential weights with a penalty for variance and a learning rate for each expert.

Why the bound holds. Let r_i be the regret of a round, E the largest |r| so far, eta_i = min(1/(2E), sqrt(ln n/V_i))
and W = (1/n) sum_i exp(eta_i S_i). Primes denote the values before a round, c = E'/E, and S = S' + r - eta' (cr)^2.
Since |eta' c r| <= 1/2, exp(eta'(S' + cr - eta' (cr)^2)) <= exp(eta' S') (1 + eta' c r), and the weights make the
sum of the last term at most 0. Besides, eta (1-c) |r| <= (1-c)/2, and x^a - x <= ln(1/a)/e for a <= 1. So
    W <= exp((1-c)/2) (W' + (1/n) sum_i ln(eta'_i / eta_i) / e),
with W <= exp(1/8) after the first round that is not 0 (Hoeffding). What the penalties add up to is at most
2 sqrt(V_i ln n) + E, and exp(eta_i S_i) <= n W.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.numeric import decay, normalise
from ..core.rows import corner
from ..core.stream import Array
from ..games import Game, Losses, Shape
from .ml_poly import mixing, reach


class State(NamedTuple):
    S: Array  # regret to each expert, less the penalties
    V: Array  # the sum of its squares, round by round
    eta: Array  # the rate of each expert
    p: Array  # the weights that follow from them
    E: float  # the largest regret of a round
    first: float  # the first E that was not 0
    growth: float  # the sum of 1 - E'/E over the later rounds in which E' became E


def begin_boa(n: int) -> State:
    """Before the first round: uniform weights of n experts."""
    return State(np.zeros(n), np.zeros(n), np.zeros(n), np.full(n, 1.0 / n), 0.0, 0.0, 0.0)


def update_boa(state: State, ell: Array, own: float, E: float) -> State:
    """After a round with losses ell of the experts and `own` of these weights; E: the largest regret of a round yet."""
    if E == 0.0:
        return state
    S, V, eta, w = state.S, state.V, state.eta, state.p
    n = S.shape[0]
    c, root, top = state.E / E, 1.0 / math.sqrt(math.log(max(2, n))), -np.inf
    for i in range(n):
        r = own - ell[i]
        S[i] += r - eta[i] * (c * r) * (c * r)
        V[i] += r * r
        eta[i] = 1.0 / max(2.0 * E, root * math.sqrt(V[i]))
        w[i] = eta[i] * S[i]
        top = max(top, w[i])
    for i in range(n):
        w[i] = 2.0 * E * eta[i] * decay(w[i] - top)
    normalise(w)
    if state.E == 0.0:
        return State(S, V, eta, w, E, E, 0.0)
    return State(S, V, eta, w, E, state.first, state.growth + 1.0 - c)


def grow_boa(old: State, new: State) -> State:
    """An expert that slept so far has neither regret nor variance, and the largest rate."""
    grown: State = corner(old, new)
    if not grown.E > 0.0:
        return grown._replace(p=new.p)
    grown.eta[old.eta.shape[0] :] = 0.5 / grown.E
    exponents = grown.eta * grown.S
    grown.p[:] = grown.eta * np.exp(exponents - exponents.max())
    normalise(grown.p)
    return grown


def bernstein(s: Symbols) -> Any:
    if s.E == 0:
        return np.zeros(s.n)
    V, L = np.asarray(s.V), math.log(max(2, s.n))
    c = np.maximum(2 * s.E, np.sqrt(V / L))  # 1 / eta
    W = 1 / 8 + s.growth / 2 + np.log1p(np.mean(np.log(c / (2 * s.first))) / math.e)
    return 2 * np.sqrt(L * V) + s.E + c * (L + W)


T_BOA = Guarantee(
    "T-BOA",
    "Bernstein online aggregation",
    "R_i <= 2 sqrt(V_i ln n) + E + (ln n + ln W) max(2E, sqrt(V_i / ln n)) for every expert i, where E is the largest "
    "regret of a round, E_1 the first that is not 0, g <= ln(E/E_1) the sum of 1 - E'/E over the rounds in which E' "
    "became E, and ln W = 1/8 + g/2 + ln(1 + mean_j ln(max(2E, sqrt(V_j / ln n)) / 2E_1) / e)",
    "Wintenberger 2017, Optimal learning with Bernstein online aggregation; "
    "these constants, and a range that is not known: proved in experts/boa.py",
    bernstein,
    measures="shown regret",
    uses=("n", "V", "E", "first", "growth"),
)


class BOA(Learner[State, Array, Array, Losses]):
    """Exponential weights of regrets that are penalised for their variance, each expert with its own rate.

        S_i = V_i = E = 0
        each round:  p_i ∝ eta_i exp(eta_i S_i), uniform at first;  predict p . x;  r_i = own loss - loss_i;
                     c = E / max(E, |r_j|);  S_i += r_i - eta_i (c r_i)^2;  V_i += r_i^2;  E /= c;
                     eta_i = min(1 / 2E, sqrt(ln n / V_i))

    O(n) a round; the largest exponent is taken out, so nothing overflows. With gradient (the default) r_i = slope
    (prediction - x_i), and the bound holds against every fixed mixture of the experts too. Multiplying all losses
    by a constant, or adding one, changes nothing.

    >>> learner = BOA()
    >>> learner.update([0.0, 1.0]).predict().round(4).tolist()  # S = (1/2, -1/2) and eta = 1
    [0.7311, 0.2689]

    Wintenberger (2017).
    """

    loss: Loss | str = "square"
    gradient: bool = True
    diagnostics = ("E", "first", "growth")
    smallest = 1e-140
    guarantees = (T_BOA,)

    def game(self, allocation: bool) -> Game:
        return mixing(self.loss, self.gradient, allocation)

    def begin(self, shape: Shape) -> State:
        return begin_boa(shape.n)

    def newcomers(self) -> str:
        return (
            f"as if asleep until now; no theorem covers it: the rates of {T_BOA.id} must not rise, and with one more "
            "expert they may"
        )

    def grow(self, old: State, new: State, shape: Shape) -> State:
        return grow_boa(old, new)

    def decide(self, state: State, x: Array) -> Array:
        return state.p

    def learn(self, state: State, x: Array, p: Array, f: Losses) -> State:
        E = reach(f.ell, f.own, state.E, self.gradient)
        return update_boa(state, f.ell, f.own, E)

    def write_diagnostics(self, state: State, M: Any) -> None:
        M[0], M[1], M[2] = state.E, state.first, state.growth
