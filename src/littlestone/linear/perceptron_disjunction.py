"""The perceptron for disjunctions: Boolean features and a constant."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import Guarantee
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Bit
from ..core.stream import Array
from ..core.vectors import add, dot, norm2
from ..games import Game, Labels, Shape
from .parts.realizable import realizable


class State(NamedTuple):
    w: Array
    b: float  # the weight of the constant
    on: float  # the largest number of features that were on at once
    updates: int


T_PERC_DISJ = Guarantee(
    "T-PERC-DISJ",
    "the perceptron for disjunctions",
    "updates <= (4 k + 1) (a + 1) <= (4 k + 1) (n + 1) if a disjunction of k of the n features makes no mistake, where "
    "at most a features are on at once",
    "UCL COMP0078; Novikoff 1962",
    lambda s: (4 * s.k + 1) * (s.on + 1),
    against="disjunction",
    measures="updates",
    assumptions=(realizable("disjunction"),),
    uses=("k", "on"),
)


class PerceptronDisjunction(Learner[State, Any, float, Outcome]):
    """Learn a disjunction of Boolean features as a linear separator of (x, 1).

        w = 0, b = 0
        each round:  predict sign(<w, x> + b);  where y (<w, x> + b) <= 0:  w += y x, b += y

    O(nonzeros) a round; all numbers are whole, so nothing is rounded. Its mistakes grow with k times the number of
    features that are on, those of winnow2 with k lg n: it is the learner to compare with. A round of importance h
    counts as ⌈h⌉ rounds in a row.

    >>> learner = PerceptronDisjunction()
    >>> for x, y in ([1, 0], 1), ([0, 1], 0), ([1, 0], 1), ([1, 1], 1):
    ...     learner = learner.update(x, y)
    >>> learner.state.w.tolist(), float(learner.state.b)
    ([2.0, 0.0], 1.0)

    Rosenblatt (1958); Kivinen, Warmuth & Auer (1997). Ledger: A-PERC-DISJ; T-PERC-DISJ, T-ROT-LB.
    """

    zero: Bit = 1
    examples = True
    labels = True
    boolean = True
    diagnostics = ("updates", "on")
    guarantees = (T_PERC_DISJ,)

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n), 0.0, 0.0, 0)

    def decide(self, state: State, x: Any) -> float:
        return dot(state.w, x) + state.b

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if f.y * score > 0.0:
            return state
        length = norm2(x) + 1.0  # each step moves the score by this much
        steps = min(math.ceil(f.h), math.floor(-f.y * score / length) + 1)
        add(state.w, f.y * steps, x)
        top = max(state.on, length - 1.0)
        return State(state.w, state.b + f.y * steps, top, state.updates + steps)

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.updates
        M[1] = state.on

    def game(self, allocation: bool) -> Game:
        return Labels(self.zero)
