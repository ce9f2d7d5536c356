"""Exponentiated gradient with both signs: linear prediction that competes with all weights of bounded l1 norm."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import MARGIN, LogLoss, Loss, ZeroOne
from ..core.numeric import decay
from ..core.outcome import Outcome
from ..core.parameters import Rate
from ..core.stream import Array
from ..core.vectors import index, size, value
from ..games import Game, Margin, Regression, Shape
from .parts.magnitude import Magnitude, measure, relative, unmet, unseen

WIDEST = 8.0  # times its typical magnitude, that a feature counts as at most
FALLEN = 7.0  # outcomes that fall by a factor of e^7, a thousand, make it begin again
ROOMY = 8.0  # the l1 norm where none is given: of margins of 1, or times a typical outcome


class State(NamedTuple):
    q: Array  # minus the sum of slope times x: the weights are U (e^(eta q) - e^(-eta q)) / sum_j (e^… + e^-…)
    m: Magnitude
    Z: float  # that sum over the features met, times exp(-top)
    top: float  # no less than any eta |q_i|
    rate_now: float  # eta; it never rises
    V: float  # the sum of squares of what an update moved a q_i at most
    limit: float  # the rate is lowered when V passes it
    G: float  # the largest of those moves
    radius: float  # U
    follows: int  # 0: outcomes are labels; 1: they are numbers; 2: and U follows them
    outcomes: float  # how many outcomes were not 0
    logs: float  # the mean logarithm of their magnitudes
    first: float  # that mean when it last began
    seen: int  # features met
    touched: int  # weights that were changed since Z was last added up afresh
    spent: float  # the sum of eta/2 times the squares of the moves
    past: float  # ln(2 N) / eta, added up over the times it began again
    cut: float  # what clipping took from moves
    drift: int  # how often a feature came with another magnitude than before


def exponent(eta: float, q: float) -> float:
    return min(1e300, abs(eta * q))


def both(z: float, top: float) -> float:
    """The weights of x_i and -x_i together."""
    return decay(z - top) + decay(-z - top)


def outside(s: Symbols) -> Any:
    """Comparators beyond the promised norm, measured in the units that the learner works in."""
    size = np.asarray(s.U1) * (s.Rinf if s.normalise else 1.0)
    return size > s.radius * (1 + 1e-12)


def bound(s: Symbols) -> Any:
    nats = np.log(2 * max(1.0, s.seen))
    total = nats / s.rate_now if s.rate_now > 0 else 0.0
    return np.where(outside(s), np.inf, s.radius * (total + s.past + s.spent + 2 * s.cut))


T_EG_PM = Guarantee(
    "T-EG-PM",
    "EG with both signs",
    "loss - L <= U (ln(2 N) / eta + sum_t eta_t G_t^2 / 2 + 2 C) for every u with |u|_1 <= U, where G_t is the slope "
    "times the largest |x_ti|, N counts features and C what clipping took from the G_t; added up where it began again",
    "Kivinen & Warmuth 1997; Bubeck 2011, theorem 2.3",
    bound,
    against="linear",
    assumptions=(
        Assumption("U is given", lambda s: None if s.follows < 2 else "it followed the outcomes"),
        Assumption(
            "each feature, where it is not 0, has one magnitude, or normalise=False",
            lambda s: (
                None if s.drift == 0 or not s.normalise else f"magnitudes changed {s.drift:g} times"
            ),
        ),
    ),
    uses=("seen", "rate_now", "spent", "cut", "U1"),
)


class EGPlusMinus(Learner[State, Any, float, Outcome]):
    """Predict with a linear function whose weights are learned by multiplication, and may have either sign.

        q = 0
        each round:  predict p = U sum_i (e^(eta q_i) - e^(-eta q_i)) x_i / sum_i (e^(eta q_i) + e^(-eta q_i))
                     q -= slope of the loss at p, times x

    That is EG on (x, -x), which is never written down. O(nonzeros) a round: the normaliser is kept up to date, and
    added up afresh when the rate falls or as many weights have changed as there are. A margin loss (hinge, logistic)
    makes it a classifier, any other a regression. It is for many features of which few matter.

    Left unset, eta is sqrt(ln(2 N) / V), V at least the sum of squares of the moves of q so far and at most about twice
    that, and U is 1: the weights of x and -x are then a probability distribution. `normalise=True` measures features in
    units of their typical magnitude, and no move is more than twice the largest before, so that no units and no single
    example can spoil it; U, unset, is then 8 for margins, and 8 times a typical outcome in regression, where it also
    begins again when outcomes turn out to be a thousand times smaller than at first. It takes no eta. Importance
    multiplies the slope.

    >>> learner = EGPlusMinus(eta=0.5, U=1.0)
    >>> learner.update([1.0, 0.0], 0.5).state.q.tolist()  # the slope at 0 is 2 (0 - 0.5)
    [1.0, 0.0]
    >>> round(learner.predict([1.0, 0.0]), 4)  # e^.5 - e^-.5 over e^.5 + e^-.5, the one feature met
    0.4621

    Kivinen & Warmuth (1997). Ledger: A-EG-PM.
    """

    loss: Loss | str = "square"
    U: Rate = None
    eta: Rate = None
    normalise: bool = False
    intercept: bool = False
    examples = True
    weighs_unseen = True
    unscaled = ("eta",)
    diagnostics = ("spent", "past", "cut", "seen", "rate_now", "radius", "follows", "drift")
    guarantees = (T_EG_PM,)

    @property
    def labels(self) -> bool:  # type: ignore[override]
        return isinstance(self.loss, MARGIN)

    def begin(self, shape: Shape) -> State:
        follows = 0 if self.labels else 2 if self.normalise and self.U is None else 1
        U = self.U or (0.0 if follows == 2 else ROOMY if self.normalise else 1.0)
        return State(
            q=np.zeros(shape.n),
            m=unmet(shape.n),
            Z=0.0,
            top=0.0,
            rate_now=self.eta or 0.0,
            V=0.0,
            limit=0.0,
            G=0.0,
            radius=U,
            follows=follows,
            outcomes=0.0,
            logs=0.0,
            first=0.0,
            seen=0,
            touched=0,
            spent=0.0,
            past=0.0,
            cut=0.0,
            drift=0,
        )

    def feature(self, state: State, v: float, i: int) -> float:
        """A feature as the rules see it."""
        if self.normalise:
            return max(-WIDEST, min(WIDEST, relative(v, state.m.typical[i])))
        return v

    def decide(self, state: State, x: Any) -> float:
        total, top, eta = 0.0, state.top, state.rate_now
        for j in range(size(x)):
            v = value(x, j)
            if v != 0.0:
                i = index(x, j)
                z = exponent(eta, state.q[i])
                w = decay(z - top) - decay(-z - top)
                total += (w if state.q[i] > 0.0 else -w) * self.feature(state, v, i)
        if total == 0.0:
            return 0.0
        return state.radius * total / (state.Z + 2.0 * decay(-top) * unseen(state.m, x))

    def learn(self, state: State, x: Any, p: float, f: Outcome) -> State:
        Z, top, eta, G = state.Z, state.top, state.rate_now, state.G
        fresh = unseen(state.m, x)
        seen, touched = state.seen + fresh, state.touched
        Z += 2.0 * decay(-top) * fresh
        g = f.h * self.loss.slope(p, f.y)  # type: ignore[union-attr]
        g, move, cut = self.cut_gradient(g, abs(g) * self.largest_feature(state, x), G)
        V, limit, G = state.V + move * move, state.limit, max(G, move)
        lower = self.eta == 0.0 and limit < V
        if lower:
            limit = 2.0 * V
            eta = lower_rate(state.rate_now, limit, seen)
        used = state.rate_now if state.rate_now > 0.0 else eta  # at q = 0 all rates predict alike
        if move > 0.0:
            Z, top, moved = self.move_exponents(state, x, g, used, Z, top)
            touched += moved
        drift = state.drift + measure(state.m, x)
        past, (outcomes, logs, first) = state.past, follow_outcomes(state, f.y)
        again = self.normalise and logs < first - FALLEN
        if again:
            past += np.log(2.0 * max(1, seen)) / eta if eta > 0.0 else 0.0
            V, limit, G, eta, first = 0.0, 0.0, 0.0, 0.0, logs
            for i in range(state.q.shape[0]):
                state.q[i] = 0.0
        if again or lower or touched > seen + 16 or Z < 1e-4:
            (Z, top), touched = add_up_weights(state, eta), 0
        radius = ROOMY * np.exp(logs) if state.follows == 2 and outcomes > 0.0 else state.radius
        return State(
            q=state.q,
            m=state.m,
            Z=Z,
            top=top,
            rate_now=eta,
            V=V,
            limit=limit,
            G=G,
            radius=radius,
            follows=state.follows,
            outcomes=outcomes,
            logs=logs,
            first=first,
            seen=seen,
            touched=touched,
            spent=state.spent + 0.5 * used * move * move,
            past=past,
            cut=state.cut + cut,
            drift=drift,
        )

    def cut_gradient(self, g: float, move: float, G: float) -> tuple[float, float, float]:
        """The gradient, how far it moves the score, and by how much it was cut: to twice the largest before, G."""
        if self.normalise and G > 0.0 and move > 2.0 * G:
            return g * (2.0 * G / move), 2.0 * G, move - 2.0 * G
        return g, move, 0.0

    def largest_feature(self, state: State, x: Any) -> float:
        r = 0.0
        for j in range(size(x)):
            r = max(r, abs(self.feature(state, value(x, j), index(x, j))))
        return r

    def move_exponents(
        self, state: State, x: Any, g: float, rate: float, Z: float, top: float
    ) -> tuple[float, float, int]:
        """A gradient step of the features of a row: the sum of the weights, the largest exponent, how many moved."""
        moved = 0
        for j in range(size(x)):
            v = value(x, j)
            if v != 0.0:
                i = index(x, j)
                z = exponent(rate, state.q[i])
                Z -= both(z, top)
                state.q[i] -= g * self.feature(state, v, i)
                z = exponent(rate, state.q[i])
                if z > top:
                    Z *= decay(top - z)
                    top = z
                Z += both(z, top)
                moved += 1
        return Z, top, moved

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.spent
        M[1] = state.past
        M[2] = state.cut
        M[3] = state.seen
        M[4] = state.rate_now
        M[5] = state.radius
        M[6] = state.follows
        M[7] = state.drift

    def game(self, allocation: bool) -> Game:
        loss: Any = self.loss
        if isinstance(loss, (ZeroOne, LogLoss)):
            raise BadInput(f"{self.key}: the loss must be convex in a score: square, hinge, …")
        return Margin(loss) if self.labels else Regression(loss)


def lower_rate(before: float, limit: float, seen: int) -> float:
    """The rate for squares of gradients up to a limit; it never rises. 0: there was none before."""
    rate: float = np.sqrt(np.log(2.0 * max(1, seen)) / limit)
    return rate if before == 0.0 else min(rate, before)


def follow_outcomes(state: State, y: float) -> tuple[float, float, float]:
    """How many outcomes were not 0, the mean of their logarithms, and the first of these."""
    outcomes, logs, first = state.outcomes, state.logs, state.first
    if state.follows > 0 and y != 0.0:
        outcomes += 1.0
        logs += (np.log(abs(y)) - logs) / outcomes
        first = logs if outcomes == 1.0 else first
    return outcomes, logs, first


def add_up_weights(state: State, eta: float) -> tuple[float, float]:
    """The sum of the weights, over exp of the largest exponent, and that; counted anew."""
    top, Z = 0.0, 0.0
    for i in range(state.q.shape[0]):
        top = max(top, exponent(eta, state.q[i]))
    for i in range(state.q.shape[0]):
        if state.m.turns[i] > 0.0:
            Z += both(exponent(eta, state.q[i]), top)
    return Z, top
