"""Halving: the majority of the experts that have never erred."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput, NotRealizable
from ..core.guarantee import PERFECT, Guarantee, Symbols
from ..core.learner import Learner
from ..core.parameters import Bit
from ..core.stream import Array
from ..games import Game, Losses, Shape, Vote


class State(NamedTuple):
    p: Array  # equal weights for the experts not ruled out, 0 for the others


def narrow(p: Array, x: Array, ell: Array) -> None:
    """Rule out the experts that erred; those that remain share the weight.

    An expert asleep is taken to agree with the learner, and so to err with it; it is spared where no other expert
    would remain.
    """
    right, asleep = 0, 0
    for i in range(p.shape[0]):
        if p[i] > 0.0:
            if ell[i] == 0.0:
                right += 1
            elif x[i] != x[i]:
                asleep += 1
    if right + asleep == 0:
        raise NotRealizable(
            "every expert has erred: none is right in every round; weighted-majority forgives errors"
        )
    for i in range(p.shape[0]):
        stays = ell[i] == 0.0 if right > 0 else x[i] != x[i]
        p[i] = 1.0 / (right if right > 0 else asleep) if stays and p[i] > 0.0 else 0.0


def lg(s: Symbols) -> Any:
    # L, which is 0 for the expert that it is about, makes that expert the comparator
    return int(s.n).bit_length() - 1 + s.L


T_HALVING = Guarantee(
    "T-HALVING",
    "halving",
    "mistakes <= floor(lg n) if some expert makes no mistake: at least half of those left err with the vote",
    "Barzdin & Freivalds 1972; Littlestone 1988",
    lg,
    measures="mistakes",
    assumptions=(PERFECT,),
    uses=("n", "L"),
)


class Halving(Learner[State, Array, Array, Losses]):
    """Predict with the majority of the experts that have never erred.

        H = all experts
        each round:  predict the label that most of H predict;  remove from H those that erred

    O(n) a round. `always=False` removes only in rounds that the learner itself got wrong: then H may hold experts
    that have erred, the two can predict differently, and neither is better. Several classes: the most frequent
    label wins. A tie goes to the larger label (`tie=1`) or the smaller (`tie=0`).

    >>> learner = Halving()
    >>> learner.update([1, 1, 0, 0, 1, 1, 0, 0], 0).weights.tolist()
    [0.0, 0.0, 0.25, 0.25, 0.0, 0.0, 0.25, 0.25]

    Barzdin & Freivalds (1972); Littlestone (1988). Ledger: A-HALVING-EVERY, A-HALVING-MISTAKE; E-HALV-VOTE,
    E-HALV-CORRECT.
    """

    always: bool = True
    tie: Bit = 1
    labels = True
    guarantees = (T_HALVING,)

    def begin(self, shape: Shape) -> State:
        return State(np.full(shape.n, 1.0 / shape.n))

    def decide(self, state: State, x: Array) -> Array:
        return state.p

    def learn(self, state: State, x: Array, p: Array, f: Losses) -> State:
        if self.always or f.own > 0.0:
            narrow(state.p, x, f.ell)
        return State(state.p)

    def game(self, allocation: bool) -> Game:
        if allocation:
            raise BadInput(f"{self.key} needs advice and outcomes; for losses alone there is hedge")
        return Vote(self.tie)
