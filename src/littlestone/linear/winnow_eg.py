"""Winnow with exponentiated gradients: multiplicative updates for real features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import EVEN, Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.numeric import decay
from ..core.outcome import Outcome
from ..core.parameters import Bit, Rate
from ..core.stream import Array
from ..core.vectors import index, size, value
from ..games import Game, Labels, Shape
from .parts.magnitude import Magnitude, measure, relative, unmet, unseen


class State(NamedTuple):
    q: Array  # sum of y x over the updates: the weights are exp(rate q), up to a factor
    m: Magnitude
    seen: int  # features met, the constant among them
    updates: int
    drift: int  # how often a feature came with another magnitude than before


def experts(s: Symbols) -> Any:
    """How many weights there are: each feature has one, or one for either sign."""
    return max(1.0, s.seen) * (2.0 if s.signed else 1.0)


def covered(s: Symbols) -> Any:
    """The comparators that the theorem is about: they separate, and are not negative unless signs are learned."""
    return (np.asarray(s.H) == 0) & ((np.asarray(s.low) >= 0) | bool(s.signed))


def tuned(s: Symbols) -> Any:
    rho, r = 1.0 / np.asarray(s.U1, float), s.Rinf
    progress = s.eta * rho - 0.5 * s.eta**2 * r**2
    with np.errstate(divide="ignore"):
        good = covered(s) & (progress > 0)
        return np.where(good, np.log(experts(s)) / np.where(good, progress, 1.0), np.inf)


def free(s: Symbols) -> Any:
    nats, good = np.log(experts(s)), covered(s)  # others may be infinite, and all features 0
    long = np.where(good, np.asarray(s.U1), 1.0)
    if s.normalise:
        return np.where(good, (s.Rinf * long * (nats / 2 + 2)) ** 2, np.inf)
    return np.where(good, (long * (nats / 2 + 2 * s.Rinf**2)) ** 2, np.inf)


def exponent(eta: float, q: float) -> float:
    return max(-1e300, min(1e300, eta * q))  # infinity less infinity would be no number


ONE_MAGNITUDE = Assumption(
    "each feature, where it is not 0, has one magnitude, or normalise=False",
    lambda s: None if s.drift == 0 or not s.normalise else f"magnitudes changed {s.drift:g} times",
)
T_WINNOW_EG = Guarantee(
    "T-WINNOW-EG",
    "Winnow at a fixed rate",
    "updates <= ln N / (eta rho - eta^2 r^2 / 2) for every v >= 0 with y_t <v, x_t> >= rho |v|_1 in every round, "
    "|x_ti| <= r; eta = rho / r^2 makes it 2 (r / rho)^2 ln N",
    "CMU, Online Learning II, theorem 3; Kivinen & Warmuth 1997",
    tuned,
    against="separator",
    measures="updates",
    assumptions=(EVEN,),
    when=lambda s: bool(s.eta > 0),
    uses=("seen", "eta", "U1", "Rinf"),
)
T_WINNOW_EG_FREE = Guarantee(
    "T-WINNOW-EG-FREE",
    "Winnow without a rate",
    "updates <= ((2 r^2 + ln N / 2) / rho)^2 for every v >= 0 with y_t <v, x_t> >= rho |v|_1 in every round, "
    "|x_ti| <= r, at eta = 2 / sqrt(updates + 1); ((2 + ln N / 2) r / rho)^2 where features are scaled, and the "
    "largest entry of an example is made 1",
    "derived here, from Bubeck 2011, theorem 2.3",
    free,
    against="separator",
    measures="updates",
    assumptions=(EVEN, ONE_MAGNITUDE),
    when=lambda s: not s.eta > 0,
    uses=("seen", "U1", "Rinf"),
)


class WinnowEG(Learner[State, Any, float, Outcome]):
    """Learn a separator whose weights are not negative and few: each update multiplies them.

        q = 0
        each round:  w_i = exp(eta q_i);  predict sign(<w, x>);  where y <w, x> <= 0:  q += y x

    O(nonzeros) a round. Where few features matter, mistakes grow with the logarithm of the number of features, those of
    the perceptron with the number itself. `signed=True` has a weight for x and one for -x, 2 sinh(eta q_i) in one, and
    learns any separator.

    Left unset, eta is 2 / sqrt(updates + 1). `normalise=True` divides an example by the typical magnitude of each
    feature and by its largest entry, so that no units and no single example can spoil it; it takes no eta. Only q is
    kept, and no weight overflows; the score is that of the features that are on, with weights that sum to 1. Importance
    multiplies the step.

    >>> learner = WinnowEG(eta=1.0, zero=0)
    >>> for x in ([1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]):
    ...     learner = learner.update(x, 1)
    >>> learner.state.q.tolist()  # X-HADAMARD: two ties in four rounds, then x_1 has it
    [2.0, 0.0, 0.0, -2.0]

    Littlestone (1988); Kivinen & Warmuth (1997). Ledger: A-WINNOW-EG; T-NORMS; E-WEG, E-WEG-2; X-HADAMARD.
    """

    eta: Rate = None
    signed: bool = False
    normalise: bool = False
    zero: Bit = 1
    intercept: bool = False
    examples = True
    weighs_unseen = True
    labels = True
    unscaled = ("eta",)
    diagnostics = ("updates", "seen", "drift")
    guarantees = (T_WINNOW_EG, T_WINNOW_EG_FREE)

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n), unmet(shape.n), 0, 0, 0)

    def rate(self, state: State) -> float:
        if self.eta > 0.0:  # type: ignore[operator]
            return self.eta  # type: ignore[return-value]
        return 2.0 / np.sqrt(state.updates + 1.0)  # type: ignore[no-any-return]

    def feature(self, state: State, v: float, i: int) -> float:
        """A feature as the rules see it."""
        return relative(v, state.m.typical[i]) if self.normalise else v

    def decide(self, state: State, x: Any) -> float:
        eta, top = self.rate(state), -np.inf
        for j in range(size(x)):
            if value(x, j) != 0.0:
                z = exponent(eta, state.q[index(x, j)])
                top = max(top, abs(z) if self.signed else z)
        up, down, total = 0.0, 0.0, 0.0
        for j in range(size(x)):
            v = value(x, j)
            if v != 0.0:
                i = index(x, j)
                z = exponent(eta, state.q[i])
                w = decay(z - top)
                total += w
                if self.signed:
                    minus = decay(-z - top)
                    total += minus
                    w -= minus
                s = w * self.feature(state, v, i)
                if s > 0.0:
                    up += s
                else:
                    down -= s
        # equal weights that were added in another order differ in their last bits, and are still a tie
        return (up - down) / total if abs(up - down) > 1e-12 * (up + down) else 0.0

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        updates, seen = state.updates, state.seen + unseen(state.m, x)
        if f.y * score <= 0.0:
            r = 1.0
            if self.normalise:
                r = 0.0
                for j in range(size(x)):
                    r = max(r, abs(self.feature(state, value(x, j), index(x, j))))
            if r > 0.0:
                c = f.h * f.y / r
                for j in range(size(x)):
                    i = index(x, j)
                    state.q[i] += c * self.feature(state, value(x, j), i)
            updates += 1
        return State(state.q, state.m, seen, updates, state.drift + measure(state.m, x))

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.updates
        M[1] = state.seen
        M[2] = state.drift

    def game(self, allocation: bool) -> Game:
        return Labels(self.zero)
