"""Tracker: the best sequence of experts, without being told horizon, shifts, rate or range.

Why it works is written out in docs/theory/tracker.md; the scalars of that proof are kept in the state, so that the
bound can be checked on every run.
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
from ..core.numeric import decay, inner, least, log_more, log_one, most
from ..core.stream import Array
from ..games import Allocation, Game, Losses, Shape, Tangent
from .boa import State as BOAState
from .boa import begin_boa, grow_boa, update_boa
from .fixed_share import with_newcomers
from .late_feedback import KNOWN, Late, waited
from .ml_poly import State as MLPolyState
from .ml_poly import begin_ml_poly, grow_ml_poly, update_ml_poly

RATES, SHARES = 6, 2
TINY = 1e-150  # differences whose squares are no normal numbers: they count as none
N = RATES * SHARES  # bases that track: base b has rate b // SHARES and share rate b % SHARES
MEAN, ML_POLY, BOA = N, N + 1, N + 2  # three that do not: all experts alike, ML-Poly, BOA
ALL = N + 3
SHARE = 1.0 / 16.0  # the faster of the two share rates; the other is 1/t
STAYED = math.log1p(-SHARE)  # the logarithm of what that share rate leaves to the others


class State(NamedTuple):
    P: Array  # N x n: the weights of each base that tracks
    ml_poly: MLPolyState
    boa: BOAState
    q: Array  # ALL: the weights of the bases
    w: Array  # n: the weights played, the mean of those of the bases by q
    R: Array  # ALL: regret to each base, as the top counts it
    V: Array  # ALL: the sum of its squares, each times 1 + 2 lag
    debt: Array  # N: what each base that tracks may have lost to the best expert
    low: Array  # N: the least weight that each of them ever gave
    inv: Array  # RATES: 1/eta of the last round
    peak: Array  # RATES: the largest 1/eta yet
    e: Array  # n: scratch
    own: Array  # ALL: the loss of each base in this round
    lost: Array  # ALL: the loss of each base in all rounds
    C: Array  # n: the loss of each expert in all rounds
    t: int  # rounds that count: those in which the experts differed
    m: float  # running mean of the range of the losses
    S: float  # the scale in use: it follows m by factors of two
    Q: float  # sum of the squares of the range, each times sqrt(1 + 2 lag)
    B: float  # the largest range of the bases' losses
    Z: float  # what the top's potential may have grown to
    late: Late


def share(b: int, t: float) -> float:
    """The share rate that leads into round t."""
    return SHARE if b % SHARES else 1.0 / t


def prior(b: int) -> float:
    """Halves with every faster rate."""
    return 2.0 ** (RATES - 1 - b // SHARES) / ((2.0**RATES - 1.0) * SHARES)


# The mean, ML-Poly and BOA beside the others, which sum to 1.
PRIOR = (*(prior(b) for b in range(N)), 0.5, 0.1, 0.1)
MASS = 1.7


# What the bases note: the price of a base, and of each shift of its sequence.
STAY, SHIFT = (tuple(f"{word}{b}" for b in range(N)) for word in ("stay", "shift"))
PARTS = ("stay_ml_poly", "stay_boa")


def tracking(s: Symbols) -> Any:
    """Symbols are numbers, or arrays with an entry for each of many runs."""
    pairs = zip(STAY, SHIFT, strict=True)
    return np.min([getattr(s, stay) + s.k * getattr(s, shift) for stay, shift in pairs], axis=0)


def staying(s: Symbols) -> Any:
    return np.min([getattr(s, stay) for stay in (*STAY, *PARTS)], axis=0)


T_TRACKER = Guarantee(
    "T-TRACKER",
    "tracking without parameters",
    "loss - L(k) <= min over the bases b of stay_b + k shift_b, for every k and every sequence of experts with k "
    "shifts; stay_b and shift_b are measured in the run. With prompt feedback always at most sqrt(Q) [(k+1) "
    "ln(n(T+1)) + ln T + 5/4 + sqrt(8 lam)], Q the sum of the squared ranges of the losses, lam logarithmic",
    "docs/theory/tracker.md, after Herbster & Warmuth 1998 and Gaillard, Stoltz & van Erven 2014",
    tracking,
    against="sequence",
    uses=("k", *STAY, *SHIFT),
    late=True,
)
T_TRACKER_MIX = Guarantee(
    "T-TRACKER-MIX",
    "tracking without parameters, no shift",
    "loss - L(u) <= min over the bases b of stay_b, for every expert and every fixed mixture u; ML-Poly and BOA, which "
    "do not track, are among the bases",
    "docs/theory/tracker.md",
    staying,
    uses=(*STAY, *PARTS),
    late=True,
)
T_TRACKER_MEAN = Guarantee(
    "T-TRACKER-MEAN",
    "the mean of the experts",
    "loss - L(mean) <= stay_mean = B + sqrt(Z (B^2 + V) / prior): the mean of all experts is one of the bases; B is "
    "the largest range of the bases' losses, V sums (1 + 2 lag) times the squared regrets to the mean, Z is measured",
    "docs/theory/tracker.md",
    lambda s: s.stay_mean,
    against="mean",
    uses=("stay_mean",),
    late=True,
)


def follow(state: State, ell: Array, j: int, inv: float, best: float, t: int) -> None:
    """Fixed share for the bases of one rate, and what the proof charges them."""
    n, e, old = ell.shape[0], state.e, state.inv[j]
    rise = max(0.0, inv - old)
    state.inv[j], state.peak[j] = inv, max(state.peak[j], inv)
    stayed = -log_more(1.0 / (t - 1.0)) if t > 1 else 0.0  # ln(1 - 1/t)
    for i in range(n):
        e[i] = decay((best - ell[i]) / inv)
    for b in range(j * SHARES, (j + 1) * SHARES):
        p, mass = state.P[b], 0.0
        for i in range(n):
            p[i] *= e[i]
            mass += p[i]
        # own loss less mix loss, and what a rising 1/eta and the last share may have cost
        cost = state.own[b] - best + inv * log_one(mass)
        if rise > 0.0:
            cost -= rise * log_one(state.low[b])
        if t > 1:
            cost -= old * (STAYED if b % SHARES else stayed)
        state.debt[b] += cost
        a = share(b, t + 1.0)
        keep, part = (1.0 - a) / mass, a / n
        for i in range(n):
            p[i] = p[i] * keep + part
        state.low[b] = min(state.low[b], least(p))


def largest_regret(ell: Array, own: float, before: float, noise: float) -> float:
    """The largest |own - ell_i| so far; differences of no more than `noise` are rounding."""
    found = max(own - least(ell), most(ell) - own)
    return max(before, found) if found > noise else before


def weigh(state: State, mine: float, noise: float, wait: float) -> tuple[float, float]:
    """ML-Poly over the bases; a range beyond all earlier ones counts as the largest of those."""
    q, own, old, Z = state.q, state.own, state.B, state.Z
    # with late feedback the learner's own loss may lie outside those of the bases
    low, high = mine, mine
    for b in range(ALL):
        low, high = min(low, own[b]), max(high, own[b])
    d = high - low
    if not d > noise:  # the bases agree, up to rounding
        return old, Z
    B = max(old, d)
    clip = old / d if d > old else 1.0
    total = 0.0
    for b in range(ALL):
        g = clip * (mine - own[b])
        if old > 0.0:
            Z += PRIOR[b] * g * (2.0 * max(state.R[b], 0.0) + g) / (old * old + state.V[b])
        state.R[b] += g
        state.V[b] += wait * g * g
        q[b] = PRIOR[b] * max(state.R[b], 0.0) / (B * B + state.V[b])
        total += q[b]
    for b in range(ALL):
        q[b] = q[b] / total if total > 0.0 else PRIOR[b] / MASS
    return B, Z


def charge_bases(state: State, ell: Array) -> None:
    """The loss of each base in this round, and what bases and experts have lost in all."""
    n, own = ell.shape[0], state.own
    for b in range(N):
        own[b] = inner(state.P[b], ell)
    own[MEAN], own[ML_POLY], own[BOA] = 0.0, inner(state.ml_poly.p, ell), inner(state.boa.p, ell)
    for i in range(n):
        own[MEAN] += ell[i] / n
        state.C[i] += ell[i]
    for b in range(ALL):
        state.lost[b] += own[b]


def mix_bases(state: State) -> None:
    """The weights to play: those of the bases, by their weights."""
    w, q, mean = state.w, state.q, state.q[MEAN] / state.w.shape[0]
    for i in range(w.shape[0]):
        w[i] = mean + q[ML_POLY] * state.ml_poly.p[i] + q[BOA] * state.boa.p[i]
    for b in range(N):
        for i in range(w.shape[0]):
            w[i] += q[b] * state.P[b, i]


class Tracker(Learner[State, Array, Array, Losses]):
    """Track the best sequence of experts with no parameter at all.

        fifteen bases: fixed share at six rates, 1/eta in {sqrt(Q), 64 S, 16 S, 4 S, S, S/4}, and two share rates, 1/t
        and 1/16; Q sums the squared ranges of the losses, S is their running scale; the mean, ML-Poly and BOA
        each round:  play w = sum_b q_b p_b
                     p_bi *= exp(-eta_b ell_i), normalised;  p_b = (1 - alpha_b) p_b + alpha_b / n
                     q_b = prior_b max(R_b, 0) / (B^2 + V_b), normalised: ML-Poly over the bases

    Where outcomes come late (lag: how many others came since the decision), a square counts sqrt(1 + 2 lag) times in Q
    and 1 + 2 lag times in V, and S is multiplied by (1 + 2 mean lag)^(1/4).

    With advice it is charged the tangent of the loss (the gradient trick), so it competes with sequences of mixtures
    too, for any convex loss; multiplying all losses by a constant changes nothing. About 15 n operations a round.
    One spike cannot poison it: the scale S at most doubles in a round, and the top clips what it has never seen.

    >>> learner = Tracker()
    >>> learner.update([1.0, 3.0], 1.0).predict([1.0, 3.0]) < 2.0
    True

    Herbster & Warmuth (1998); Gaillard, Stoltz & van Erven (2014); docs/theory/tracker.md.
    """

    loss: Loss | str = "square"
    smallest = 1e-140
    guarantees = (T_TRACKER, T_TRACKER_MIX, T_TRACKER_MEAN)
    diagnostics = (*STAY, *SHIFT, "stay_mean", *PARTS)

    def game(self, allocation: bool) -> Game:
        if allocation:
            return Allocation()
        if isinstance(self.loss, losses.ZeroOne):
            raise BadInput(f"{self.key} needs a convex loss; for labels there is weighted-majority")
        assert not isinstance(self.loss, str)  # the constructor made a loss of its name
        return Tangent(self.loss)

    def begin(self, shape: Shape) -> State:
        n = shape.n
        return State(
            P=np.full((N, n), 1.0 / n), ml_poly=begin_ml_poly(n), boa=begin_boa(n), q=np.array(PRIOR) / MASS,
            w=np.full(n, 1.0 / n), R=np.zeros(ALL), V=np.zeros(ALL), debt=np.zeros(N), low=np.full(N, 1.0 / n),
            inv=np.zeros(RATES), peak=np.zeros(RATES), e=np.zeros(n), own=np.zeros(ALL), lost=np.zeros(ALL),
            C=np.zeros(n), t=0, m=0.0, S=0.0, Q=0.0, B=0.0, Z=0.0, late=Late(np.full(KNOWN, 1.0 / max(n, 1))),
        )  # fmt: skip

    def newcomers(self) -> str:
        return (
            f"with 1/n of the weight in the bases that track; {T_TRACKER.id} goes on to cover the others, and no "
            "theorem covers what it adds"
        )

    def grow(self, old: State, new: State, shape: Shape) -> State:
        """An expert that slept so far has the weight 1/n in each base; those of the others keep their ratios.

        For the others that costs each base ln(n / n before) / eta. The regret of the learner to its bases counts from
        the first round, and what it is since the newcomer came no theorem says.
        """
        n, here = shape.n, old.w.shape[0]
        P, late = with_newcomers(old.P, n), old.late
        ml_poly, boa = grow_ml_poly(old.ml_poly, new.ml_poly), grow_boa(old.boa, new.boa)
        w, low = np.zeros(n), np.minimum(old.low, P.min(axis=1))
        debt = old.debt + np.repeat(old.inv, SHARES) * math.log(n / here)
        C = np.append(old.C, np.full(n - here, old.C.max()))
        grown = old._replace(
            P=P, ml_poly=ml_poly, boa=boa, w=w, debt=debt, low=low, e=np.zeros(n), C=C
        )
        mix_bases(grown)
        first = late.first * (here / n)
        first[old.t % KNOWN] = w[0]
        return grown._replace(late=late._replace(first=first))

    def decide(self, state: State, x: Array) -> Array:
        return state.w

    def learn(self, state: State, x: Array, p: Array, f: Losses) -> State:
        ell = f.ell
        low, high = least(ell), most(ell)
        if not high - low < 1e150:
            raise BadInput("a loss is infinite, or too large to square: divide them by a constant")
        if not high - low > TINY:  # the experts do not differ: nothing to learn
            return state
        t, m, S = state.t + 1, state.m, state.S
        r = high - low
        if t == 1:
            m, S = r, r
        else:
            window = t ** (
                -1.0 / 3.0
            )  # a mean over the last t^(1/3) rounds, which one outlier at most doubles
            m += window * (min(r, m / window) - m)
            if m > 2.0 * S or 2.0 * m < S:
                S = m
        late = state.late
        lag = waited(late, p, state.w, state.t)
        lags, wait = late.lags + lag, 1.0 + 2.0 * lag
        Q = state.Q + math.sqrt(wait) * r * r
        slow = math.sqrt(math.sqrt(1.0 + 2.0 * lags / t))
        charge_bases(state, ell)
        for j in range(RATES):
            inv = math.sqrt(Q) if j == 0 else S * 4.0 ** (4 - j) * slow
            follow(state, ell, j, inv, low, t)
        noise, own = 1e-12 * r, state.own
        E = largest_regret(ell, own[ML_POLY], state.ml_poly.E, noise)
        ml_poly = update_ml_poly(state.ml_poly, ell, own[ML_POLY], E)
        boa = update_boa(
            state.boa, ell, own[BOA], largest_regret(ell, own[BOA], state.boa.E, noise)
        )
        B, Z = weigh(state, f.own, noise, wait)
        grown = State(
            state.P, ml_poly, boa, state.q, state.w, state.R, state.V, state.debt, state.low, state.inv, state.peak,
            state.e, own, state.lost, state.C, t, m, S, Q, B, Z, Late(late.first, lag, lags),
        )  # fmt: skip
        mix_bases(grown)
        late.first[t % KNOWN] = state.w[0]
        return grown

    def write_diagnostics(self, state: State, M: Array) -> None:
        best = least(state.C)
        for b in range(ALL):
            price = state.B + math.sqrt(
                max(0.0, state.Z) * (state.B * state.B + state.V[b]) / PRIOR[b]
            )
            if b < N:
                M[b] = state.debt[b] + price
                M[N + b] = -state.peak[b // SHARES] * math.log(state.low[b])
            elif b == MEAN:
                M[N + b] = price
            else:
                M[N + b] = state.lost[b] - best + price
