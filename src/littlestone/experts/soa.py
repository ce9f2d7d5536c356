"""The standard optimal algorithm: predict so that a mistake costs as much of Littlestone's dimension as possible."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput, NotRealizable
from ..core.guarantee import SAME_IMPORTANCE, Assumption, Guarantee
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Bit
from ..core.stream import Array
from ..games import Game, Labels, Shape
from .mistake_trees import MistakeTrees, sign_matrix

LIMIT = 2_000_000  # entries of a table: sets of hypotheses that mistakes can lead to, times points


class Hypotheses(NamedTuple):
    """A finite class: a hypothesis a row, a point a column, 0 or 1."""

    signs: Array

    def __repr__(self) -> str:
        return f"<Hypotheses: {self.signs.shape[0]:,} on {self.signs.shape[1]:,} points>"


class State(NamedTuple):
    alive: Array  # 1 for the hypotheses that have been right in every round, 0 for the others
    left: int  # how many those are
    node: int  # which set of hypotheses the mistakes have led to
    score: Array  # of each set and point: the dimension of those that say 1, less that of those that say 0
    after: NDArray[
        np.int64
    ]  # of each set and point: the set that a mistake there leads to; -1: none
    dimension: float  # of all hypotheses


@functools.lru_cache(maxsize=8)
def table(shape: tuple[int, int], signs: bytes, tie: int) -> tuple[Any, Any, int]:
    """The scores, where mistakes lead to, and Littlestone's dimension of the class."""
    S = np.frombuffer(signs, bool).reshape(shape)
    S = np.unique(S, axis=0)
    trees = MistakeTrees(S, "soa")
    first = (1 << len(S)) - 1
    number, sets, scores, after = {first: 0}, [first], [], []
    for V in sets:  # grows meanwhile
        if len(sets) * shape[1] > LIMIT:
            raise BadInput(
                f"soa: mistakes can lead to more than {LIMIT // shape[1]:,} sets of these {shape[0]:,} hypotheses on "
                f"{shape[1]:,} points: give fewer hypotheses or points, or use halving"
            )
        for c in trees.columns:
            one, zero = V & c, V & ~c
            score = trees.dimension(one) - trees.dimension(zero)
            wrong = zero if score > 0 or (score == 0 and tie) else one
            scores.append(float(score))
            if wrong and wrong not in number:
                number[wrong] = len(sets)
                sets.append(wrong)
            after.append(number[wrong] if wrong else -1)
    size = (len(sets), shape[1])
    return np.reshape(scores, size), np.reshape(after, size), trees.dimension(first)


def point_of(v: float, points: int) -> int:
    """A feature as the number of a point; compiled code has no other check."""
    if not (v >= 0.0 and v < points and v == math.floor(v)):
        raise BadInput("an example must be [point], a whole number from 0 on, below the points")
    return int(v)


ALIVE = Assumption(
    "some hypothesis makes no mistake", lambda s: None if s.alive >= 1 else "none is left"
)
T_SOA = Guarantee(
    "T-SOA",
    "the standard optimal algorithm",
    "mistakes <= Littlestone's dimension of the class if some hypothesis makes no mistake; "
    "no deterministic learner promises less",
    "Littlestone 1988",
    lambda s: s.ldim,
    against="none",
    measures="mistakes",
    assumptions=(ALIVE, SAME_IMPORTANCE),
    uses=("ldim",),
)


class SOA(Learner[State, Any, float, Outcome]):
    """Predict the label that leaves the deeper mistake tree: if that is wrong, the dimension falls.

        V = all hypotheses
        each round:  predict 1 if  dim{h in V: h(x) = 1} > dim{h in V: h(x) = 0},  else 0
                     on a mistake  V = {h in V: h(x) = y}

    `hypotheses` is a sign matrix, a hypothesis a row and a point a column; an example is [j], the number of a point,
    from 0. dim is Littlestone's dimension. O(n) a round, for n hypotheses. All sets that mistakes can lead to are found
    before the first round (1,293 of the thresholds on 100 points, 2,117 of the 211 intervals on 20 points), and a class
    with too many is refused. A tie goes to the label `tie`.

    >>> learner = SOA(hypotheses=[[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]).start(
    ...     1, labels=(0, 1)
    ... )
    >>> learner.predict([1]), learner.update([1], 0).predict([0])
    (1, 0)

    Littlestone (1988). Ledger: A-SOA.
    """

    hypotheses: Any = None
    tie: Bit = 1
    examples = True
    labels = True
    sparse = False
    diagnostics = ("alive", "ldim")
    guarantees = (T_SOA,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hypotheses is not None and not isinstance(self.hypotheses, Hypotheses):
            signs = sign_matrix(f"{self.key}: hypotheses", self.hypotheses).astype(np.float64)
            object.__setattr__(self, "hypotheses", Hypotheses(signs))

    @property
    def limits(self) -> tuple[int] | None:
        """An example is the number of a point."""
        return None if self.hypotheses is None else (self.hypotheses.signs.shape[1],)

    def game(self, allocation: bool) -> Game:
        return Labels(self.tie)

    def begin(self, shape: Shape) -> State:
        if self.hypotheses is None:
            raise BadInput(
                f"{self.key} needs its class: hypotheses= a matrix of 0 and 1, a hypothesis a row"
            )
        if shape.n != 1:
            raise BadInput(
                f"{self.key} learns from examples [point], one number each; these have {shape.n} features"
            )
        signs = self.hypotheses.signs
        score, after, d = table(signs.shape, (signs > 0.0).tobytes(), int(self.tie))
        n = signs.shape[0]
        return State(np.ones(n), n, 0, score.copy(), after.copy(), float(d))

    def decide(self, state: State, x: Any) -> float:
        return state.score[state.node, point_of(x[0], state.score.shape[1])]  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        j, y, left = int(x[0]), 0.5 * (f.y + 1.0), 0
        signs = self.hypotheses.signs
        for i in range(state.alive.shape[0]):
            if state.alive[i] > 0.0 and signs[i, j] == y:
                left += 1
        if left == 0:
            raise NotRealizable(
                "every hypothesis has erred: none is right in every round; weighted-majority forgives errors"
            )
        for i in range(state.alive.shape[0]):
            if signs[i, j] != y:
                state.alive[i] = 0.0
        node, now = state.node, state.score[state.node, j]
        # with late feedback another mistake may have come first, and its set may be right about this point
        erred = (1.0 if score > 0.0 or (score == 0.0 and self.tie == 1) else 0.0) != y
        errs = (1.0 if now > 0.0 or (now == 0.0 and self.tie == 1) else 0.0) != y
        if erred and errs:
            node = state.after[state.node, j]
        return State(state.alive, left, node, state.score, state.after, state.dimension)

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.left
        M[1] = state.dimension
