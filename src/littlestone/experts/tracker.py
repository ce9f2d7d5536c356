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
from .fixed_share import with_newcomers
from .late_feedback import HEDGE_RATE, KNOWN, Late, hedge, waited

RATES, SHARES = 6, 2
TINY = 1e-150  # differences whose squares are no normal numbers: they count as none
N = RATES * SHARES  # bases: base b has rate b // SHARES and share rate b % SHARES
MEAN, HEDGE = N, N + 1  # two more, once an outcome comes late: all experts alike, and Hedge
ALL = N + 2
SHARE = 1.0 / 16.0  # the faster of the two share rates; the other is 1/t
STAYED = math.log1p(-SHARE)  # the logarithm of what that share rate leaves to the others


class State(NamedTuple):
    P: Array  # ALL x n: the weights of each base
    q: Array  # ALL: the weights of the bases
    w: Array  # n: the weights played, sum_b q_b P_b
    R: Array  # ALL: regret to each base, as the top counts it
    V: Array  # ALL: the sum of its squares, each times 1 + 2 lag
    debt: Array  # ALL: what each base may have lost to the best expert
    low: Array  # ALL: the least weight that each base ever gave
    inv: Array  # RATES: 1/eta of the last round
    peak: Array  # RATES: the largest 1/eta yet
    e: Array  # n: scratch
    own: Array  # ALL: the loss of each base in this round
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


# the mean and Hedge beside the others, which sum to 1
PRIOR = (*(prior(b) for b in range(N)), 1.0, 0.5)
MASS = 2.5


# What the bases note: the price of a base, and of each shift of its sequence.
STAY, SHIFT = (tuple(f"{word}{b}" for b in range(N)) for word in ("stay", "shift"))


def tracking(s: Symbols) -> Any:
    """Symbols are numbers, or arrays with an entry for each of many runs."""
    pairs = zip(STAY, SHIFT, strict=True)
    return np.min([getattr(s, stay) + s.k * getattr(s, shift) for stay, shift in pairs], axis=0)


def staying(s: Symbols) -> Any:
    return np.min([getattr(s, stay) for stay in (*STAY, "stay_hedge")], axis=0)


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
    "loss - L(u) <= min over the bases b of stay_b, for every expert and every fixed mixture u; where feedback is late "
    "Hedge, which does not track, is one of the bases",
    "docs/theory/tracker.md",
    staying,
    uses=(*STAY, "stay_hedge"),
    late=True,
)
T_TRACKER_MEAN = Guarantee(
    "T-TRACKER-MEAN",
    "late feedback: the mean of the experts",
    "loss - L(mean) <= stay_mean = E + B + sqrt(Z (B^2 + V) / prior): the mean of all experts is one of the bases from "
    "the first late outcome on; B is the largest range of the bases' losses, V sums (1 + 2 lag) times the squared "
    "regrets to the mean, Z and the ranges E before the first late outcome are measured",
    "docs/theory/tracker.md",
    lambda s: s.stay_mean,
    against="mean",
    uses=("stay_mean",),
    delayed=True,
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


def weigh(state: State, mine: float, noise: float, some: int, wait: float) -> tuple[float, float]:
    """ML-Poly over `some` bases; a range beyond all earlier ones counts as the largest of those."""
    q, own, old, Z = state.q, state.own, state.B, state.Z
    # with late feedback the learner's own loss may lie outside those of the bases
    low, high = mine, mine
    for b in range(some):
        low, high = min(low, own[b]), max(high, own[b])
    d = high - low
    if not d > noise:  # the bases agree, up to rounding
        return old, Z
    B = max(old, d)
    clip = old / d if d > old else 1.0
    total = 0.0
    for b in range(some):
        g = clip * (mine - own[b])
        if old > 0.0:
            Z += PRIOR[b] * g * (2.0 * max(state.R[b], 0.0) + g) / (old * old + state.V[b])
        state.R[b] += g
        state.V[b] += wait * g * g
        q[b] = PRIOR[b] * max(state.R[b], 0.0) / (B * B + state.V[b])
        total += q[b]
    for b in range(some):
        q[b] = q[b] / total if total > 0.0 else PRIOR[b] / (1.0 if some == N else MASS)
    return B, Z


class Tracker(Learner[State, Array, Array, Losses]):
    """Track the best sequence of experts with no parameter at all.

        twelve bases: fixed share at six rates, 1/eta in {sqrt(Q), 64 S, 16 S, 4 S, S, S/4}, and two share rates, 1/t
        and 1/16; Q sums the squared ranges of the losses, S is their running scale
        each round:  play w = sum_b q_b p_b
                     p_bi *= exp(-eta_b ell_i), normalised;  p_b = (1 - alpha_b) p_b + alpha_b / n
                     q_b = prior_b max(R_b, 0) / (B^2 + V_b), normalised: ML-Poly over the bases

    Where outcomes come late (lag: how many others came since the decision), a square counts sqrt(1 + 2 lag) times in Q
    and 1 + 2 lag times in V, S is multiplied by (1 + 2 mean lag)^(1/4), and two more bases join: the mean of all
    experts, and Hedge, which does not track.

    With advice it is charged the tangent of the loss (the gradient trick), so it competes with sequences of mixtures
    too, for any convex loss; multiplying all losses by a constant changes nothing. About 12 n operations a round.
    One spike cannot poison it: the scale S at most doubles in a round, and the top clips what it has never seen.

    >>> learner = Tracker()
    >>> learner.update([1.0, 3.0], 1.0).predict([1.0, 3.0]) < 2.0
    True

    Herbster & Warmuth (1998); Gaillard, Stoltz & van Erven (2014); docs/theory/tracker.md.
    """

    loss: Loss | str = "square"
    smallest = 1e-140
    guarantees = (T_TRACKER, T_TRACKER_MIX, T_TRACKER_MEAN)
    noted = (
        *STAY,
        *SHIFT,
        "stay_mean",
        "stay_hedge",
    )

    def game(self, allocation: bool) -> Game:
        if allocation:
            return Allocation()
        if isinstance(self.loss, losses.ZeroOne):
            raise BadInput(f"{self.key} needs a convex loss; for labels there is weighted-majority")
        assert not isinstance(self.loss, str)  # the constructor made a loss of its name
        return Tangent(self.loss)

    def begin(self, shape: Shape) -> State:
        n = shape.n
        q, zero = np.zeros(ALL), np.zeros(ALL)
        q[:N] = PRIOR[:N]
        return State(
            np.full((ALL, n), 1.0 / n), q, np.full(n, 1.0 / n), zero, zero.copy(), zero.copy(),
            np.full(ALL, 1.0 / n), np.zeros(RATES), np.zeros(RATES), np.zeros(n), zero.copy(),
            0, 0.0, 0.0, 0.0, 0.0, 0.0, Late(np.full(KNOWN, 1.0 / max(n, 1)), np.zeros(n)),
        )  # fmt: skip

    def newcomers(self) -> str:
        return f"with 1/n of the weight; {T_TRACKER.id} goes on to cover the others, and no theorem covers what it adds"

    def grow(self, old: State, new: State, shape: Shape) -> State:
        """An expert that slept so far has the weight 1/n in each base; those of the others keep their ratios.

        For the others that costs each base ln(n / n before) / eta. The regret of the learner to its bases counts from
        the first round, and what it is since the newcomer came no theorem says.
        """
        n, here = shape.n, old.w.shape[0]
        P, late = with_newcomers(old.P, n), old.late
        w, low = old.q @ P, np.minimum(old.low, P.min(axis=1))
        debt = old.debt.copy()
        debt[:N] += np.repeat(old.inv, SHARES) * math.log(n / here)
        first = late.first * (here / n)
        first[old.t % KNOWN] = w[0]
        lost, inv = 0.0, HEDGE_RATE * math.sqrt(old.Q)
        if late.lags > 0.0:
            least = float(late.C.min())
            lost = least - inv * math.log(np.exp((least - late.C) / inv).mean())
        C = np.append(late.C, np.full(n - here, lost))
        return old._replace(
            P=P, w=w, debt=debt, low=low, e=np.zeros(n), late=late._replace(first=first, C=C)
        )

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
        some = ALL if lags > 0.0 else N
        Q = state.Q + math.sqrt(wait) * r * r
        slow = math.sqrt(math.sqrt(1.0 + 2.0 * lags / t))
        for b in range(some):
            state.own[b] = inner(state.P[b], ell)
        for j in range(RATES):
            inv = math.sqrt(Q) if j == 0 else S * 4.0 ** (4 - j) * slow
            follow(state, ell, j, inv, low, t)
        B, Z = weigh(state, f.own, 1e-12 * r, some, wait)
        before, own, best = late.before, late.own, late.best
        if some == N:
            before += r
        else:
            own += state.own[HEDGE]
            best = hedge(late.C, ell, HEDGE_RATE * math.sqrt(Q), state.P[HEDGE])
        for i in range(ell.shape[0]):
            state.w[i] = 0.0
        for b in range(some):
            for i in range(ell.shape[0]):
                state.w[i] += state.q[b] * state.P[b, i]
        late.first[t % KNOWN] = state.w[0]
        return State(
            state.P, state.q, state.w, state.R, state.V, state.debt, state.low, state.inv,
            state.peak, state.e, state.own, t, m, S, Q, B, Z,
            Late(late.first, late.C, lag, lags, before, own, best),
        )  # fmt: skip

    def note(self, state: State, M: Array) -> None:
        for b in range(ALL):
            follow = state.B + math.sqrt(
                max(0.0, state.Z) * (state.B * state.B + state.V[b]) / PRIOR[b]
            )
            if b < N:
                M[b] = state.debt[b] + follow
                M[N + b] = -state.peak[b // SHARES] * math.log(state.low[b])
            else:
                M[N + b] = state.late.before + follow
        M[N + HEDGE] += state.late.own - state.late.best
        if state.late.lags == 0.0:  # it does not play: its bound is that of the first base
            M[N + HEDGE] = M[0]
