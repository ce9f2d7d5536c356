"""Passive-aggressive learning with several classes."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ..core.guarantee import Guarantee, Symbols
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Choice, Positive
from ..core.scratch import Buffer
from ..core.stream import Array
from ..core.vectors import index, norm2, size, value
from ..games import Classes, Game, Shape
from .multiclass_perceptron import refit, rival, scores, transfer
from .parts.units import SHORTEST, Units, cut_to_unit, fits, length, unseen
from .passive_aggressive import step


class State(NamedTuple):
    W: Array  # a row a feature, a column a class
    s: Buffer  # the scores of the round
    units: Units
    cross: Array  # what the bound pays for each feature as its unit changes
    gain: float  # the sum of tau (2 loss - 2 tau |x|^2)
    longest: float  # the longest step tau, over the importance of its round
    grown: float  # 1 once a unit has changed
    updates: int


def progress(s: Symbols) -> Any:
    long = np.sqrt(s.U2) * (s.Rinf if s.normalise else 1.0)
    return (1.0 + 2.0 * s.grown) * long**2 + 2 * s.cross * long + 2 * s.longest * s.H


T_MULTI_PA = Guarantee(
    "T-MULTI-PA",
    "progress of passive-aggressive steps with several classes",
    "sum_t 2 tau_t (loss_t - tau_t |x_t|^2) <= |U|^2 + 2 sum_t tau_t loss_t(U) for every matrix U, the loss being the "
    "multiclass hinge (in units of the features: R |U|, and what changes of units cost)",
    "Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, section 8",
    progress,
    against="linear",
    measures="gain",
    uses=("U2", "H", "longest", "cross"),
)


class MulticlassPassiveAggressive(Learner[State, Any, Array, Outcome]):
    """Stay passive while the right class leads by 1; else make the smallest change after which it would, or nearly.

        each round:  predict the class with the largest <W_c, x>;  r = the best class but y
                     loss = max(0, 1 - <W_y - W_r, x>)
                     tau = loss/(2 |x|^2) (variant 0), at most C (I), or loss/(2 |x|^2 + 1/(2C)) (II)
                     W_y += tau x, W_r -= tau x

    O(nonzeros times classes) a round, and no rate that falls. `normalise=True` scales features as they come: in units
    of their second largest value, longer ones cut. An importance h multiplies C. While there is one class there is
    nothing to learn.

    >>> learner = MulticlassPassiveAggressive()
    >>> for x, y in ([1.0, 0.0], "a"), ([0.0, 2.0], "b"):
    ...     learner = learner.update(x, y)
    >>> learner.state.W.tolist()  # b leads by 1 on (0, 2)
    [[0.0, 0.0], [-0.25, 0.25]]

    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), section 8. Ledger: T-MULTI-PA.
    """

    variant: Annotated[str, Choice(("0", "I", "II"))] = "0"
    C: Positive = 0.1
    normalise: bool = False
    intercept: bool = False
    examples = True
    labels = True
    diagnostics = ("cross", "gain", "longest", "grown", "updates")
    smallest = 1e-140
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_MULTI_PA,)

    def begin(self, shape: Shape) -> State:
        n = shape.n
        return State(
            W=np.zeros((n, shape.classes)),
            s=np.zeros(shape.classes),
            units=unseen(n),
            cross=np.zeros(n),
            gain=0.0,
            longest=0.0,
            grown=0.0,
            updates=0,
        )

    def decide(self, state: State, x: Any) -> Array:
        scores(state.W, state.s, x, state.units.q, self.normalise)
        return state.s

    def learn(self, state: State, x: Any, s: Array, f: Outcome) -> State:
        y = int(f.y)
        r = rival(s, y)
        if r < 0 or s[y] - s[r] >= 1.0:
            return state
        short, odd, grown, n = 1.0 - (s[y] - s[r]), 0, state.grown, 0.0
        if self.normalise:
            n, odd = fits(state.units.q, x)
            if odd > 0:
                n, changed = refit(state, x)
                grown = max(grown, 1.0 if changed else 0.0)
                short = max(0.0, 1.0 - lead(state, x, y, r))
        else:
            n = norm2(x)
        if n < SHORTEST or short == 0.0:
            return state
        tau = step(self.variant, short, 2.0 * n, self.C * f.h, 1.0)
        transfer(state, x, tau, y, r, self.normalise, odd > 0)
        return State(
            W=state.W,
            s=state.s,
            units=state.units,
            cross=state.cross,
            gain=state.gain + 2.0 * tau * (short - tau * n),
            longest=max(state.longest, tau / f.h),
            grown=grown,
            updates=state.updates + 1,
        )

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = length(state.cross)
        M[1] = state.gain
        M[2] = state.longest
        M[3] = state.grown
        M[4] = state.updates

    def game(self, allocation: bool) -> Game:
        return Classes(False)


def lead(state: State, x: Any, y: int, r: int) -> float:
    """By how much class y leads class r, on the example as it is read in units."""
    total = 0.0
    for k in range(size(x)):
        i = index(x, k)
        total += (state.W[i, y] - state.W[i, r]) * cut_to_unit(value(x, k), state.units.q[i])
    return total
