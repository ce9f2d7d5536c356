"""The kernel perceptron, with any kernel, and on a budget of support vectors."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from ...core.guarantee import EVEN, Assumption, Guarantee, Symbols
from ...core.numeric import uniform
from ...core.outcome import Outcome
from ...core.parameters import Bit, Choice
from ...core.stream import Array
from ...games import Game, Labels
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

Q = OWN  # the Forgetron's account of what removals have cost


def solved(s: Symbols, root: Any) -> Any:
    """M with M <= sqrt(M) root + 2 |f_0| |h|: from the last change of scales on, where f_0 was there already."""
    return s.early + ((root + np.sqrt(root**2 + 8 * np.sqrt(s.W2 * s.U2))) / 2) ** 2


def unbounded(s: Symbols) -> bool:
    return not s.bounded


T_PERC_KERNEL = Guarantee(
    "T-PERC-KERNEL",
    "Novikoff's bound in the space of the kernel",
    "updates <= max_t K(x_t, x_t) |h|^2 for every h with y_t h(x_t) >= 1 in every round; where features are scaled, "
    "counted from the last change of scales, when f was f_0: sqrt(M) <= (r + sqrt(r^2 + 8 |f_0| |h|)) / 2, "
    "r^2 the bound above",
    "Novikoff 1962; Aizerman, Braverman & Rozonoer 1964",
    lambda s: np.where(s.H == 0, solved(s, np.sqrt(s.heaviest * s.K * s.U2)), np.inf),
    against="kernel",
    measures="updates",
    when=unbounded,
    uses=("K", "U2", "H"),
)
T_PERC_KERNEL_INSEP = Guarantee(
    "T-PERC-KERNEL-INSEP",
    "the kernel perceptron on data that no function separates",
    "updates <= (sqrt(max_t K(x_t, x_t)) |h| + sqrt(sum_t max(0, 1 - y_t h(x_t))^2))^2 for every h",
    "Freund & Schapire 1999, in the space of the kernel",
    lambda s: solved(s, np.sqrt(s.heaviest * s.K * s.U2) + np.sqrt(s.H2)),
    against="kernel",
    measures="updates",
    when=unbounded,
    uses=("K", "U2", "H2"),
)


def removed_at_random(s: Symbols) -> Any:
    norm, f0 = np.sqrt(s.K * s.U2), np.sqrt(s.W2 / max(s.K, 1e-300))
    w = max(math.sqrt(s.budget), f0)  # E|f| / sqrt(K) never exceeds it
    left = 1.0 - norm * w / s.budget
    return s.early + np.where(left > 0, (s.H + norm * (w + f0)) / np.maximum(left, 1e-300), np.inf)


T_RBP = Guarantee(
    "T-RBP",
    "the randomised budget perceptron",
    "expected updates <= (sum_t max(0, 1 - y_t h(x_t)) + r sqrt(B)) / (1 - r / sqrt(B)) for every h with "
    "r = sqrt(max_t K(x_t, x_t)) |h| < sqrt(B)",
    "after Cavallanti, Cesa-Bianchi & Gentile 2007",
    removed_at_random,
    against="kernel",
    measures="updates",
    mode="in expectation",
    assumptions=(EVEN,),
    when=lambda s: s.bounded and not s.oldest,
    uses=("K", "U2", "H", "budget"),
)


def forgotten(s: Symbols) -> Any:
    limit = (s.budget + 1) / (16 * math.log(s.budget + 1))
    return np.where(limit >= s.K * s.U2, 2 * s.K * s.U2 + 4 * s.H, np.inf)


T_FORGETRON = Guarantee(
    "T-FORGETRON",
    "the self-tuned Forgetron",
    "updates <= 2 r^2 + 4 sum_t max(0, 1 - y_t h(x_t)) for every h with r^2 = max_t K(x_t, x_t) |h|^2 <= "
    "(B + 1) / (16 ln(B + 1))",
    "Dekel, Shalev-Shwartz & Singer 2008",
    forgotten,
    against="kernel",
    measures="updates",
    assumptions=(
        EVEN,
        Assumption("B >= 83", lambda s: None if s.budget >= 83 else f"B is {s.budget:g}"),
        Assumption(
            "scales do not change",
            lambda s: None if s.early == 0 else "they did: scale=False keeps them",
        ),
        Assumption(
            "the largest K(x, x) comes before the first removal",
            lambda s: None if s.rises == 0 else f"it rose {s.rises:g} times afterwards",
        ),
    ),
    when=lambda s: s.bounded and s.oldest,
    uses=("K", "U2", "H", "budget"),
)


class KernelPerceptron(Expansion):
    """Learn a separator in the space of a kernel from its own mistakes.

        f = 0
        each round:  predict sign(f(x));  on a mistake (y f(x) <= 0)  f += y K(x, .)

    O(d) a support vector and round; sparse examples are spread out. With the linear kernel it is the
    perceptron in dual form. A mistake of importance h adds h y K(x, .).

    With a `budget` B there are never more than B support vectors. `forget="oldest"`, the Forgetron: f is shrunk by just
    what keeps the account of its theorem, then the oldest goes; "random": one drawn uniformly goes. `test="sign"`
    counts a score of 0 as the label `zero`, instead of as a mistake.

    With "gaussian" or "laplace" and no beta, features are brought to one scale as they come, and beta is 1 on it;
    `scale=True` does so for any kernel. "gaussian:0.5" takes features as they are, and means just that.

    >>> learner = KernelPerceptron(kernel="polynomial:2")
    >>> for x, y in (
    ...     ([1, 1], 1),
    ...     ([-1, -1], 1),
    ...     ([1, -1], 0),
    ... ):  # equal signs, which no line tells apart
    ...     learner = learner.update(x, y)
    >>> learner.predict([2, 3]), learner.predict([-2, 3])
    (1, 0)

    Aizerman, Braverman & Rozonoer (1964); Freund & Schapire (1999); Dekel, Shalev-Shwartz & Singer (2008);
    Cavallanti, Cesa-Bianchi & Gentile (2007). Ledger: A-PERC-DUAL, A-PERC-KERNEL, A-PERC-ANOVA, A-FORGETRON, A-RBP;
    T-PERC, T-ANOVA.
    """

    test: Annotated[str, Choice(("margin", "sign"))] = "margin"
    zero: Bit = 1
    diagnostics = ("updates", "K", "heaviest", "rises", "early")
    guarantees = (T_PERC_KERNEL, T_PERC_KERNEL_INSEP, T_RBP, T_FORGETRON)

    def game(self, allocation: bool) -> Game:
        return Labels(self.zero)

    def decide(self, state: State, x: Any) -> float:
        return expand(self.kernel, state, brought(x, state.F))

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        N, right = state.N, f.y * score > 0.0
        if self.test == 1 and score == 0.0:  # type: ignore[comparison-overlap]  # words are numbers here
            right = f.y == 2 * self.zero - 1
        if not right:
            state = roomy(state, self.budget)  # type: ignore[arg-type]  # first, for it may refuse
            add(self, state, brought(x, state.F), f.h * f.y)
            N[COUNT] += 1.0
            N[UPDATES] += f.h
            N[HEAVIEST] = max(N[HEAVIEST], f.h)
        N[ROUNDS] += 1.0
        if self.scale:
            rescaled(state, x, N[UPDATES])
        return state

    def write_diagnostics(self, state: State, R: Array) -> None:
        R[0] = state.N[UPDATES]
        R[1] = state.N[K]
        R[2] = state.N[HEAVIEST]
        R[3] = state.N[RISES]
        R[4] = state.N[EARLY]


def add(self: Any, state: State, z: Any, c: float) -> None:
    """f += c K(z, .), and one support vector less where the budget is full."""
    N, j, top = state.N, int(state.N[M]), max(state.N[K], self.kernel.self_of(z))
    if 0 < self.budget <= j:
        N[RISES] += 1.0 if top > N[K] else 0.0
        N[DROPS] += 1.0
        if self.forget == 0:
            j = int(N[HEAD])
            N[HEAD] = (j + 1) % int(N[M])
            c *= shrunk(self.kernel, state, j, z, c, top)
        else:
            j = int(uniform(self.seed, int(N[COUNT]), 1) * j)
    N[K] = top
    put_support(state, j, z, c)


def shrunk(kernel: Any, state: State, j: int, z: Any, c: float, top: float) -> float:
    """Shrink f + c K(z, .) so that removing the j-th support vector costs no more than the account allows.

    Shrunk by phi, it costs A phi^2 + B phi in units of the largest K(x, x); the account holds 15/32 a mistake.
    """
    N, a, s = state.N, state.A[COEFFICIENT], state.S[j]
    mu, sigma = c * kernel.of(z, s), abs(a[j])
    for i in range(int(N[M])):
        mu += a[i] * kernel.of(s, state.S[i])
    mu = mu / top if a[j] > 0.0 else -mu / top
    A, B = sigma * (sigma * kernel.self_of(s) / top - 2.0 * mu), 2.0 * sigma
    C, phi = 15.0 / 32.0 * (N[COUNT] + 1.0) - N[Q], 1.0
    if A + B > C:  # the largest phi with A phi^2 + B phi <= C
        phi = min(1.0, 2.0 * C / (B + math.sqrt(max(B * B + 4.0 * A * C, 0.0))))
        for i in range(int(N[M])):
            a[i] *= phi
    N[Q] += (A * phi + B) * phi
    return phi
