"""The perceptron that predicts with the average of its weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.stream import Array
from ..core.vectors import add, dot
from ..games import Game, Labels, Shape
from .parts.unit_steps import SUMS, Scales, adapt, step, unseen, write_sums
from .perceptron import IN_UNITS, INSEPARABLE, NOVIKOFF

# of the perceptron inside: its own predictions may err more often, or less
INSIDE = tuple(replace(g, measures="updates") for g in (NOVIKOFF, INSEPARABLE, IN_UNITS))


class State(NamedTuple):
    w: Array  # the weights of the perceptron
    late: Array  # sum over its updates of the round times the step: w - late/(t + 1) is the average
    units: Scales
    sums: Array
    t: int
    updates: int


class AveragedPerceptron(Learner[State, Any, float, Outcome]):
    """Learn as the perceptron does; predict with the average of all its weights so far.

        w = 0
        each round:  predict sign(<mean of all w so far, x>);  if y <w, x> <= 0:  w += y x

    O(d) a round, O(nonzeros) on sparse examples: only the updates are added up, each times its round. The average is
    steadier than the last weights where no line separates the classes. `normalise` is that of perceptron: it scales
    features as they come. The bounds count the updates of the perceptron inside; its own mistakes may be more or fewer.

    >>> learner = AveragedPerceptron()
    >>> for x, y in ([-2, -2], -1), ([1, 0], -1), ([0, 1], 1):
    ...     learner = learner.update(x, y)
    >>> (
    ...     learner.state.w - learner.state.late / learner.state.t
    ... ).tolist()  # ((0, 0) + (2, 2) + (1, 2)) / 3
    [1.0, 1.3333333333333335]

    Freund and Schapire (1999), after Helmbold and Warmuth; the lazy sum after Daume (2006).
    Ledger: A-PERC-UCL; T-PERC, T-PERC-INSEP, T-PERC-UNITS.
    """

    normalise: bool = False
    intercept: bool = False
    examples = True
    labels = True
    diagnostics = ("updates", "spread", "cross", "odd")
    smallest = 1e-140
    guarantees = INSIDE

    def begin(self, shape: Shape) -> State:
        n = shape.n
        return State(
            w=np.zeros(n),
            late=np.zeros(n),
            units=unseen(n),
            sums=np.zeros(SUMS),
            t=0,
            updates=0,
        )

    def decide(self, state: State, x: Any) -> float:
        return dot(state.w, x) - dot(state.late, x) / (state.t + 1)

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        updates = state.updates
        if f.y * dot(state.w, x) <= 0.0:  # the mistakes of the last weights, not of the average
            if self.normalise:
                u = state.units
                strange = adapt(u, state.w, state.late, state.t + 1.0, state.sums, x, f.y, f.h)
                step(u, state.w, f.h * f.y, x, strange)
                step(u, state.late, f.h * f.y * (state.t + 1), x, strange)
            else:
                add(state.w, f.h * f.y, x)
                add(state.late, f.h * f.y * (state.t + 1), x)
            updates += 1
        return State(
            w=state.w,
            late=state.late,
            units=state.units,
            sums=state.sums,
            t=state.t + 1,
            updates=updates,
        )

    def coefficients(self, state: State) -> Array:
        return state.w - state.late / (state.t + 1)

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.updates
        write_sums(state.sums, M)

    def symbols(self) -> dict[str, Any]:
        return {"from_zero": True, "strict": False}

    def game(self, allocation: bool) -> Game:
        return Labels(1)
