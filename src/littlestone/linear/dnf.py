"""Disjunctive normal forms by Winnow on all monomials."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import Guarantee
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.stream import Array
from ..core.vectors import index, size, value
from ..games import Game, Labels, Shape
from .parts.realizable import realizable
from .winnow2 import Integers

BITS = 20  # there are at most 2^20 weights


class State(NamedTuple):
    e: Integers  # the exponents: the monomial of the features (literals) whose bits are in s weighs 2^e_s
    n: int  # features
    theta: float  # the number of monomials
    updates: int


def on(x: Any, n: int, literals: bool) -> int:
    """The features (or literals) that hold, as bits: feature i is bit i, or bit 2i with its negation at 2i + 1."""
    mask = 0
    if literals:
        for i in range(n):
            mask |= 2 << (2 * i)
    for j in range(size(x)):
        if value(x, j) != 0.0:
            mask ^= (3 << (2 * index(x, j))) if literals else (1 << index(x, j))
    return mask


T_DNF_WINNOW = Guarantee(
    "T-DNF-WINNOW",
    "Winnow2 on monomials",
    "mistakes <= 3 k (n + 1) + 2 if a monotone DNF of k terms over n features makes none; with literals, if any DNF of "
    "k terms makes none, 3 k (2 n + 1) + 2",
    "UCL COMP0078, Winnow versus Perceptron for k-term DNF",
    lambda s: 3 * s.k * (np.log2(s.theta) + 1) + 2,
    against="dnf",
    measures="updates",
    assumptions=(realizable("DNF"),),
    uses=("k", "theta"),
)


class DNFWinnow(Learner[State, Any, float, Outcome]):
    """Learn a DNF (an "or" of "and"s) of Boolean features: Winnow2 with a weight for each set of features.

        w_s = 1 for every set s of features, theta = 2^n
        each round:  predict + if the sum of w_s over the sets that are all on reaches theta
                     on a missed +:  double those w_s;  on a false +:  halve them

    O(2^(features on)) a round and 2^n weights: n <= 20, or 10 with `literals`, which also has the negation of every
    feature, learns any DNF, and costs 2^n a round. That is few mistakes for much time; the kernel perceptron with the
    ANOVA kernel is the other way round. Nothing is rounded: weights are powers of two, those below 2^-32 (2^-12 in all,
    at most) count as nothing, and a sum of the others that is near theta <= 2^20 has 52 bits. A round of importance h
    counts as ⌈h⌉ rounds in a row.

    >>> learner = DNFWinnow()
    >>> for x, y in 4 * [([1, 1, 0], 1), ([1, 0, 1], 0), ([0, 1, 1], 0)]:  # x_1 and x_2
    ...     learner = learner.update(x, y)
    >>> [learner.predict(x) for x in ([1, 1, 0], [1, 1, 1], [1, 0, 1], [0, 1, 1])]
    [1, 1, 0, 0]

    Littlestone (1988); Khardon, Roth & Servedio (2005). Ledger: A-DNF-WINNOW; T-ANOVA; E-DNF-SIGN.
    """

    literals: bool = False
    examples = True
    labels = True
    boolean = True
    sparse = False  # room for later features would double the monomials with each of them
    diagnostics = ("updates", "theta")
    guarantees = (T_DNF_WINNOW,)

    def begin(self, shape: Shape) -> State:
        bits = shape.n * (2 if self.literals else 1)
        if bits > BITS:
            raise BadInput(
                f"dnf-winnow: {shape.n} features have 2^{bits} monomials, and there is room for 2^{BITS}: take at most "
                f"{BITS // (2 if self.literals else 1)} features, or a kernel perceptron with the ANOVA kernel"
            )
        return State(np.zeros(1 << bits, np.int64), shape.n, float(1 << bits), 0)

    def decide(self, state: State, x: Any) -> float:
        mask = on(x, state.n, self.literals)
        s, total = mask, 0.0
        while True:  # the subsets of the mask, from the largest to the empty one
            e = state.e[s]
            total += 2.0 ** float(e) if e >= -32 else 0.0
            if s == 0:
                break
            s = (s - 1) & mask
        return total - state.theta

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        step = 1 if f.y > 0.0 else -1
        updates, left = state.updates, f.h
        while left > 0.0 and (score >= 0.0) != (f.y > 0.0):
            mask = on(x, state.n, self.literals)
            s = mask
            while True:
                if step < 0 or 2.0 ** float(state.e[s]) < state.theta:
                    state.e[s] += step
                if s == 0:
                    break
                s = (s - 1) & mask
            updates += 1
            left -= 1.0
            if left > 0.0:
                score = self.decide(state, x)
        return State(state.e, state.n, state.theta, updates)

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.updates
        M[1] = state.theta

    def game(self, allocation: bool) -> Game:
        return Labels(1)
