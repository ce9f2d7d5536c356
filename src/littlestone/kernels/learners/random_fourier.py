"""Learners on random Fourier features: the Gaussian kernel at a fixed cost, approximately."""

from __future__ import annotations

import math
from typing import Any, Self

from ...core.outcome import Outcome
from ...core.parameters import Bit, Rate
from ...core.stream import Array
from ...core.vectors import add, dot
from ...games import Coin, Game, Labels, Shape
from .fourier_features import (
    EARLY,
    HEAVIEST,
    LOST,
    PACE,
    ROUNDS,
    SQUARES,
    SWIFT,
    UPDATES,
    WEIGHT,
    Fourier,
    State,
    V,
    features,
    rescaled,
)  # fmt: skip
from .kernel_gradient import T_KOGD
from .kernel_perceptron import T_PERC_KERNEL, T_PERC_KERNEL_INSEP


class FourierPerceptron(Fourier):
    """The perceptron on random Fourier features: a kernel perceptron whose rounds all cost the same.

        phi(x) = (cos w_k x, sin w_k x) / sqrt(F), k = 1, …, F, every w_k normal with variance 2 beta
        each round:  predict sign(<w, phi(x)>);  on a mistake  w += y phi(x)

    <phi(x), phi(z)> is a mean of F cosines whose expectation is exp(-beta |x - z|^2): for any x and z it is off by more
    than e with probability at most 2 exp(-F e^2 / 2), so by about 1/sqrt(2 F) at most on average. O(F) a nonzero
    feature and round, however many mistakes there were. Frequencies are a pure function of `seed`. Without
    beta, features are brought to one scale as they come, as in kernel-perceptron. A mistake of importance h counts h
    times.

    >>> learner = FourierPerceptron(beta=1.0)
    >>> for x, y in ([0.0], 1), ([1.0], 0), ([-1.0], 0):
    ...     learner = learner.update(x, y)
    >>> [learner.predict([x]) for x in (0.1, 1.2, -1.2)]
    [1, 0, 0]

    Rahimi & Recht (2007). Ledger: A-FOURIER, T-FOURIER.
    """

    zero: Bit = 1
    diagnostics = ("updates", "heaviest", "early")
    guarantees = (T_PERC_KERNEL, T_PERC_KERNEL_INSEP)

    def game(self, allocation: bool) -> Game:
        return Labels(self.zero)

    def decide(self, state: State, x: Any) -> float:
        return dot(state.B[WEIGHT], features(state, x))

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        N = state.N
        N[ROUNDS] += 1.0
        if f.y * score <= 0.0:
            add(state.B[WEIGHT], f.h * f.y, features(state, x))
            N[UPDATES] += f.h
            N[HEAVIEST] = max(N[HEAVIEST], f.h)
        if self.scale:
            rescaled(state, x, N[UPDATES])
        return state

    def write_diagnostics(self, state: State, R: Array) -> None:
        R[0], R[1], R[2] = state.N[UPDATES], state.N[HEAVIEST], state.N[EARLY]


class FourierOGD(Fourier):
    """Gradient descent on the hinge loss over random Fourier features, with a label drawn by the score.

        each round:  predict +1 with probability (1 + <w, phi(x)>) / 2, cut to [0, 1]
                     if y <w, phi(x)> <= 1  w += eta y phi(x)

    The features are those of fourier-perceptron, the rate, the draw and the theorem those of kernel-ogd. O(F) a nonzero
    feature and round.

    >>> FourierOGD(beta=1.0).update([1.0, 2.0], 1).predict(
    ...     [1.0, 2.0]
    ... )  # eta = 1, |phi(x)| = 1: sure
    1

    Rahimi & Recht (2007); Kivinen, Smola & Williamson (2004). Ledger: A-FOURIER, A-KOGD-RAND.
    """

    eta: Rate = None
    U: Rate = None
    diagnostics = ("updates", "heaviest", "early", "V", "pace", "swift")
    guarantees = (T_KOGD,)

    def game(self, allocation: bool) -> Game:
        return Coin()

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.eta is not None or (self.U is not None and not shape.T):
            return self
        return self.replace(eta=1.0 if self.U is None else self.U / math.sqrt(shape.T))

    def decide(self, state: State, x: Any) -> float:
        return rate(self, state.N) * dot(state.B[WEIGHT], features(state, x))

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        N = state.N
        N[ROUNDS] += 1.0
        N[LOST] += f.h * min(max(0.5 * (1.0 - f.y * score), 0.0), 1.0)
        if f.y * score <= 1.0:
            add(state.B[WEIGHT], f.h * f.y, features(state, x))
            N[PACE] = rate(self, N)
            N[SWIFT] = N[PACE] if N[SWIFT] == 0.0 else N[SWIFT]
            N[V] += N[PACE] * f.h * f.h
            N[SQUARES] += f.h * f.h
            N[UPDATES] += f.h
            N[HEAVIEST] = max(N[HEAVIEST], f.h)
        if self.scale:
            rescaled(state, x, N[LOST])
        return state

    def write_diagnostics(self, state: State, R: Array) -> None:
        N = state.N
        R[0], R[1], R[2] = N[UPDATES], N[HEAVIEST], N[EARLY]
        R[3], R[4], R[5] = N[V], N[PACE], N[SWIFT]


def rate(self: Any, N: Any) -> float:
    eta = float(self.eta)
    return eta if eta > 0.0 else float(self.U / math.sqrt(N[SQUARES] + 1.0))
