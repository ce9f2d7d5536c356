"""Consistent: follow one expert until it errs, then another one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput, NotRealizable
from ..core.guarantee import PERFECT, Guarantee, Symbols
from ..core.learner import Learner
from ..core.stream import Array
from ..games import Game, Losses, Shape, Vote
from .halving import narrow


class State(NamedTuple):
    alive: Array  # positive for the experts not ruled out, 0 for the others
    p: Array  # all the weight on the expert in use


def others(s: Symbols) -> Any:
    # L, which is 0 for the expert that it is about, makes that expert the comparator
    return s.n - 1 + s.L


T_CONSISTENT = Guarantee(
    "T-CONSISTENT",
    "consistent",
    "mistakes <= n - 1 if some expert makes no mistake: each one rules out an expert",
    "Littlestone 1988; Blum 1998",
    others,
    measures="mistakes",
    assumptions=(PERFECT,),
    uses=("n", "L"),
)


def point(p: Array, alive: Array, last: bool) -> None:
    """Put all the weight on the first expert alive, or on the last."""
    found = -1
    for i in range(p.shape[0]):
        p[i] = 0.0
        if alive[i] > 0.0 and (last or found < 0):
            found = i
    p[found] = 1.0


class Consistent(Learner[State, Array, Array, Losses]):
    """Follow the first expert that is not ruled out.

        H = all experts
        each round:  predict with the first h in H;  if it erred, remove h from H

    O(n) a round. `version_space=True` removes every expert that erred after each round, which is no better in the worst
    case; `last=True` follows the last expert of H instead of the first. Halving promises lg n in place of n - 1.

    >>> learner = Consistent()
    >>> [learner.predict(x) for x in ([1, 0, 0], [0, 1, 0]) if learner.update(x, 0)]
    [0, 0]
    >>> learner.weights.tolist()
    [0.0, 0.0, 1.0]

    Littlestone (1988). Ledger: A-CONSISTENT, A-CONSISTENT-VS.
    """

    version_space: bool = False
    last: bool = False
    labels = True
    guarantees = (T_CONSISTENT,)

    def begin(self, shape: Shape) -> State:
        state = State(np.ones(shape.n), np.zeros(shape.n))
        point(state.p, state.alive, self.last)
        return state

    def decide(self, state: State, x: Array) -> Array:
        return state.p

    def learn(self, state: State, x: Array, p: Array, f: Losses) -> State:
        if self.version_space:
            narrow(state.alive, x, f.ell)
        elif f.own > 0.0:
            used, left = 0, 0
            for i in range(p.shape[0]):
                if p[i] > 0.0:
                    used = i
                elif state.alive[i] > 0.0:
                    left += 1
            if left > 0:
                state.alive[used] = 0.0
            elif x[used] == x[used]:  # the last one is spared if it was asleep
                raise NotRealizable(
                    "every expert has erred: none is right in every round; weighted-majority forgives errors"
                )
        point(state.p, state.alive, self.last)
        return State(state.alive, state.p)

    def game(self, allocation: bool) -> Game:
        if allocation:
            raise BadInput(f"{self.key} needs advice and outcomes; for losses alone there is hedge")
        return Vote()
