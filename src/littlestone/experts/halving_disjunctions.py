"""Halving over the disjunctions of k features."""

from __future__ import annotations

import math
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput, NotRealizable
from ..core.guarantee import SAME_IMPORTANCE, Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Bit, Count
from ..core.stream import Array
from ..games import Game, Labels, Shape

LIMIT = 10_000_000  # numbers that a table of disjunctions may hold


class State(NamedTuple):
    J: NDArray[
        np.int64
    ]  # the features of each disjunction (-1: none), the first `alive` not ruled out
    alive: int


def count(d: int, k: int, exactly: bool) -> int:
    """How many disjunctions of k of d features there are, or of at most k."""
    return math.comb(d, k) if exactly else sum(math.comb(d, j) for j in range(min(k, d) + 1))


def subsets(d: int, k: int, exactly: bool) -> NDArray[np.int64]:
    """A row a set of k of d features; of at most k: the rest of a row is -1.

    >>> subsets(3, 2, False).tolist()
    [[-1, -1], [0, -1], [1, -1], [2, -1], [0, 1], [0, 2], [1, 2]]
    """
    sizes = range(k, k + 1) if exactly else range(min(k, d) + 1)
    J = np.full((count(d, k, exactly), k), -1, dtype=np.int64)
    at = 0
    for j in sizes:
        rows = math.comb(d, j)
        flat = chain.from_iterable(combinations(range(d), j))
        J[at : at + rows, :j] = np.fromiter(flat, np.int64, rows * j).reshape(rows, j)
        at += rows
    return J


def affordable(owner: str, d: int, k: int, exactly: bool) -> None:
    """Refuse more disjunctions than there is room for, and k of fewer than k features."""
    if exactly and k > d:
        raise BadInput(f"{owner}: k must be at most the number of features, {d}, not {k}")
    rows = count(d, k, exactly)
    if rows * k > LIMIT:
        raise BadInput(
            f"{owner}: there are {rows:,} disjunctions of {'' if exactly else 'at most '}{k} of {d} features, "
            f"and room for {LIMIT // k:,}: choose a smaller k or fewer features"
        )


def says(J: NDArray[np.int64], j: int, x: Array) -> float:
    """The label of x by the j-th disjunction."""
    for c in range(J.shape[1]):
        if J[j, c] >= 0 and x[J[j, c]] != 0.0:
            return 1.0
    return 0.0


def bits(s: Symbols) -> float:
    return float(count(int(s.n), int(s.k), bool(s.exactly)).bit_length() - 1)


T_DISJ = Guarantee(
    "T-DISJ-HALVING",
    "halving over disjunctions",
    "mistakes <= lg C(d, k) <= k lg d if a disjunction of k of the d features makes no mistake; "
    "of at most k: the logarithm of their number",
    "Littlestone 1988",
    bits,
    against="none",
    measures="mistakes",
    assumptions=(
        Assumption(
            "some disjunction makes no mistake", lambda s: None if s.alive >= 1 else "none is left"
        ),
        SAME_IMPORTANCE,
    ),
    uses=("n", "k"),
)


class HalvingDisjunctions(Learner[State, Array, float, Outcome]):
    """Predict with the majority of the disjunctions of k features that have never erred.

        H = all sets of exactly k of the d features
        each round:  predict 1 if most of H hold a feature of x that is not 0;  remove from H those that erred

    O(k) a disjunction left and round, at first C(d, k) of them. `exactly=False` takes the sets of at most k features,
    the empty one (always 0) included. A feature counts as 1 unless it is 0. A tie goes to the label `tie`.

    >>> learner = HalvingDisjunctions(k=1)
    >>> [learner.predict(x) for x in ([1, 1, 0, 0], [1, 0, 1, 0]) if learner.update(x, 1)]
    [1, 1]
    >>> learner.state.J[: learner.state.alive].tolist()
    [[0]]

    Littlestone (1988). Ledger: A-HALVING-DISJ; E-KLND.
    """

    k: Count = 1
    exactly: bool = True
    tie: Bit = 1
    examples = True
    sparse = False
    labels = True
    diagnostics = ("alive",)
    guarantees = (T_DISJ,)

    def begin(self, shape: Shape) -> State:
        affordable("halving-disjunctions", shape.n, self.k, self.exactly)
        J = subsets(shape.n, self.k, self.exactly)
        return State(J, len(J))

    def decide(self, state: State, x: Array) -> float:
        score = 0.0
        for j in range(state.alive):
            score += 2.0 * says(state.J, j, x) - 1.0
        return score

    def learn(self, state: State, x: Array, score: float, f: Outcome) -> State:
        y = 0.5 * (f.y + 1.0)
        J, right = state.J, 0
        while right < state.alive and says(J, right, x) != y:
            right += 1
        if right == state.alive:
            raise NotRealizable(
                "every disjunction has erred: none of these is right in every round"
            )
        left = 0
        for j in range(right, state.alive):
            if says(J, j, x) == y:
                for c in range(J.shape[1]):
                    J[left, c] = J[j, c]
                left += 1
        return State(J, left)

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.alive

    def game(self, allocation: bool) -> Game:
        return Labels(self.tie)
