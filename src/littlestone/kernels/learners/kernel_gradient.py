"""Gradient descent on the hinge loss in the space of a kernel, with a drawn label (A-KOGD-RAND)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.guarantee import EVEN, Assumption, Guarantee, Symbols
from ...core.numeric import uniform
from ...core.outcome import Outcome
from ...core.parameters import Rate
from ...core.stream import Array
from ...games import Coin, Game, Shape
from .expansion import (
    COEFFICIENT,
    COUNT,
    DROPS,
    EARLY,
    HEAD,
    HEAVIEST,
    OWN,
    RISES,
    ROUNDS,
    UPDATES,
    Expansion,
    K,
    M,
    State,
    expand,
    put_support,
    rescaled,
    roomy,
)  # fmt: skip
from .scales import brought

T = OWN  # rounds that there will be, 0 where that is not known
LOST = OWN + 1  # the expected mistakes so far, each with its importance
SQUARES = OWN + 2  # the squares of the importance of the updates, added up
V = OWN + 3  # the sum of eta_t |gradient|^2 since the scales last changed
PACE = OWN + 4  # the rate of the last update
SWIFT = OWN + 5  # the rate of the first one since the scales last changed


def start(s: Symbols) -> Any:
    """What f_0, which was there when the scales last changed, adds to a regret: eta |f_0|^2 / 2 + |f_0| |h|."""
    return s.swift * s.W2 / 2 + np.sqrt(s.W2 * s.U2)


def steady(s: Symbols) -> str | None:
    return None if s.pace == s.swift else f"it fell from {s.swift:g} to {s.pace:g}; set eta"


STEADY = Assumption("the rate does not change", steady)
T_KOGD = Guarantee(
    "T-KOGD",
    "randomised kernel gradient descent",
    "expected mistakes <= (H + |h|^2 / (2 eta) + sum_t eta_t |g_t|^2 / 2) / 2 for every h, H its total hinge loss, eta "
    "the last rate; at eta = |h| / (X sqrt(T)), X^2 = max_t K(x_t, x_t), an h with all y_t h(x_t) = 1 makes it "
    "|h| X sqrt(T) / 2. Where features are scaled, counted from the last change of scales on",
    "UCL COMP0078, randomised kernel OGD; Zinkevich 2003; for falling rates Orabona 2019, lemma 7.8",
    lambda s: s.early + (s.H + s.U2 / (2 * max(s.pace, 1e-300)) + s.V / 2 + start(s)) / 2,
    against="kernel",
    measures="loss",
    when=lambda s: not s.bounded,
    uses=("H", "U2", "pace", "V"),
)


def removed_at_random(s: Symbols) -> Any:
    eta, B = max(s.pace, 1e-300), s.budget
    each = np.maximum(s.U2 / (2 * eta * B) + eta * s.K / 2 - 1 / B, 0.0)
    total = s.H + (np.sqrt(s.U2) + eta * np.sqrt(s.W2)) ** 2 / (2 * eta)
    total = total + s.updates * eta * s.K / 2 + s.drops * each
    return s.early + total / (2 * (1 - 1 / B)) if B > 1 else np.full_like(total, np.inf)


T_KOGD_RANDOM = Guarantee(
    "T-KOGD-RANDOM",
    "kernel gradient descent that drops a support vector at random",
    "expected mistakes <= (H + |h|^2 / (2 eta) + N eta X^2 / 2 + D (|h|^2 / (2 eta B) + eta X^2 / 2 - 1/B)_+) "
    "/ (2 (1 - 1/B)) for every h, after N updates and D removals",
    "after Zhao, Wang, Wu, Jin & Hoi 2012",
    removed_at_random,
    against="kernel",
    measures="loss",
    mode="in expectation",
    assumptions=(EVEN, STEADY),
    when=lambda s: s.bounded and not s.oldest,
    uses=("H", "U2", "K", "updates", "drops", "budget"),
)


def shrinking(B: float) -> float:
    """What f loses at an update, so that what is left of the oldest of B support vectors is 1/sqrt(B + 1)."""
    return 1.0 - float((B + 1.0) ** (-0.5 / B))


def removed_by_age(s: Symbols) -> Any:
    eta, d = max(s.pace, 1e-300), shrinking(s.budget)
    rest = (1 - d) / (s.budget + 1) / d
    each = np.maximum(d * s.U2 / (2 * eta) + eta * s.K * (1 + rest) / 2 - d, 0.0)
    total = s.H + (1 - d) * (np.sqrt(s.U2) + eta * np.sqrt(s.W2)) ** 2 / (2 * eta)
    return s.early + (total + s.updates * each) / (2 * (1 - d))


T_KOGD_OLDEST = Guarantee(
    "T-KOGD-OLDEST",
    "kernel gradient descent that shrinks and drops the oldest support vector",
    "expected mistakes <= (H + (1 - d) |h|^2 / (2 eta) + N (d |h|^2 / (2 eta) + eta X^2 (1 + (1 - d) / (d (B + 1))) "
    "/ 2 - d)_+) / (2 (1 - d)) for every h, after N updates, each of which shrinks f by 1 - d = (B + 1)^(-1/(2B))",
    "after Kivinen, Smola & Williamson 2004",
    removed_by_age,
    against="kernel",
    measures="loss",
    assumptions=(EVEN, STEADY),
    when=lambda s: s.bounded and s.oldest,
    uses=("H", "U2", "K", "updates", "budget"),
)


class KernelOGD(Expansion):
    """Gradient descent on the hinge loss in the space of a kernel, with a label drawn by the score.

        f = 0
        each round:  predict +1 with probability (1 + f(x)) / 2, cut to [0, 1];  if y f(x) <= 1  f += eta y K(x, .)

    The label is the sign of f(x) - U, U uniform on (-1, 1); what counts is the probability of a mistake, which has a
    closed form, and nothing learned depends on the draw. O(d) a support vector and round.

    With `U`, the norm of the function to compete with, eta is U / (X sqrt(T)), X^2 the largest K(x, x) so far, T the
    number of rounds or, where it is not known, one more than the updates so far. Without it, eta is 1 / X^2, as if the
    function had the norm sqrt(T) / X, at which any labels can be learned. The whole f is multiplied with eta, so a rate
    that falls keeps its theorem. An update of importance h adds h y K(x, .).

    With a `budget` B there are never more than B support vectors. `forget="oldest"`: every update shrinks f by a
    factor of (B + 1)^(-1/(2B)), and the oldest goes; "random": one drawn uniformly goes. For `scale` see
    kernel-perceptron.

    >>> learner = KernelOGD(kernel="delta", eta=0.5).update([1.0], 1).update([1.0], 1)
    >>> learner.state.A[
    ...     0, :2
    ... ].tolist()  # each times eta: f([1]) = 1, so that the third draw is sure
    [1.0, 1.0]

    Kivinen, Smola & Williamson (2004). Ledger: A-KOGD-RAND; E-KOGD-TUNE, X-KOGD-ID, X-KOGD-CLASSIFY.
    """

    eta: Rate = None
    U: Rate = None
    diagnostics = ("updates", "K", "heaviest", "rises", "early", "drops", "V", "pace", "swift")
    guarantees = (T_KOGD, T_KOGD_RANDOM, T_KOGD_OLDEST)

    def game(self, allocation: bool) -> Game:
        return Coin()

    def begin(self, shape: Shape) -> State:
        state = super().begin(shape)
        state.N[T] = shape.T if self.eta is None and self.U is not None else 0.0
        return state

    def decide(self, state: State, x: Any) -> float:
        kernel: Any = self.kernel
        z = brought(x, state.F)
        return rate(self, state.N, kernel.self_of(z)) * expand(kernel, state, z)

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        kernel: Any = self.kernel
        N = state.N
        if f.y * score <= 1.0:
            state = roomy(state, self.budget)  # type: ignore[arg-type]  # first, for it may refuse
            z = brought(x, state.F)
            k = kernel.self_of(z)
            N[PACE] = rate(self, N, k)
            N[SWIFT] = N[PACE] if N[SWIFT] == 0.0 else N[SWIFT]
            N[V] += N[PACE] * f.h * f.h * k
            add(self, state, z, f.h * f.y, k)
            N[COUNT] += 1.0
            N[SQUARES] += f.h * f.h
            N[UPDATES] += f.h
            N[HEAVIEST] = max(N[HEAVIEST], f.h)
        N[ROUNDS] += 1.0
        N[LOST] += f.h * min(max(0.5 * (1.0 - f.y * score), 0.0), 1.0)
        if self.scale:
            before = N[EARLY]
            rescaled(state, x, N[LOST])
            if N[EARLY] != before:
                N[V], N[SWIFT] = 0.0, N[PACE]
        return state

    def write_diagnostics(self, state: State, R: Array) -> None:
        N = state.N
        R[0], R[1], R[2], R[3], R[4] = N[UPDATES], N[K], N[HEAVIEST], N[RISES], N[EARLY]
        R[5], R[6], R[7], R[8] = N[DROPS], N[V], N[PACE], N[SWIFT]


def rate(self: Any, N: Any, k: float) -> float:
    """The rate of a round whose example has K(x, x) = k."""
    X2: float = max(N[K], k, 1e-290)
    eta = float(self.eta)
    if self.U > 0.0 and eta == 0.0:
        eta = self.U / math.sqrt(X2 * (N[T] if N[T] > 0.0 else N[SQUARES] + 1.0))
    return eta if eta > 0.0 else 1.0 / X2


def add(self: Any, state: State, z: Any, c: float, k: float) -> None:
    """f += c K(z, .), and one support vector less where the budget is full."""
    N, j, B = state.N, int(state.N[M]), self.budget
    if B > 0 and self.forget == 0:
        keep = (B + 1.0) ** (-0.5 / B)
        for i in range(j):
            state.A[COEFFICIENT, i] *= keep
    if 0 < B <= j:
        N[DROPS] += 1.0
        N[RISES] += 1.0 if k > N[K] else 0.0
        if self.forget == 0:
            j = int(N[HEAD])
            N[HEAD] = (j + 1) % int(N[M])
        else:
            j = int(uniform(self.seed, int(N[COUNT]), 1) * j)
    N[K] = max(N[K], k)
    put_support(state, j, z, c)
