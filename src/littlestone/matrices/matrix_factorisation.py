"""A baseline for matrix completion: logistic matrix factorisation by stochastic gradient descent."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.parameters import Bit, Interval, Positive
from ..core.random_features import hash_uniforms
from ..core.stream import Array
from ..games import Game, Labels, Shape
from .pairs import Size, begins_with_pairs, place_of

LONG = 1e3  # no weight grows beyond
STEP = 1e3  # rate times importance, at most: a longer step says no more
Rank = Annotated[int, Interval(1, 1024, "[]", True)]
Penalty = Annotated[float, Interval(0.0, math.inf, "[)")]
Seed = Annotated[int, Interval(0, 2.0**53, "[]", True)]


class State(NamedTuple):
    P: Array  # rows x (rank + 1): factors, and a bias
    Q: Array  # columns x (rank + 1)


class MatrixFactorisation(Learner[State, Any, float, Outcome]):
    """Fit P Q' to the log-odds of the labels, one entry at a time.

        p_i, q_j = small random vectors;  b_i, c_j = 0
        each round:  s = <p_i, q_j> + b_i + c_j;  g = y / (1 + exp(y s))
                     p_i += eta (g q_j - penalty p_i);  q_j += eta (g p_i - penalty q_j);  b_i, c_j += eta g

    O(rank) a round. The first vectors are a hash of `seed` and their place, so that a run can be repeated. Weights
    are cut to [-1000, 1000] and steps to 1000, so that nothing overflows at any rate. There is no theorem: the loss
    is not convex in P and Q together, and gradient descent may stay in a poor place. It is the usual baseline.

    >>> learner = MatrixFactorisation(rows=2, columns=2, rank=1)
    >>> for _ in range(50):
    ...     for i, j, y in ((0, 0, 1), (0, 1, -1), (1, 0, -1), (1, 1, 1)):
    ...         learner = learner.update([i, j], y)
    >>> [learner.predict([i, j]) for i in (0, 1) for j in (0, 1)]
    [1, -1, -1, 1]

    The matrix of the Netflix prize has 480,189 rows (users) and 17,770 columns (films; E-NETFLIX).
    Koren, Bell & Volinsky (2009). Ledger: A-MATRIX-FACTORISATION.
    """

    rows: Size = 1000
    columns: Size = 1000
    rank: Rank = 4
    eta: Positive = 0.3
    penalty: Penalty = 0.01
    seed: Seed = 0
    zero: Bit = 1
    examples = True
    labels = True
    sparse = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.rows + self.columns) * (self.rank + 1) > 1 << 27:
            raise BadInput(
                f"{self.key}: {self.rows} rows and {self.columns} columns of rank {self.rank} take more than a gigabyte"
            )

    @property
    def limits(self) -> tuple[int, int]:
        """Features are places in a table of so many rows and columns."""
        return self.rows, self.columns

    def game(self, allocation: bool) -> Game:
        return Labels(self.zero)

    def begin(self, shape: Shape) -> State:
        begins_with_pairs(self.key, shape)
        return State(
            scattered(self.rows, self.rank, self.seed, 0),
            scattered(self.columns, self.rank, self.seed, 1),
        )

    def decide(self, state: State, x: Any) -> float:
        i, j, r = place_of(x[0], self.rows), place_of(x[1], self.columns), self.rank
        p, q = state.P[i], state.Q[j]
        s = p[r] + q[r]
        for k in range(r):
            s += p[k] * q[k]
        return s  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        p, q, r = state.P[int(x[0])], state.Q[int(x[1])], self.rank
        eta = self.eta * f.h if f.h < STEP / self.eta else STEP
        g = f.y / (1.0 + math.exp(min(max(f.y * score, -700.0), 700.0)))
        keep = max(1.0 - eta * self.penalty, 0.0)
        for k in range(r):
            a, b = p[k], q[k]
            p[k] = cut_number(keep * a + eta * g * b)
            q[k] = cut_number(keep * b + eta * g * a)
        p[r] = cut_number(p[r] + eta * g)
        q[r] = cut_number(q[r] + eta * g)
        return state


def cut_number(v: float) -> float:
    return min(max(v, -LONG), LONG)


def scattered(n: int, rank: int, seed: int, side: int) -> Array:
    """Uniform on (-1, 1) / sqrt(rank), each a hash of its place; the biases are 0."""
    made = np.zeros((n, rank + 1))
    place = 2 * np.arange(n, dtype=np.uint64)[:, None] + np.uint64(side)
    u = hash_uniforms(seed, place, np.arange(rank, dtype=np.uint64)[None, :])
    made[:, :rank] = (2.0 * u - 1.0) / math.sqrt(rank)
    return made
