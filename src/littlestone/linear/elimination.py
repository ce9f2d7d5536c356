"""Elimination: keep every feature (or literal) that no example has spoken against."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import Guarantee
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.stream import Array
from ..core.vectors import dot, index, size, value
from ..games import Game, Labels, Shape
from .parts.realizable import realizable


class State(NamedTuple):
    c: Array  # 1 for a candidate, 0 for a feature that was on when the label was -
    updates: int


class LiteralState(NamedTuple):
    a: Array  # 1 where the literal x_i is still in the conjunction
    b: Array  # 1 where the literal "not x_i" is
    left: float  # how many of the literals x_i are left
    met: int  # features that have been counted
    updates: int


T_ELIM = Guarantee(
    "T-ELIM",
    "elimination",
    "mistakes <= d - k, all of them false alarms, if a disjunction of k of the d features makes none",
    "Littlestone 1988",
    lambda s: s.met - s.k,
    against="disjunction",
    measures="updates",
    assumptions=(realizable("disjunction"),),
    uses=("met", "k"),
)
T_CONJ = Guarantee(
    "T-CONJ",
    "elimination for conjunctions",
    "mistakes <= n - k + 1, all of them on the label +, if a conjunction of k literals over n features makes none",
    "Valiant 1984; UCL COMP0078, problem 1",
    lambda s: s.met - s.k + 1,
    against="conjunction",
    measures="updates",
    assumptions=(realizable("conjunction"),),
    uses=("met", "k"),
)


class Elimination(Learner[State, Any, float, Outcome]):
    """Learn a disjunction of Boolean features: all that have never been on when the label was -.

        C = all features
        each round:  predict + if a feature of C is on;  when the label is -, remove those that are on

    O(nonzeros) a round. It never misses a + that a disjunction explains; one wrong label may cost it the target for
    good. Importance changes nothing. With d features of which k matter it may err d - k times, where winnow1 errs
    O(k log d) times.

    >>> learner = Elimination()
    >>> for x, y in ([1, 1, 0, 0], 0), ([0, 0, 1, 0], 1), ([0, 1, 0, 1], 0):
    ...     learner = learner.update(x, y)
    >>> learner.state.c.tolist()
    [0.0, 0.0, 1.0, 0.0]

    Littlestone (1988). Ledger: A-ELIM; X-ELIM.
    """

    intercept: bool = False
    examples = True
    weighs_unseen = True
    labels = True
    boolean = True
    diagnostics = ("updates", "met")
    guarantees = (T_ELIM,)

    def begin(self, shape: Shape) -> State:
        return State(np.ones(shape.n), 0)

    def decide(self, state: State, x: Any) -> float:
        return dot(state.c, x) - 0.5  # between no candidate and one

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        removed = 0
        if f.y < 0.0:
            for j in range(size(x)):
                if value(x, j) != 0.0 and state.c[index(x, j)] != 0.0:
                    state.c[index(x, j)] = 0.0
                    removed = 1
        return State(state.c, state.updates + removed)

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.updates
        M[1] = state.c.shape[0]

    def game(self, allocation: bool) -> Game:
        return Labels(0)


class EliminationConjunction(Learner[LiteralState, Any, float, Outcome]):
    """Learn a conjunction of literals: all that no positive example has made false.

        C = {x_1, not x_1, …, x_n, not x_n}
        each round:  predict + if all literals of C hold;  on a missed +, remove those that do not hold

    O(nonzeros) a round, O(n) on a mistake. It never gives a false alarm that a conjunction does not give; at first C
    contradicts itself, and nothing is +. Importance changes nothing.

    >>> learner = EliminationConjunction()
    >>> for x, y in ([1, 0, 1], 1), ([1, 1, 1], 1), ([0, 1, 1], 0):
    ...     learner = learner.update(x, y)
    >>> learner.state.a.tolist(), learner.state.b.tolist()  # x_1 and x_3
    ([1.0, 0.0, 1.0], [0.0, 0.0, 0.0])

    Valiant (1984). Ledger: A-ELIM-CONJ.
    """

    intercept: bool = False
    examples = True
    weighs_unseen = True
    labels = True
    boolean = True
    diagnostics = ("updates", "met")
    guarantees = (T_CONJ,)

    def begin(self, shape: Shape) -> LiteralState:
        return LiteralState(np.ones(shape.n), np.ones(shape.n), float(shape.n), shape.n, 0)

    def grow(self, old: LiteralState, new: LiteralState, shape: Shape) -> LiteralState:
        """A later feature has been off so far: if there was a +, then x_i is out."""
        n = len(old.a)
        if old.updates:
            new.a[n:] = 0.0
        new.a[:n], new.b[:n] = old.a, old.b
        return LiteralState(new.a, new.b, float(new.a.sum()), new.met, old.updates)

    def decide(self, state: LiteralState, x: Any) -> float:
        # 1/2 less the number of literals that do not hold: x_i where x_i is off, "not x_i" where it is on
        return 0.5 - (state.left - dot(state.a, x)) - dot(state.b, x)

    def learn(self, state: LiteralState, x: Any, score: float, f: Outcome) -> LiteralState:
        if f.y < 0.0 or score > 0.0:
            return state
        for j in range(size(x)):
            if value(x, j) != 0.0:
                i = index(x, j)
                state.b[i] = 0.0
                state.a[i] += 2.0  # a mark: it is on, and stays what it was
        left = 0.0
        for i in range(state.a.shape[0]):
            state.a[i] = max(state.a[i] - 2.0, 0.0)
            left += state.a[i]
        return LiteralState(state.a, state.b, left, state.met, state.updates + 1)

    def write_diagnostics(self, state: LiteralState, M: Array) -> None:
        M[0] = state.updates
        M[1] = state.met

    def game(self, allocation: bool) -> Game:
        return Labels(0)
