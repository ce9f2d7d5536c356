"""The perceptron whose past weights vote."""

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
    W: Array  # the weights after each update, a row each; the last row in use is learned from
    votes: Array  # the rounds that each has survived
    units: Scales
    sums: Array
    rows: int  # in use


class VotedPerceptron(Learner[State, Any, float, Outcome]):
    """Learn as the perceptron does; predict with the vote of all its weights, each as often as it survived a round.

        W = [0],  c = [0]
        each round:  predict sign(sum_i c_i sign(<w_i, x>));  let w be the last of W:
                     if y <w, x> > 0:  its c += 1;  else:  W += [w + y x],  c += [1]

    O(d) a row, and a row an update: its memory grows with its mistakes, as T-PERC bounds them. Weights that lasted long
    count most, so a few late mistakes do not undo what worked. `normalise` is that of perceptron: it scales features as
    they come; where a unit grows, the weights to come shrink, and those that vote stay.

    >>> learner = VotedPerceptron()
    >>> for x, y in ([-2, -2], -1), ([1, 0], -1), ([0, 1], 1):
    ...     learner = learner.update(x, y)
    >>> learner.state.W[:3].tolist(), learner.state.votes[:3].tolist()
    ([[0.0, 0.0], [2.0, 2.0], [1.0, 2.0]], [0.0, 1.0, 2.0])

    Freund and Schapire (1999). Ledger: A-PERC-UCL; T-PERC, T-PERC-INSEP,
    T-PERC-UNITS.
    """

    normalise: bool = False
    intercept: bool = False
    examples = True
    sparse = False
    fixed = False
    labels = True
    diagnostics = ("updates", "spread", "cross", "odd")
    smallest = 1e-140
    guarantees = INSIDE

    def begin(self, shape: Shape) -> State:
        return State(np.zeros((8, shape.n)), np.zeros(8), unseen(shape.n), np.zeros(SUMS), 1)

    def decide(self, state: State, x: Any) -> float:
        score = 0.0
        for i in range(1, state.rows):
            s = dot(state.W[i], x)
            score += state.votes[i] if s > 0.0 else -state.votes[i] if s < 0.0 else 0.0
        return score

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        W, votes, m = state.W, state.votes, state.rows
        if f.y * dot(W[m - 1], x) > 0.0:
            votes[m - 1] += f.h
            return state
        if m == W.shape[0]:
            W, votes = doubled(W, votes)
        for i in range(W.shape[1]):
            W[m, i] = W[m - 1, i]
        if self.normalise:
            strange = adapt(state.units, W[m], W[m], 0.0, state.sums, x, f.y, f.h)
            step(state.units, W[m], f.h * f.y, x, strange)
        else:
            add(W[m], f.h * f.y, x)
        votes[m] = f.h
        return State(W, votes, state.units, state.sums, m + 1)

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.rows - 1
        write_sums(state.sums, M)

    def symbols(self) -> dict[str, Any]:
        return {"from_zero": True, "strict": False}

    def game(self, allocation: bool) -> Game:
        return Labels(1)


def doubled(W: Array, votes: Array) -> tuple[Array, Array]:
    """The same rows, and room for as many more."""
    m = W.shape[0]
    more, counts = np.zeros((2 * m, W.shape[1])), np.zeros(2 * m)
    for j in range(m):
        counts[j] = votes[j]
        for i in range(W.shape[1]):
            more[j, i] = W[j, i]
    return more, counts
