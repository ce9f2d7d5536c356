"""Halving over nested sets, for truths that one of them always holds."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import Assumption, Guarantee, Symbols
from ...core.learner import Learner
from ...core.parameters import Count, Magnitude
from ...core.scratch import Buffer
from ...core.stream import Array
from ...games import Game, Missed, PredictionInterval, Shape
from .misses import both


class State(NamedTuple):
    first: int  # the smallest set that has never missed, of sets 1, …, N
    missed: int
    top: float  # the largest score so far
    d: Buffer  # the decision


def holds(s: Symbols) -> str | None:
    return None if s.highest <= s.largest else f"a score was {s.highest:.6g}"


T_HALVING_SETS = Guarantee(
    "T-HALVING-SETS",
    "halving over nested sets",
    "misses <= floor(log2 N), ever, where the largest of the N sets never misses",
    "Littlestone 1988, Theorem 1, for nested sets",
    lambda s: math.floor(math.log2(s.sets)),
    against="none",
    measures="missed",
    assumptions=(Assumption("no score is above `largest`", holds),),
    uses=("sets", "largest", "highest"),
)


class HalvingSets(Learner[State, Any, Array, Missed]):
    """Take the middle one of the nested sets that have never missed.

        sets 1, …, N are forecast -+ largest i / N;  first = 1
        each round:  the set in the middle of first, …, N (the smaller of two);  first = the smallest set that held the
                     truth, if that is larger

    For errors that are bounded, where missing is to end altogether: every miss rules out half of the sets that were
    left. After so many misses it never misses again. O(1) a round.

    >>> learner = HalvingSets(largest=8.0, sets=8)
    >>> learner.predict([10.0]).tolist()  # set 4 of 1, …, 8
    [6.0, 14.0]
    >>> learner.update([10.0], 15.0).predict([10.0]).tolist()  # an error of 5: set 6 of 5, …, 8
    [4.0, 16.0]

    Littlestone (1988).
    """

    largest: Magnitude = 1.0
    sets: Count = 1024
    examples = True
    sparse = False
    guarantees = (T_HALVING_SETS,)
    diagnostics = ("missed", "highest")

    def game(self, allocation: bool) -> Game:
        return PredictionInterval(1.0)

    def begin(self, shape: Shape) -> State:
        return State(1, 0, 0.0, np.zeros(2))

    def decide(self, state: State, x: Any) -> Array:
        middle = state.first + (self.sets - state.first) // 2
        return both(state.d, self.largest * middle / self.sets)  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, d: Array, f: Missed) -> State:
        score = max(f.low, f.high)
        first = state.first
        if score > self.largest * first / self.sets:
            first = min(math.ceil(min(score / self.largest, 1.0) * self.sets), self.sets)
            if first < self.sets and self.largest * first / self.sets < score:  # rounding
                first += 1
            first = max(first, state.first)
        missed = state.missed + int(max(f.below, f.above))
        return State(first, missed, max(state.top, score), state.d)

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0], M[1] = state.missed, state.top
