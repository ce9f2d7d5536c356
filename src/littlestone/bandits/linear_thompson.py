"""Thompson sampling for losses that are linear in features."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.parameters import Positive, Size
from ..core.scratch import Scratch
from ..core.stream import Array
from ..games import Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .linucb import Model
from .ridge import Ridge, fitted, look, ridge_of
from .smallest_draw import Panels, panels, smallest_normal


class State(NamedTuple):
    model: Ridge
    P: Annotated[Panels, Scratch("low", "high", "wide")]
    Z: Array  # draws x d: points that are spread like a normal draw


def normal_points(draws: int, d: int) -> Array:
    """Points spread evenly over the cube (multiples of powers of a generalised golden ratio), as normal draws."""
    from scipy.special import ndtri

    ratio = 2.0
    for _ in range(60):
        ratio = (1.0 + ratio) ** (1.0 / (d + 1.0))
    steps = ratio ** -np.arange(1.0, d + 1.0)
    u = (0.5 + np.arange(1, (draws + 1) // 2 + 1)[:, None] * steps) % 1.0
    Z = ndtri(np.clip(u, 1e-12, 1 - 1e-12))
    return np.ascontiguousarray(np.concatenate([Z, -Z])[:draws])


def two(state: Any, i: int, j: int, scale: float) -> None:
    """Two arms of one model: the difference of their losses is normal."""
    total = 0.0
    for k in range(state.w.shape[0]):
        total += (state.y[i, k] - state.y[j, k]) ** 2
    apart, sd = state.mean[j] - state.mean[i], scale * math.sqrt(total)
    if sd > 0.0:
        state.v[i] = 0.5 * math.erfc(-apart / (sd * 1.4142135623730951))
    else:  # the same features: they are one arm
        state.v[i] = 0.5
    state.v[j] = 1.0 - state.v[i]


def several(state: Any, Z: Any, x: Any, scale: float) -> None:
    """Arms of one model: the share of the points for which each is the least; equal ones, the first."""
    for m in range(Z.shape[0]):
        arm, lowest = 0, np.inf
        for i in range(state.v.shape[0]):
            if available(x, i):
                value = 0.0
                for k in range(Z.shape[1]):
                    value += state.y[i, k] * Z[m, k]
                value = state.mean[i] + scale * value
                if value < lowest:
                    arm, lowest = i, value
        state.v[arm] += 1.0 / Z.shape[0]


class LinearThompson(BanditLearner[State]):
    """Draw theta from what is believed of it, and pull the arm whose loss is the least for it.

        each round:  theta ~ N(A^-1 b, scale^2 A^-1);  the arm with the least theta . x;   A += x x',  b += loss x

    model="disjoint": the features are of the round, every arm has its own theta; model="shared": each arm has features
    (n x d numbers) and all have one theta. Propensities: of disjoint models by quadrature, as for `thompson`; of two
    arms with a shared model by the normal distribution function, exactly; of more arms, theta is one of `draws`
    points that are spread like N(0, I) and are the same in all rounds. The propensities are exact for that choice,
    but differ from those of a fresh normal draw: by 0.01 at most, with 1,024 points for 4 arms and 3 features.

    O(d^2) a round and arm; with points O(draws n d). scale 1/2 suits losses in [0, 1]. The published bound, of order
    d^(3/2) sqrt(T) up to logarithms, is for a scale that grows like sqrt(d ln t), and without constants: not checked.

    >>> learner = LinearThompson().start(2, features=1)
    >>> p = learner.update([1.0], 0, 1.0).propensities([1.0])  # of N(1/2, 1/8) and N(0, 1/4)
    >>> p.round(4).tolist()
    [0.2071, 0.7929]

    Agrawal and Goyal (2013, Thompson sampling for contextual bandits with linear payoffs). Ledger: A-LINEAR-THOMPSON.
    """

    scale: Positive = 0.5
    ridge: Positive = 1.0
    draws: Size = 1024
    model: Model = "disjoint"
    contexts = True

    def begin(self, shape: Shape) -> State:
        model = ridge_of(self.key, shape, self.model == "disjoint", self.ridge)
        return State(model, panels(shape.n), normal_points(self.draws, model.w.shape[0]))

    def decide(self, state: State, x: Offer) -> Array:
        r, there, first, last = state.model, 0, -1, -1
        n, own = r.v.shape[0], r.L.shape[0] > 1
        for i in range(n):
            r.v[i] = 0.0
            if available(x, i):
                look(r, x, i)
                there, last = there + 1, i
                if first < 0:
                    first = i
        if there == 1:
            r.v[first] = 1.0
        elif own:
            for i in range(n):
                r.sd[i] = max(self.scale * r.sd[i], 1e-9)  # no features at all: arms are equal
            smallest_normal(state.P, x, r.mean, r.sd, r.v)
        elif there == 2:
            two(r, first, last, self.scale)
        else:
            several(r, state.Z, x, self.scale)
        return r.v

    def learn(self, state: State, x: Offer, v: Array, f: Pulled) -> State:
        return State(fitted(state.model, x, f), state.P, state.Z)
