"""Thompson sampling: each arm as often as it is believed to be the best."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.guarantee import AWAKE, Assumption, Guarantee, Symbols
from ..core.numeric import decay
from ..core.parameters import Interval, Positive
from ..core.scratch import Buffer, Scratch
from ..core.stream import Array
from ..games import Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .smallest_draw import (
    MOST,
    NORMAL,
    POINTS,
    STEP,
    TAIL,
    Panels,
    ends,
    gather,
    normalise_draws,
    panel,
    panels,
    pass_by,
    smallest_normal,
    survive,
)
from .stochastic import IID, ArmMeans, count_pull, gaps, no_pulls

# With a smaller a or b the log-odds of a draw spread so far that a round would take minutes.
Prior = Annotated[float, Interval(0.01, 1e9)]


class State(NamedTuple):
    a: Array  # Beta(a, b) is what is believed of an arm's mean loss
    b: Array
    scale: Array  # its density at the peak, in log-odds
    peak: Array  # the logs of a/(a+b) and of b/(a+b), one after the other
    P: Panels
    lx: Buffer  # the logs of the points of a panel as probabilities, and of one less these
    l1: Buffer
    v: Buffer
    t: int
    parts: int  # losses other than 0 and 1


class Normal(NamedTuple):
    """What GaussianThompson remembers."""

    seen: ArmMeans
    mean: Array
    sd: Array
    P: Annotated[Panels, Scratch("low", "high", "wide")]


def regret(s: Symbols) -> float:
    g = float(gaps(s).sum())
    return float(s.B * (40 * math.log(s.T) / g + 48 / g**3 + 18 * g)) if g > 0 else 0.0


T_THOMPSON = Guarantee(
    "T-THOMPSON",
    "Thompson sampling, two arms",
    "E[pseudo-regret] <= 40 ln T / gap + 48 / gap^3 + 18 gap for two arms and losses 0 and 1; for more arms only the "
    "order is published, (1 + e) sum of gap ln T / KL + O(n/e^2)",
    "Agrawal and Goyal 2012, theorem 1 with the constants of its proof; 2013 for more arms",
    regret,
    measures="pseudo-regret",
    assumptions=(
        IID,
        AWAKE,
        Assumption("losses are 0 or 1", lambda s: None if s.parts == 0 else f"{s.parts:g} are not"),
        Assumption(
            "the prior is uniform",
            lambda s: None if s.a == s.b == 1.0 else f"it is Beta({s.a:g}, {s.b:g})",
        ),
    ),
    mode="in expectation",
    uses=("T", "gaps", "B"),
    when=lambda s: s.n == 2,
)


def stirling(s: float) -> float:
    """ln Gamma(s) less Stirling's formula: small, and without the cancellation of large logarithms."""
    if s < 16.0:
        return math.lgamma(s) - (s - 0.5) * math.log(s) + s - 0.9189385332046727
    r = 1.0 / (s * s)
    return (1.0 - r * (1.0 / 30.0 - r / 105.0)) / (12.0 * s)


def drop(a: float, b: float, z: float, z0: float) -> float:
    """How many nats the density at log-odds z lies below its peak at z0."""
    return a * (z0 - z) + (a + b) * (softplus(z) - softplus(z0))


def reach(a: float, b: float, z0: float, step: float) -> float:
    """How far from its peak, from |step| on, a density is nothing."""
    for _ in range(100):
        if drop(a, b, z0 + step, z0) >= TAIL:
            break
        step *= 1.25
    return abs(step)


def softplus(z: float) -> float:
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


def believe(state: Any, i: int) -> None:
    """What the quadrature needs of Beta(a, b), in log-odds z: x^a (1 - x)^b / B(a, b), which is smooth for all a, b."""
    a, b = state.a[i], state.b[i]
    s, n = a + b, state.a.shape[0]
    state.peak[i], state.peak[n + i] = math.log(a / s), math.log(b / s)
    state.scale[i] = (
        NORMAL * math.sqrt(a * b / s) * math.exp(stirling(s) - stirling(a) - stirling(b))
    )
    z0, sd = math.log(a / b), math.sqrt(1.0 / a + 1.0 / b)
    state.P.wide[i] = STEP * min(0.7, sd)  # less where it is skewed, near 0 and 1
    state.P.low[i], state.P.high[i] = (
        z0 - reach(a, b, z0, -6.5 * sd),
        z0 + reach(a, b, z0, 6.5 * sd),
    )
    state.P.fresh[0] = 0.0


class Thompson(BanditLearner[State]):
    """Draw every arm's mean from what is believed of it, and pull the arm whose draw is the least.

        each arm i:  Beta(a_i, b_i), at first Beta(a, b)
        each round:  pull an arm with the probability that it is the best;  a_arm += loss,  b_arm += 1 - loss

    The probabilities are integrals, computed to 1e-6 or better (1e-8 was seen), so drawing an arm from them is drawing
    from all posteriors and comparing, and they are the propensities. That costs 5 to 20 panels of eight points a round,
    O(n) exponentials each: about 1 us an arm. They are kept while nothing is learned. Losses between 0 and 1
    count in parts, so nothing is drawn for them; the theorem is about 0 and 1 only.

    >>> learner = Thompson().start(2)
    >>> p = learner.update(None, 0, 1.0).propensities()  # Beta(2, 1) and Beta(1, 1): 1/3, 2/3
    >>> p.round(6).tolist()
    [0.333333, 0.666667]

    Thompson (1933); Agrawal and Goyal (2012, 2013). Ledger: A-THOMPSON; T-THOMPSON.
    """

    a: Prior = 1.0
    b: Prior = 1.0
    diagnostics = ("parts",)
    guarantees = (T_THOMPSON,)

    def begin(self, shape: Shape) -> State:
        n = shape.n
        state = State(
            np.full(n, float(self.a)), np.full(n, float(self.b)), np.zeros(n), np.zeros(2 * n), panels(n),
            np.zeros(POINTS), np.zeros(POINTS), np.full(n, 1.0 / n), 0, 0,
        )  # fmt: skip
        for i in range(n):
            believe(state, i)
        return state

    def decide(self, state: State, x: Offer) -> Array:
        P, n, v = state.P, state.v.shape[0], state.v
        if P.fresh[0] > 0.0 and x.on.shape[0] == 0:
            return v
        P.fresh[0] = 1.0 if x.on.shape[0] == 0 else 0.0
        for i in range(n):
            v[i] = 0.0
        z, high = ends(P, x)
        for _ in range(MOST):
            h = panel(P, x, z, high)
            if not z < z + h:
                break
            for k in range(POINTS):
                small = math.log1p(decay(-abs(P.z[k])))
                state.lx[k], state.l1[k] = min(P.z[k], 0.0) - small, -max(P.z[k], 0.0) - small
            for i in range(n):
                if available(x, i) and P.low[i] < z + h:
                    la, lb = state.peak[i], state.peak[n + i]
                    for k in range(POINTS):
                        below = state.a[i] * (state.lx[k] - la) + state.b[i] * (state.l1[k] - lb)
                        P.f[i, k] = state.scale[i] * decay(below)
                    survive(P, i, h)
                else:
                    pass_by(P, i)
            gather(P, h, v)
            z += h
        normalise_draws(P, x, v)
        return v

    def learn(self, state: State, x: Offer, v: Array, f: Pulled) -> State:
        state.a[f.arm] += f.loss
        state.b[f.arm] += 1.0 - f.loss
        believe(state, f.arm)
        part = 1 if 0.0 < f.loss < 1.0 else 0
        return State(
            state.a, state.b, state.scale, state.peak, state.P, state.lx, state.l1, state.v,
            state.t + 1, state.parts + part,
        )  # fmt: skip

    def write_diagnostics(self, state: State, M: Any) -> None:
        M[0] = state.parts


class GaussianThompson(BanditLearner[Normal]):
    """Thompson sampling with normal beliefs, for losses of any distribution.

        each arm:  N(m_i, scale^2 / (pulls_i + 1)),  m_i = (1 + its losses) / (pulls_i + 1)
        each round:  pull an arm with the probability that its draw is the least

    The first belief N(1, scale^2) is that of a reward 0. Probabilities by quadrature, as for `thompson`. Regret is
    O(sqrt(n T ln n)) with scale 1; no constant is published, so no bound is checked. Losses in [0, 1] have standard
    deviations of at most 1/2, and scale=0.5 explores less.

    >>> learner = GaussianThompson().start(2)
    >>> learner.propensities().round(6).tolist()
    [0.5, 0.5]
    >>> p = learner.update(None, 0, 0.0).propensities()  # of N(1/2, 1/2) and N(1, 1)
    >>> p.round(4).tolist()  # the normal distribution at (1/2) / sqrt(3/2)
    [0.6585, 0.3415]

    Agrawal and Goyal (2013), section 1.2. Ledger: A-THOMPSON-GAUSS.
    """

    scale: Positive = 1.0

    def begin(self, shape: Shape) -> Normal:
        n = shape.n
        return Normal(no_pulls(n), np.ones(n), np.full(n, float(self.scale)), panels(n))

    def decide(self, state: Normal, x: Offer) -> Array:
        P, v = state.P, state.seen.v
        if P.fresh[0] > 0.0 and x.on.shape[0] == 0:
            return v
        P.fresh[0] = 1.0 if x.on.shape[0] == 0 else 0.0
        smallest_normal(P, x, state.mean, state.sd, v)
        return v

    def learn(self, state: Normal, x: Offer, v: Array, f: Pulled) -> Normal:
        seen = count_pull(state.seen, f)
        k = seen.N[f.arm] + 1.0
        state.mean[f.arm] = (1.0 + seen.S[f.arm]) / k
        state.sd[f.arm] = self.scale / math.sqrt(k)
        state.P.fresh[0] = 0.0
        return Normal(seen, state.mean, state.sd, state.P)
