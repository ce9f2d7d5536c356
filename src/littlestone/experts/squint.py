"""Squint: a prior over learning rates instead of a learning rate.

Why the bound holds. Let r_i be the regret of a round, E the largest |r| so far, E_1 the first that is not 0, and
    Phi = (1/n) sum_ij exp(eta_j R_i - eta_j^2 V_i) / (j (j+1)),    eta_j = 2^-j / E_1,
over the rates in use, eta_j <= 1/(2E). Primes denote the values before a round, c = E'/E: since |eta' c r| <= 1/2,
exp(eta c r - (eta c r)^2) <= 1 + eta c r, the weights make the sum of the last term at most 0, and
eta (1-c) |r| <= (1-c)/2. So Phi <= exp((1-c)/2) Phi'; a rate that leaves makes Phi smaller, one that enters adds at
most exp(eta_j max(R_1, …, R_n, 0)) / (j (j+1)), and no term of Phi is larger than Phi.
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

RATES = 20  # how many are in use at a time: those from 1/(2E) down to a millionth of it


class State(NamedTuple):
    R: Array  # regret to each expert
    V: Array  # the sum of its squares, round by round
    p: Array  # the weights that follow from them
    E: float  # the largest regret of a round
    first: float  # the first E that was not 0
    top: int  # the rates in use are 2^-j / first, j = top, …, top + RATES - 1
    growth: float  # the sum of 1 - E'/E over the later rounds in which E' became E
    late: float  # what rates that came into use late have added to the potential


def quantile(s: Symbols) -> Any:
    if s.first == 0:
        return np.zeros(s.n)
    j = s.top + np.arange(RATES)
    eta = 2.0**-j / s.first
    nats = math.log(s.n) + np.log(j * (j + 1)) + s.growth / 2 + math.log1p(s.late)
    return np.min(np.multiply.outer(np.asarray(s.V), eta) + nats / eta, axis=-1)


T_SQUINT = Guarantee(
    "T-SQUINT",
    "second-order bound over a grid of learning rates",
    "R_i <= eta V_i + (ln n + ln(j (j+1)) + g/2 + ln(1 + d)) / eta for every expert i and every rate eta = 2^-j / E_1 "
    "in use, those from 1/(2E) down to a millionth of it, where E is the largest regret of a round, E_1 the first that "
    "is not 0, g <= ln(E/E_1) the sum of 1 - E'/E over the rounds in which E' became E, and d (nearly 0) what rates "
    "that came into use late have added; E = E_1 makes g = d = 0",
    "Koolen & van Erven 2015, Second-order quantile methods; "
    "a range that is not known (as in Mhammedi, Koolen & van Erven 2019): proved in experts/squint.py",
    quantile,
    measures="shown regret",
    uses=("n", "V", "first", "top", "growth", "late"),
)


class Squint(Learner[State, Array, Array, Losses]):
    """Average exponential weights over learning rates, with a penalty for the variance of the regret.

        R_i = V_i = 0
        each round:  p_i ∝ sum_j eta_j / (j (j+1)) exp(eta_j R_i - eta_j^2 V_i), uniform at first;  predict p . x;
                     r_i = own loss - loss_i;  R_i += r_i;  V_i += r_i^2

    The rates are eta_j = 2^-j / E_1, E_1 being the largest |r_i| of the first round; those above 1/(2E) leave as the
    largest |r_i| so far, E, grows, and as many smaller ones come. 20 exponentials an expert and round, the largest
    exponent taken out. Multiplying all losses by a constant, or adding one, changes nothing.

    >>> learner = Squint()
    >>> learner.update([0.0, 1.0]).predict().round(
    ...     4
    ... ).tolist()  # R = (1/2, -1/2), V = 1/4, eta = 1, 1/2, 1/4, …
    [0.7052, 0.2948]

    Koolen & van Erven (2015), with the grid of van Erven & Koolen (2016).
    """

    loss: Loss | str = "square"
    gradient: bool = False
    diagnostics = ("first", "top", "growth", "late")
    smallest = 1e-140
    guarantees = (T_SQUINT,)

    def game(self, allocation: bool) -> Game:
        return mixing(self.loss, self.gradient, allocation)

    def begin(self, shape: Shape) -> State:
        n = shape.n
        return State(np.zeros(n), np.zeros(n), np.full(n, 1.0 / n), 0.0, 0.0, 1, 0.0, 0.0)

    def newcomers(self) -> str:
        return f"as if asleep until now; {T_SQUINT.id} covers it, in the rounds since it came"

    def grow(self, old: State, new: State, shape: Shape) -> State:
        """An expert that slept so far has neither regret nor variance, as in a first state."""
        grown: State = corner(old, new)
        if grown.E > 0.0:
            mix_rates(grown.R, grown.V, grown.first, grown.top, grown.p)
            return grown
        return grown._replace(p=new.p)

    def decide(self, state: State, x: Array) -> Array:
        return state.p

    def learn(self, state: State, x: Array, p: Array, f: Losses) -> State:
        E = reach(f.ell, f.own, state.E, self.gradient)
        if E == 0.0:
            return state
        R, V, w = state.R, state.V, state.p
        lead = 0.0
        for i in range(R.shape[0]):
            r = f.own - f.ell[i]
            R[i] += r
            V[i] += r * r
            lead = max(lead, R[i])
        first, top, growth, late = state.first, state.top, state.growth, state.late
        if state.E == 0.0:
            first = E
        else:
            growth += 1.0 - state.E / E
        while top < 1000 and 2.0 ** (top - 1) < E / first:
            top += 1  # the largest rate has become too large
        for j in range(max(top, state.top + RATES), top + RATES):  # the rates that come into use
            late += math.expm1(2.0**-j * lead / first) / (j * (j + 1.0))
        mix_rates(R, V, first, top, w)
        return State(R, V, w, E, first, top, growth, late)

    def write_diagnostics(self, state: State, M: Any) -> None:
        M[0], M[1], M[2], M[3] = state.first, state.top, state.growth, state.late


def mix_rates(R: Array, V: Array, first: float, top: int, w: Array) -> None:
    """w_i ∝ sum_j eta_j / (j (j+1)) exp(eta_j R_i - eta_j^2 V_i), in place."""
    high = -np.inf
    for j in range(top, top + RATES):
        eta = 2.0**-j / first
        for i in range(R.shape[0]):
            high = max(high, eta * (R[i] - eta * V[i]))
    for i in range(R.shape[0]):
        w[i] = 0.0
    for j in range(top, top + RATES):
        eta, g = 2.0**-j / first, 2.0 ** (top - j) / (j * (j + 1.0))
        for i in range(R.shape[0]):
            w[i] += g * decay(eta * (R[i] - eta * V[i]) - high)
    normalise(w)
