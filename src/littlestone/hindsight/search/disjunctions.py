"""The best disjunction of at most k literals in hindsight, by branch and bound."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.core.vectors import Rows
from littlestone.hindsight.search.clock import Clock
from littlestone.hindsight.search.design import Design

from ...core.csr import is_sparse

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Disjunction:
    """A disjunction and its mistakes: mistakes - gap <= the least possible <= mistakes."""

    literals: tuple[int, ...]  # i + 1 for feature i, -(i + 1) for its negation
    mistakes: float
    gap: float
    how: str

    def __str__(self) -> str:
        if not self.literals:
            return "false"
        return " or ".join(f"x{j}" if j > 0 else f"not x{-j}" for j in self.literals)

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """Which examples it holds for."""
        Z = boolean(X)
        says = np.zeros(len(Z), bool)
        for j in self.literals:
            says |= Z[:, j - 1] if j > 0 else ~Z[:, -j - 1]
        return says


def best_disjunction(
    X: Any, y: Any, k: int, *, negations: bool = False, h: Any = None, seconds: float = 10.0
) -> Disjunction:
    """The disjunction of at most k literals with the least weight of mistakes.

        start with no literal: it is wrong about every positive example
        branch:  add one more literal, the most promising first
        bound:   j more literals cover at most the sum of their shares of the positive examples that
                 are left, and hit at least the largest of their shares of the negative ones

    X is 0/1, y is 0/1 or -1/+1; features only, or with `negations` their negations too (A-LITERALS).
    Equal examples are merged first, so that n features cost at most 2^n rows, whatever T is.
    Exponential in k at worst (it is NP-hard, T-NP): after the work of so many nominal `seconds`
    (see Clock) it says how far it may be off.

    >>> X = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]]
    >>> best = best_disjunction(X, [1, 0, 1, 1], 2)
    >>> str(best), best.mistakes, best.gap
    ('x1 or x3', 0.0, 0.0)

    Littlestone (1988). Ledger: A-LITERALS, T-NP.
    """
    if k < 0:
        raise BadInput(f"best_disjunction: k, the number of literals, must be 0 or more, not {k}")
    Z, positive, negative, names = weigh_different_examples(X, y, h, negations)
    P, N = (Z[w > 0.0] * w[w > 0.0, None] for w in (positive, negative))
    tree = Tree(seconds)
    tree.grow((), P, N, float(positive.sum()), np.arange(Z.shape[1]), k)
    least = min(tree.mistakes, tree.open)
    how = "branch and bound" if least == tree.mistakes else "branch and bound, not to the end"
    return Disjunction(
        write_disjunction(tree.chosen, names), tree.mistakes, tree.mistakes - least, how
    )


class Tree:
    """The search: a node is a set of literals, and the examples that none of them covers."""

    def __init__(self, deadline: float) -> None:
        self.clock, self.deadline = Clock(), deadline
        self.chosen: tuple[int, ...] = ()
        self.mistakes = np.inf
        self.open = np.inf  # what branches that were left out for too much work could reach

    def grow(self, S: tuple[int, ...], P: Array, N: Array, wrong: float, C: Index, k: int) -> None:
        """Try S, and S with up to k more literals from C.

        P and N hold the weights of the examples left, positive and negative: a row each, a column a
        literal of C, 0 where the literal does not hold.
        """
        if wrong < self.mistakes:
            self.mistakes, self.chosen = wrong, S
        if k == 0 or not len(C) or not len(P):
            return
        covers, hits = P.sum(axis=0), N.sum(axis=0)
        order = np.argsort(hits - covers, kind="stable")
        if k == 1:
            i = order[0]
            now = wrong - float(covers[i]) + float(hits[i])
            self.grow((*S, int(C[i])), P[:0], N[:0], now, C[:0], 0)
            return
        whole = float(P.max(axis=1).sum())
        for j, i in enumerate(order):
            rest = order[j:]  # sets without the literals before i, which were all tried
            reach = wrong - promise(covers[rest], hits[rest], k, whole)
            if reach >= self.mistakes:
                return
            self.clock.spend(4.0 * (P.size + N.size) + 1e3 * len(rest))
            if self.clock.now > self.deadline:
                self.open = min(self.open, reach)
                return
            p, n, after = P[:, i] == 0.0, N[:, i] == 0.0, order[j + 1 :]
            some = np.ix_(p, after), np.ix_(n, after)
            now = wrong - float(covers[i]) + float(hits[i])
            self.grow((*S, int(C[i])), P[some[0]], N[some[1]], now, C[after], k - 1)


def promise(covers: Array, hits: Array, k: int, whole: float) -> float:
    """An upper bound on the mistakes that k of these literals undo.

    They cover at most the sum of what each covers, and hit at least what the worst of them hits.
    """
    best, total = 0.0, 0.0
    top: list[float] = []  # of the literals so far, the k that cover most
    for i in np.argsort(hits, kind="stable"):
        heapq.heappush(top, float(covers[i]))
        total += float(covers[i])
        if len(top) > k:
            total -= heapq.heappop(top)
        best = max(best, min(total, whole) - float(hits[i]))
    return best


def weigh_different_examples(
    X: Any, y: Any, h: Any, negations: bool
) -> tuple[Array, Array, Array, list[int]]:
    """Different examples, the weight of the positive and of the negative ones like each, literals."""
    Z, T = boolean(X), len(y)
    outcome = np.asarray(y, dtype=np.float64)
    weight = np.ones(T) if h is None else np.asarray(h, dtype=np.float64)
    if len(Z) != T or weight.shape != (T,):
        raise BadInput(
            f"{len(Z)} examples, {T} outcomes, {len(weight)} weights: they must be as many"
        )
    if not np.isin(outcome, (-1.0, 0.0, 1.0)).all():
        t = int(np.argmin(np.isin(outcome, (-1.0, 0.0, 1.0))))
        raise BadInput(f"outcome {t}: a disjunction is true or false (1 or 0, 1 or -1), not {y[t]}")
    keys = (
        np.ascontiguousarray(np.packbits(Z, axis=1)) if Z.shape[1] else np.zeros((T, 1), np.uint8)
    )
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    many = len(first)
    positive, negative = (
        np.bincount(group.ravel(), weight * w, many).astype(np.float64)
        for w in (outcome > 0.0, outcome <= 0.0)
    )
    names = [i + 1 for i in range(Z.shape[1])]
    full = Z[first].astype(np.float64)
    if negations:
        full = np.hstack((full, 1.0 - full))
        names += [-j for j in names]
    return full, positive, negative, names


def boolean(X: Any) -> NDArray[np.bool_]:
    """The examples as truth values."""
    if isinstance(X, Rows) or is_sparse(X):
        X = Design(X).X.toarray()
    Z = np.asarray(X)
    if Z.ndim != 2 or not np.isin(Z, (0, 1)).all():
        where = np.argwhere(~np.isin(Z, (0, 1)))
        what = f"example {where[0][0]} has {Z[tuple(where[0])]}" if len(where) else f"got {Z.shape}"
        raise BadInput(f"examples of a disjunction are rows of 0 and 1; {what}")
    return Z.astype(bool)


def write_disjunction(chosen: Iterable[int], names: list[int]) -> tuple[int, ...]:
    return tuple(sorted((names[i] for i in chosen), key=lambda j: (abs(j), -j)))
