"""Online gradient descent on a linear predictor, with any of the convex losses."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import EVEN, TOLD, Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.outcome import Outcome
from ..core.parameters import Bit, Rate
from ..core.stream import Array
from ..core.vectors import dot
from ..games import Game, Margin, Regression, Shape
from .parts.descent import (
    ALPHA,
    CROSS,
    PATH,
    REFITTED,
    STEEPEST,
    STEPS,
    State,
    begin_descent,
    passed,
    promise,
    stepped,
)
from .parts.implicit import PERCEPTRON, classifies, kind
from .parts.units import score_cut


def by_label(s: Symbols) -> Any:
    """Mistakes from losses: a wrong label costs at least loss(0)."""
    bound = promise(s)
    if s.conservative and s.straight:  # then eta changes no label, and the best one counts
        bound = np.minimum(bound, np.sqrt(s.U2 * s.steps / s.eta))
    return (s.L + bound) / s.at_zero


def late_promise(s: Symbols) -> Any:
    """One copy, told late: number outcomes as they come, and let v_k be the weights after k - 1 of them.

    sum_k <g_k, v_k - u> <= |u|^2 / (2 eta) + eta sum |g|^2 / 2 for any vectors g. The round that is told as number k
    was played with v_a, a <= k, and |v_k - v_a| <= eta (|g_a| + … + |g_(k-1)|), also with projections. So lateness
    costs at most eta sum |g_s| |g_t| <= eta sum (|g_s|^2 + |g_t|^2) / 2 over the pairs in which s was told while t was
    waited for: each t is in `lag` of them at most, each s in `crowd`.
    """
    return promise(s) + (s.lag + s.crowd) * s.steps / 2


EXPLICIT = Assumption("steps are explicit", lambda s: "they are implicit" if s.implicit else None)


def plain(s: Symbols) -> bool:
    return not s.conservative


T_OGD = Guarantee(
    "T-OGD",
    "online gradient descent",
    "regret <= |u|^2 / (2 eta) + eta sum_t |gradient_t|^2 / 2 for every u (in the ball, where there is one); with "
    "|gradient| <= R and |u| <= U, eta = U/(R sqrt T) makes it U R sqrt T",
    "Zinkevich 2003; UCL COMP0078; for implicit steps Kulis and Bartlett 2010",
    promise,
    against="linear",
    when=lambda s: plain(s) and s.eta > 0,
    uses=("U2", "steps", "eta"),
)
T_OGD_ANY = Guarantee(
    "T-OGD-ANY",
    "online gradient descent with rates of any kind",
    "regret <= (alpha R^2 |u|^2 + path + steps)/2 + cross R |u| for every u (in the ball), where alpha sums the rises "
    "of 1/eta, steps is the sum of eta |gradient|^2, path and cross sum rises times |w|^2 and |w|; R is 1, or the "
    "largest |x_i| where features are scaled",
    "Zinkevich 2003, with |w_t - u| <= |w_t| + |u| in place of a diameter",
    promise,
    against="linear",
    when=lambda s: plain(s) and not s.eta > 0,
    uses=("U2", "Rinf", "alpha", "path", "steps", "cross"),
)
T_DELAY_OGD = Guarantee(
    "T-DELAY-OGD",
    "online gradient descent that learns late",
    "regret <= |u|^2 / (2 eta) + eta (1 + lag + crowd) sum_t |gradient_t|^2 / 2 for every u (in the ball, where "
    "there is one), one copy, outcomes in any order; at delay d the factor is 1 + 2d",
    "after Joulani, György & Szepesvári 2013 and Quanrud & Khashabi 2015; proved in linear/ogd.py",
    late_promise,
    against="linear",
    assumptions=(TOLD, EXPLICIT),
    when=lambda s: plain(s) and s.eta > 0,
    uses=("U2", "steps", "eta", "lag", "crowd"),
    delayed=True,
)
T_OGD_MISTAKES = Guarantee(
    "T-OGD-MISTAKES",
    "mistakes of online gradient descent",
    "mistakes <= (L(u) + the bound on the regret to u) / loss(0) for every u: 1/loss(0) is 1 for the hinge loss, "
    "1/ln 2 for the logistic one",
    "UCL COMP0078, corollary of T-OGD",
    by_label,
    against="linear",
    measures="mistakes",
    when=lambda s: plain(s) and s.at_zero > 0,
    uses=("U2", "L", "steps"),
)
T_OGD_CONS = Guarantee(
    "T-OGD-CONS",
    "gradient descent that learns from mistakes only",
    "updates <= (L(u) + |u|^2/(2 eta) + eta (sum over updates of |gradient|^2)/2) / loss(0) for every u; with the "
    "hinge loss eta changes no label: <= H(u) + |u| sqrt(sum over updates of |x|^2), so R^2 |u|^2 at most if H(u) = 0",
    "UCL COMP0078, the perceptron as gradient descent",
    by_label,
    against="linear",
    measures="updates",
    assumptions=(EVEN,),
    when=lambda s: s.conservative and s.at_zero > 0,
    uses=("U2", "L", "steps"),
)


class OGD(Learner[State, Any, float, Outcome]):
    """Follow the gradient of each round's loss a little way down.

        each round:  predict p = <w, x>;  w -= eta loss'(p) x;  radius: project onto |w| <= radius

    Losses: hinge, squared-hinge, logistic, perceptron for two classes; square, absolute, pinball for numbers.
    `conservative`: only if the label is wrong (y p <= 0), which for the hinge loss is the perceptron. `implicit`: to
    the w that minimises loss(w) + |w - w_t|^2 / (2 eta), a step that never overshoots. An importance h multiplies the
    loss.

    O(nonzeros) a round: a projection only changes c, and the weights are c w. Where eta is left out it is 1/sqrt(t) in
    round t, and in a ball sqrt(2) radius / sqrt(sum |gradient|^2), where a gradient counts as no longer than the second
    longest so far. `normalise=True` scales features as they come: in units of their second largest value, longer ones
    cut, so that no scale matters, at a rate that falls as gradients add up; one extreme example then neither moves w
    far nor stops the learning. It takes neither eta nor a radius.

    >>> learner = OGD(loss="hinge", eta=0.5)
    >>> for _ in range(4):
    ...     learner = learner.update([1.0], 1)
    >>> learner.state.w.tolist()  # X-OGD: it stops at the margin
    [1.0]

    Zinkevich (2003). Ledger: A-OGD-HINGE, A-OGD-CONS, A-OGD-PROX; T-OGD, T-OGD-ANY, T-OGD-MISTAKES, T-OGD-CONS,
    T-OGD-ROUND, T-DELAY-OGD; E-OGD-ANYU, E-PROX.
    """

    loss: Loss | str = "hinge"
    eta: Rate = None
    radius: Rate = None
    normalise: bool = False
    conservative: bool = False
    implicit: bool = False
    zero: Bit = 1
    intercept: bool = False
    examples = True
    unscaled = ("eta", "radius")
    diagnostics = ("alpha", "path", "steps", "cross", "updates")
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (
        *(T_OGD, T_OGD_ANY, T_DELAY_OGD),
        *(T_OGD_MISTAKES, T_OGD_CONS),
    )

    @property
    def labels(self) -> bool:  # type: ignore[override]
        return classifies(self.loss)

    def begin(self, shape: Shape) -> State:
        return begin_descent(shape.n, self.loss, kind(self.loss, self.key), self.normalise)

    def decide(self, state: State, x: Any) -> float:
        return score_cut(state.w, state.units.q, x) if self.normalise else state.c * dot(state.w, x)

    def learn(self, state: State, x: Any, p: float, f: Outcome) -> State:
        g = self.loss.slope(p, f.y)  # type: ignore[union-attr]
        if g == 0.0 or (self.conservative and f.y * p > 0.0):
            return passed(state)
        return stepped(state, x, p, f, g, self.eta, self.radius, self.implicit, self.normalise)  # type: ignore[arg-type]

    def write_diagnostics(self, state: State, M: Array) -> None:
        sums = state.sums
        M[0] = sums[ALPHA] + (2.0 * sums[STEEPEST] if sums[REFITTED] > 0.0 else 0.0)
        M[1] = sums[PATH]
        M[2] = sums[STEPS]
        M[3] = sums[CROSS]
        M[4] = state.updates

    def symbols(self) -> dict[str, Any]:
        two = classifies(self.loss)
        return {
            "in_units": self.normalise,
            "at_zero": self.loss.at(0.0, 1.0) if two else 0.0,  # type: ignore[union-attr]
            "straight": kind(self.loss, self.key) == 0 and bool(self.eta) and not (self.implicit or self.radius),
        }  # fmt: skip

    def game(self, allocation: bool) -> Game:
        which, two = kind(self.loss, self.key), classifies(self.loss)
        if self.conservative and not two:
            raise BadInput(
                f"{self.key}: conservative is for two classes; numbers are never wrong or right"
            )
        if self.implicit and which == PERCEPTRON:
            raise BadInput(
                f"{self.key}: with the perceptron loss an implicit step never leaves w = 0: take hinge"
            )
        return Margin(self.loss, self.zero) if two else Regression(self.loss)  # type: ignore[arg-type]
